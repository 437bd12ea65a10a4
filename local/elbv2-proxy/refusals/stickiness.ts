import { type Fields, items, pairs, text } from '../protocol/fields.ts';
import { forwardOf, isSticky, type World } from '../world/world.ts';
import { loadBalancerArnOf, protocolOf, touchedActions, typeOf } from './listener-of.ts';
import { actionsOf, firstOf, forwarding, guide, type Judged, type Rule } from './refusal.ts';

const isStickyGroup = (world: World, arn: string): boolean =>
  world.attributes.get(arn)?.['stickiness.enabled'] === 'true';

/** Lists what the groups of a forward action have for a field, each once. */
const among = ({ world }: Judged, action: Fields, field: string): readonly string[] => [
  ...new Set(forwardOf(action).flatMap((one) => text(world.targetGroups.get(one.arn) ?? {}, field) ?? [])),
];

/** Finds a rule, default rules included, that forwards to a group among others without group stickiness. */
function looseRuleOf(world: World, group: string): string | undefined {
  const isLoose = (action: Fields): boolean => {
    const groups = forwardOf(action).map((one) => one.arn);
    return groups.length > 1 && groups.includes(group) && !isSticky(action);
  };
  return [...world.rules].find(([, rule]) => items(rule, 'Actions').some(isLoose))?.[0];
}

/** What AWS refuses because the target groups of one forward action do not go together, or not with stickiness. */
export const stickinessRules: readonly Rule[] = [
  {
    name: 'sticky-forward-to-sticky-groups',
    actions: forwarding,
    source: guide('network', 'load-balancer-listeners'),
    refuse: ({ parameters, world }) =>
      firstOf(actionsOf(parameters), (action) => {
        const groups = forwardOf(action);
        const isAnySticky = groups.some((one) => isStickyGroup(world, one.arn));
        if (groups.length < 2 || !isAnySticky || isSticky(action)) return undefined;
        const message =
          'You must enable group stickiness on a rule if you enabled target stickiness on one of its target groups';
        return { code: 'InvalidLoadBalancerAction', message };
      }),
  },
  {
    name: 'sticky-group-behind-sticky-forwards',
    actions: ['ModifyTargetGroupAttributes'],
    source: guide('application', 'add-rule'),
    refuse: ({ parameters, world }) => {
      if (pairs(parameters, 'Attributes')['stickiness.enabled'] !== 'true') return undefined;
      const rule = looseRuleOf(world, text(parameters, 'TargetGroupArn') ?? '');
      if (rule === undefined) return undefined;
      const message =
        `This target group appears behind a rule with group stickiness disabled (${rule}). ` +
        'You must enable group stickiness before enabling target stickiness';
      return { code: 'InvalidConfigurationRequest', message };
    },
  },
  {
    name: 'tls-listener-not-sticky',
    actions: forwarding,
    source: guide('network', 'load-balancer-listeners'),
    refuse: (call) => {
      if (protocolOf(call) !== 'TLS' || !touchedActions(call).some(isSticky)) return undefined;
      const message = 'Target group stickiness is not supported on a listener with the TLS protocol';
      return { code: 'InvalidLoadBalancerAction', message };
    },
  },
  {
    name: 'one-protocol-behind-tls-listener',
    actions: forwarding,
    source: guide('network', 'load-balancer-listeners'),
    refuse: (call) =>
      firstOf(protocolOf(call) === 'TLS' ? touchedActions(call) : [], (action) => {
        const protocols = among(call, action, 'Protocol');
        if (protocols.length < 2) return undefined;
        const message = `All target groups of an action must use the same protocol, but got ${protocols.join(' and ')}`;
        return { code: 'IncompatibleProtocols', message };
      }),
  },
  {
    name: 'one-address-type-per-forward',
    actions: forwarding,
    source: guide('network', 'load-balancer-listeners'),
    refuse: (call) => {
      if (typeOf(call.world, loadBalancerArnOf(call.parameters) ?? '') !== 'network') return undefined;
      return firstOf(actionsOf(call.parameters), (action) => {
        const types = among(call, action, 'IpAddressType');
        if (types.length < 2) return undefined;
        const message = `All target groups of an action must use the same IP address type, but got ${types.join(' and ')}`;
        return { code: 'InvalidLoadBalancerAction', message };
      });
    },
  },
];

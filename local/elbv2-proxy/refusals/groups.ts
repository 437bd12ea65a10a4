import { type Fields, items, text } from '../protocol/fields.ts';
import { listenerOfRule, loadBalancerOfListener } from '../world/arns.ts';
import { groupsOf, usersOf } from '../world/world.ts';
import { loadBalancerArnOf, protocolOf, touchedActions, typeOf } from './listener-of.ts';
import { actionsOf, api, firstOf, forwarding, guide, type Judged, type Rule } from './refusal.ts';

const fits: Readonly<Record<string, readonly string[]>> = {
  HTTP: ['HTTP', 'HTTPS'],
  HTTPS: ['HTTP', 'HTTPS'],
  TCP: ['TCP', 'TCP_UDP', 'TCP_QUIC'],
  TLS: ['TCP', 'TLS'],
  UDP: ['UDP', 'TCP_UDP'],
  TCP_UDP: ['TCP_UDP'],
  QUIC: ['QUIC', 'TCP_QUIC'],
  TCP_QUIC: ['TCP_QUIC'],
};

function protocolFits(listener: string, group: Fields): boolean {
  if (text(group, 'TargetType') === 'lambda') return listener === 'HTTP' || listener === 'HTTPS';
  const protocol = text(group, 'Protocol');
  return protocol === undefined || (fits[listener] ?? [protocol]).includes(protocol);
}

function uniqueGroups({ action, parameters, world }: Judged, loadBalancer: string): ReadonlySet<string> {
  const replacedRule = action === 'ModifyRule' ? text(parameters, 'RuleArn') : undefined;
  const replacedListener = action === 'ModifyListener' ? text(parameters, 'ListenerArn') : undefined;
  const rules = [...world.rules].filter(
    ([arn, rule]) =>
      loadBalancerOfListener(listenerOfRule(arn)) === loadBalancer &&
      arn !== replacedRule &&
      !(listenerOfRule(arn) === replacedListener && text(rule, 'IsDefault') === 'true'),
  );
  return new Set([
    ...groupsOf(actionsOf(parameters)),
    ...rules.flatMap(([, rule]) => groupsOf(items(rule, 'Actions'))),
  ]);
}

/** What AWS refuses because of the target groups that a forward action names. */
export const groupRules: readonly Rule[] = [
  {
    name: 'group-exists',
    actions: forwarding,
    source: api('API_CreateRule'),
    refuse: ({ parameters, world }) =>
      firstOf(groupsOf(actionsOf(parameters)), (arn) =>
        world.targetGroups.has(arn)
          ? undefined
          : { code: 'TargetGroupNotFound', message: `Target group '${arn}' not found` },
      ),
  },
  {
    name: 'protocol-family',
    actions: forwarding,
    source: guide('network', 'load-balancer-listeners'),
    refuse: (call) => {
      const protocol = protocolOf(call);
      if (protocol === undefined) return undefined;
      return firstOf(groupsOf(touchedActions(call)), (arn) => {
        const group = call.world.targetGroups.get(arn);
        if (group === undefined || protocolFits(protocol, group)) return undefined;
        const got = text(group, 'Protocol') ?? text(group, 'TargetType') ?? '';
        return {
          code: 'IncompatibleProtocols',
          message: `Listener protocol '${protocol}' is not supported with a target group with protocol '${got}'`,
        };
      });
    },
  },
  {
    name: 'group-on-one-load-balancer',
    actions: forwarding,
    source: guide('application', 'load-balancer-limits'),
    refuse: ({ parameters, world }) => {
      const own = loadBalancerArnOf(parameters);
      const foreign = groupsOf(actionsOf(parameters)).filter((arn) =>
        [...usersOf(world, arn)].some((user) => user !== own),
      );
      if (foreign.length === 0) return undefined;
      return {
        code: 'TargetGroupAssociationLimit',
        message: `The following target groups cannot be associated with more than one load balancer: ${foreign.join(', ')}`,
      };
    },
  },
  {
    name: 'hundred-groups-per-load-balancer',
    actions: forwarding,
    source: guide('application', 'load-balancer-limits'),
    refuse: (call) => {
      const loadBalancer = loadBalancerArnOf(call.parameters) ?? '';
      const isOther =
        typeOf(call.world, loadBalancer) !== 'application' || actionsOf(call.parameters).length === 0;
      if (isOther || uniqueGroups(call, loadBalancer).size <= 100) return undefined;
      return {
        code: 'TooManyUniqueTargetGroupsPerLoadBalancer',
        message:
          'You have reached the maximum number of unique target groups that you can associate ' +
          "with a load balancer of type 'application': [100]",
      };
    },
  },
  {
    name: 'group-in-use',
    actions: ['DeleteTargetGroup'],
    source: api('API_DeleteTargetGroup'),
    refuse: ({ parameters, world }) => {
      const arn = text(parameters, 'TargetGroupArn') ?? '';
      if (usersOf(world, arn).size === 0) return undefined;
      return {
        code: 'ResourceInUse',
        message: `Target group '${arn}' is currently in use by a listener or a rule`,
      };
    },
  },
];

import { items, text } from '../protocol/fields.ts';
import { targetKey } from '../world/targets.ts';
import { groupsOf, rulesOf, usersOf, type World } from '../world/world.ts';
import { CROSS_ZONE } from './cross-zone.ts';
import { loadBalancerArnOf, typeOf } from './listener-of.ts';
import {
  actionsOf,
  api,
  firstOf,
  forwarding,
  guide,
  invalid,
  type Judged,
  type Refusal,
  type Rule,
} from './refusal.ts';

const PER_GROUP = 1000;

/** How many targets a load balancer takes: a Network Load Balancer fewer when it sends requests to other zones. */
function quotaOf(world: World, loadBalancer: string): number {
  if (typeOf(world, loadBalancer) !== 'network') return 1000;
  return world.attributes.get(loadBalancer)?.[CROSS_ZONE] === 'true' ? 500 : 3000;
}

const groupsBehind = (world: World, loadBalancer: string): readonly string[] =>
  [...world.listeners.keys()]
    .filter((listener) => listener.replace(':listener/', ':loadbalancer/').startsWith(`${loadBalancer}/`))
    .flatMap((listener) => rulesOf(world, listener))
    .flatMap((rule) => groupsOf(items(rule, 'Actions')));

/** Counts the targets of a group as they are after a registration. */
function countAfter({ action, parameters, world }: Judged, group: string): number {
  const keys = new Set(world.targets.get(group)?.keys());
  if (action === 'RegisterTargets' && text(parameters, 'TargetGroupArn') === group) {
    const settings = world.targetGroups.get(group) ?? {};
    for (const target of items(parameters, 'Targets')) keys.add(targetKey(settings, target));
  }
  return keys.size;
}

const tooMany = (message: string): Refusal => ({ code: 'TooManyTargets', message });

/** The load balancers to which a call brings targets. */
function balancersOf({ action, parameters, world }: Judged): readonly string[] {
  if (action === 'RegisterTargets') return [...usersOf(world, text(parameters, 'TargetGroupArn') ?? '')];
  const brought = groupsOf(actionsOf(parameters));
  return brought.length === 0 ? [] : [loadBalancerArnOf(parameters) ?? ''];
}

/** What AWS refuses because of how many targets there are, and where they are. */
export const targetQuotaRules: readonly Rule[] = [
  {
    name: 'zone-of-addresses',
    actions: ['RegisterTargets'],
    source: api('API_TargetDescription'),
    refuse: ({ parameters, world }) => {
      const type =
        text(world.targetGroups.get(text(parameters, 'TargetGroupArn') ?? '') ?? {}, 'TargetType') ?? '';
      if (type !== 'instance' && type !== 'alb') return undefined;
      return firstOf(items(parameters, 'Targets'), (target) =>
        text(target, 'AvailabilityZone') === undefined
          ? undefined
          : invalid(
              `You cannot specify an Availability Zone for targets of a target group of type '${type}'`,
            ),
      );
    },
  },
  {
    name: 'thousand-targets-per-group',
    actions: ['RegisterTargets'],
    source: guide('application', 'load-balancer-limits'),
    refuse: (call) =>
      countAfter(call, text(call.parameters, 'TargetGroupArn') ?? '') <= PER_GROUP
        ? undefined
        : tooMany(`The maximum number of targets per target group has been reached: '${PER_GROUP}'`),
  },
  {
    name: 'targets-per-load-balancer',
    actions: [...forwarding, 'RegisterTargets'],
    source: guide('network', 'load-balancer-limits'),
    refuse: (call) =>
      firstOf(balancersOf(call), (loadBalancer) => {
        const groups = new Set([
          ...groupsBehind(call.world, loadBalancer),
          ...groupsOf(actionsOf(call.parameters)),
        ]);
        const quota = quotaOf(call.world, loadBalancer);
        const count = [...groups].reduce((sum, group) => sum + countAfter(call, group), 0);
        if (count <= quota) return undefined;
        return tooMany(`The maximum number of targets per load balancer has been reached: '${quota}'`);
      }),
  },
];

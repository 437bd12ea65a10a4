import { forwardOf, isSticky, type World } from '../world/world.ts';
import { loadBalancerArnOf, typeOf } from './listener-of.ts';
import { actionsOf, firstOf, forwarding, guide, type Rule } from './refusal.ts';

/** The attribute of load balancers and target groups that lets a node send requests to other zones. */
export const CROSS_ZONE = 'load_balancing.cross_zone.enabled';

/** Whether requests to a group leave their zone: the group's own setting wins over that of its load balancer. */
function crossesZones(world: World, loadBalancer: string, group: string): boolean {
  const own = world.attributes.get(group)?.[CROSS_ZONE] ?? 'use_load_balancer_configuration';
  if (own === 'true' || own === 'false') return own === 'true';
  return world.attributes.get(loadBalancer)?.[CROSS_ZONE] === 'true';
}

/** What AWS refuses on Network Load Balancers whose nodes keep to their zone, as they do unless told otherwise. */
export const crossZoneRules: readonly Rule[] = [
  {
    name: 'sticky-forward-across-zones',
    actions: forwarding,
    source: guide('network', 'load-balancer-listeners'),
    refuse: ({ parameters, world }) => {
      const loadBalancer = loadBalancerArnOf(parameters) ?? '';
      if (typeOf(world, loadBalancer) !== 'network') return undefined;
      return firstOf(actionsOf(parameters).filter(isSticky), (action) => {
        const apart = forwardOf(action).find((one) => !crossesZones(world, loadBalancer, one.arn));
        if (apart === undefined) return undefined;
        const message = `Target group stickiness is not supported when cross-zone load balancing is off, as it is for target group '${apart.arn}'`;
        return { code: 'InvalidLoadBalancerAction', message };
      });
    },
  },
];

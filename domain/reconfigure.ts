import type { PresentCell } from './candidate.ts';
import type { Decision } from './decision.ts';
import { routeOf, sameRoute } from './load-balancer.ts';
import type { ObservedCell } from './observation.ts';

/** Changes all of the load balancer's configuration that the spec has changed, except the weights; undefined when nothing has. */
export function reconfigure(
  observed: ObservedCell,
  cell: PresentCell,
  version: string,
): Decision | undefined {
  const { served, serving, deletionPolicy = 'Retain' } = observed;
  const route = routeOf(cell.spec);
  if (route === undefined || serving === undefined) return undefined;
  const isOtherRoute = !sameRoute(route, serving);
  if (!isOtherRoute && deletionPolicy === (cell.spec.deletionPolicy ?? 'Retain')) return undefined;
  const message = isOtherRoute
    ? 'Changing the settings of the load balancer; the weights stay.'
    : 'Changing what becomes of the listener rule when the Cell is deleted; nothing changes at the load balancer.';
  return { do: 'Shift', purpose: 'Reconfigure', version, shares: served, urgent: false, message };
}

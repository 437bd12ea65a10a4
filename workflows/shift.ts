import { ApplicationFailure } from '@temporalio/common';
import type { PresentCell } from '../domain/versions/candidate.ts';
import { routeOf, type InspectedForwarding, type Route } from '../domain/load-balancers/load-balancer.ts';
import type { Decision, Shift } from '../domain/model/decision.ts';
import type { ObservedCell } from '../domain/model/observation.ts';
import type { CarriedOut } from '../domain/rollout/record/performed.ts';
import { shiftDone, shiftRequest } from '../domain/rollout/shift.ts';
import type { RolloutState } from '../domain/model/state.ts';
import type { Hands } from './hands.ts';
import type { Telling } from './report-cell.ts';

/** Looks at what a load balancer serves of which no object says so. */
export function inspect(
  { message }: Extract<Decision, { do: 'Inspect' }>,
  { observed: { key, selected }, cell }: { readonly observed: ObservedCell; readonly cell: PresentCell },
  hands: Hands,
): Promise<InspectedForwarding> {
  return hands.elbv2Reads(message).inspectLoadBalancer({
    key,
    route: requiredRoute(cell),
    selected: selected.map(({ name, arn }) => ({ name, arn })),
    adopt: cell.adopt === true,
  });
}

interface Shifting {
  readonly observed: ObservedCell;
  readonly cell: PresentCell;
  readonly state: RolloutState;
  readonly telling?: Telling | undefined;
}

/** Makes one write of weights, and takes up what was seen afterwards. */
export async function shift(
  decision: Shift,
  { observed, cell, state, telling }: Shifting,
  hands: Hands,
): Promise<CarriedOut> {
  const situation = { observed, cell, state, route: requiredRoute(cell) };
  const request = shiftRequest(decision, situation);
  const result = await hands
    .traffic(decision.message, decision.urgent)
    .shiftTraffic(telling === undefined ? request : { ...request, report: telling.report });
  if (result.told !== undefined) telling?.answered(result.told);
  return shiftDone(decision, request, result, situation);
}

function requiredRoute({ spec }: PresentCell): Route {
  const route = routeOf(spec);
  if (route !== undefined) return route;
  throw ApplicationFailure.nonRetryable('Expected a load balancer block, got none.', 'InvalidObject');
}

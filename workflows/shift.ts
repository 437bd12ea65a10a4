import { ApplicationFailure } from '@temporalio/workflow';
import type { ShiftRequest, ShiftResult } from '../activities/contract.ts';
import type { PresentCell } from '../domain/versions/candidate.ts';
import { withConnections } from '../domain/load-balancers/connections.ts';
import type { Decision } from '../domain/model/decision.ts';
import { routeOf, type Forwarding, type Route } from '../domain/load-balancers/load-balancer.ts';
import { withWritten } from '../domain/model/known.ts';
import type { ObservedCell } from '../domain/model/observation.ts';
import * as hold from '../domain/rollout/record-backoff.ts';
import * as record from '../domain/rollout/record.ts';
import { stableSet } from '../domain/versions/stable.ts';
import type { RolloutState } from '../domain/model/state.ts';
import { elbv2Reads, traffic } from './activities.ts';
import { postponed, type CarriedOut, type Performed, type Situation } from './performed.ts';

type Shift = Extract<Decision, { do: 'Shift' }>;

/** Looks at what a load balancer serves of which no object says so. */
export async function inspect(
  { message }: Extract<Decision, { do: 'Inspect' }>,
  { key, selected }: ObservedCell,
  cell: PresentCell,
): Promise<Performed['apply']> {
  const found = await elbv2Reads(message).inspectLoadBalancer({
    key,
    route: requiredRoute(cell),
    selected: selected.map(({ name, arn }) => ({ name, arn })),
    adopt: cell.adopt === true,
  });
  return (state) => record.inspected(state, found);
}

/** Makes one write of weights, and takes up what was seen afterwards. */
export async function shift(decision: Shift, situation: Situation, cell: PresentCell): Promise<CarriedOut> {
  const { observed, state } = situation;
  const request = requestOf(decision, observed, { cell, state: state() });
  const result = await traffic(decision.message, decision.urgent).shiftTraffic(request);
  const { sequence } = request;
  return numbered(sequence, takenUp(result, { decision, observed, cell, forwarding: request.forwarding }));
}

/** Remembers how many writes were made, since a look at the objects may be older than the last of them. */
const numbered = <Done extends Performed>(sequence: number, done: Done): Done => ({
  ...done,
  apply: (state) => ({ ...done.apply(state), sequence }),
});

/** The sequence of the next write: later than any that was seen or tried. */
export const nextSequence = ({ sequence }: ObservedCell, state: RolloutState): number =>
  Math.max(sequence, state.sequence ?? 0) + 1;

function requestOf(
  { shares, urgent, verify = false, purpose, requires }: Shift,
  observed: ObservedCell,
  { cell, state }: { readonly cell: PresentCell; readonly state: RolloutState },
): ShiftRequest {
  const { budget } = state;
  const keepsRoute = keepingRoute.has(purpose) && observed.observedForwarding !== undefined;
  const policy = keepsRoute ? observed.deletion?.policy : cell.spec.deletionPolicy;
  return {
    cell: { key: observed.key, uid: cell.uid },
    forwarding: keepsRoute
      ? keepingOf(observed.observedForwarding, shares)
      : { ...requiredRoute(cell), targetGroups: shares },
    deletionPolicy: policy ?? 'Retain',
    adopt: cell.adopt === true,
    sequence: nextSequence(observed, state),
    urgent,
    ...(urgent || keepsWeights.has(purpose) ? { takesBack: true } : {}),
    verify,
    ...(requires === undefined ? {} : { requires }),
    minHealthyTargets: cell.spec.minHealthyTargets,
    ...(budget?.urgent === urgent ? { ticket: budget.ticket } : {}),
  };
}

const keepsWeights: ReadonlySet<Shift['purpose']> = new Set(['Restore', 'Detach', 'TakeOut']);

/** What takes traffic back, or only confirms what is served, changes weights and nothing else; an edit of the rule comes afterwards. */
const keepingRoute: ReadonlySet<Shift['purpose']> = new Set(['TakeBack', 'Restore', 'Detach', 'TakeOut']);

/** The same route with other weights; what no spec says stays by not being asked for. */
function keepingOf(route: Route, targetGroups: Shift['shares']): Forwarding {
  if (route.type === 'AWSNetworkLoadBalancer')
    return { type: route.type, listenerARN: route.listenerARN, targetGroups };
  return { type: route.type, listenerARN: route.listenerARN, rule: route.rule, targetGroups };
}

function requiredRoute({ spec }: PresentCell): Route {
  const route = routeOf(spec);
  if (route !== undefined) return route;
  throw ApplicationFailure.nonRetryable('Expected a load balancer block, got none.', 'InvalidObject');
}

function takenUp(
  result: ShiftResult,
  made: {
    readonly decision: Shift;
    readonly observed: ObservedCell;
    readonly cell: PresentCell;
    readonly forwarding: Forwarding;
  },
): CarriedOut {
  const { decision, observed, cell, forwarding } = made;
  switch (result.is) {
    case 'NotYet':
      return postponed(result, decision.urgent);
    case 'Lacking':
      return {
        apply: (state) => hold.lacking(state, result, Date.now()),
        sight: 'Same',
        isDone: false,
      };
    case 'Served': {
      const from = stableSet(observed, cell)?.version;
      return {
        apply: (state) => {
          const now = Date.now();
          const shifted = record.shifted(state, decision, { from, left: cell.status, now });
          return withConnections(shifted, result.connections ?? [], now);
        },
        sight: { observed: result.observed ?? withWritten(observed, forwarding) },
        isDone: true,
      };
    }
  }
}

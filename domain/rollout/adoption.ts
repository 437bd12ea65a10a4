import type { Decision } from '../model/decision.ts';
import type { GuardInput } from '../gates/guard.ts';
import { describeRoute, routeOf, weightsText } from '../load-balancers/load-balancer.ts';
import type { ObservedCell } from '../model/observation.ts';
import type { WeightedTargetGroup } from '../model/target-group.ts';
import { stableSet, UNKNOWN_VERSION } from '../versions/stable.ts';
import { groupByVersion } from '../versions/version.ts';
import { servesSince } from './history.ts';
import { everythingTo, includes, MAX_TARGET_GROUPS, normalise } from '../load-balancers/weights.ts';

/**
 * Decides what to do when nothing is known to be served: look at the load balancer first, and take over what it
 * serves with the same weights. Undefined when there is nothing to take over, and nobody knows what served before.
 */
export function adopt(input: GuardInput): Decision | undefined {
  const { observed, cell, state } = input;
  if (observed.weighted.length > 0) return undefined;
  if (state.inspected === undefined) {
    const route = routeOf(cell.spec);
    const where = route === undefined ? 'the load balancer' : describeRoute(route);
    return { do: 'Inspect', message: `Looking at what ${where} serves, because no object says so.` };
  }
  const shares = taken(input);
  if (shares === undefined) return state.rollout === undefined ? restore(input) : undefined;
  const stable = stableSet({ ...observed, weighted: shares }, cell);
  return {
    do: 'Shift',
    purpose: 'Adopt',
    version: stable?.version ?? UNKNOWN_VERSION,
    shares,
    urgent: false,
    message: `Taking over what is served already, with the same weights: ${weightsText(shares)}.`,
  };
}

/** Gives everything to the version that served last, when that is known and nothing serves any more; newer ones take their steps. */
function restore({ observed, cell }: GuardInput): Decision | undefined {
  const { sets } = groupByVersion(observed.selected);
  // The status has forgotten it where it was told since that nothing serves.
  const { history, stableVersion = servesSince(history) } = cell.status;
  const last = sets.find((set) => set.version === stableVersion);
  if (last === undefined || last.groups.length > MAX_TARGET_GROUPS) return undefined;
  return {
    do: 'Shift',
    purpose: 'Install',
    version: last.version,
    shares: everythingTo(last.groups, []),
    urgent: true,
    message: `Installing ${last.version} again with the whole weight, because it served last and nothing serves any more.`,
  };
}

/** What was observed, with what a look at the load balancer has found where no object says what is served. */
export function withInspected(input: GuardInput): ObservedCell {
  const { observed } = input;
  return observed.weighted.length > 0 ? observed : { ...observed, weighted: taken(input) ?? [] };
}

/** The shares to take over; undefined when the load balancer serves nothing, or nothing of this Cell's. */
function taken({ observed, cell, state }: GuardInput): readonly WeightedTargetGroup[] | undefined {
  const { inspected, rollout } = state;
  if (inspected?.is !== 'Serving') return undefined;
  const ours = [
    ...observed.selected,
    ...(cell.status.targetGroups ?? []),
    ...(rollout === undefined ? [] : [...rollout.stable.groups, ...rollout.canary.groups]),
  ];
  const shares = normalise(inspected.targetGroups);
  return shares.some((share) => includes(ours, share)) ? shares : undefined;
}

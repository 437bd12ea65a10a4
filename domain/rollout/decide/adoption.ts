import type { Decision } from '../../model/decision.ts';
import type { GuardInput } from '../../gates/guard.ts';
import { describeRoute, routeOf, sameRoute, weightsText } from '../../load-balancers/load-balancer.ts';
import { groupByVersion } from '../../versions/version.ts';
import { stableSet, UNKNOWN_VERSION } from '../../versions/stable.ts';
import { servesSince } from '../report/history.ts';
import { everythingTo, MAX_TARGET_GROUPS } from '../../load-balancers/weights.ts';
import type { PresentCell } from '../../versions/candidate.ts';
import { gate } from '../../gates/gate.ts';
import type { ObservedCell } from '../../model/observation.ts';
import type { RolloutState } from '../../model/state.ts';

/** Changes all of the load balancer's configuration that the spec has changed, except the weights; undefined when nothing has. */
export function reconfigure(
  observed: ObservedCell,
  cell: PresentCell,
  version: string,
): Decision | undefined {
  const { weighted, observedForwarding, deletion } = observed;
  const route = routeOf(cell.spec);
  if (route === undefined || observedForwarding === undefined) return undefined;
  const isOtherRoute = !sameRoute(route, observedForwarding);
  if (!isOtherRoute && (deletion?.policy ?? 'Retain') === (cell.spec.deletionPolicy ?? 'Retain'))
    return undefined;
  const message = isOtherRoute
    ? 'Changing the settings of the load balancer; the weights stay.'
    : 'Recording the new spec.deletionPolicy; nothing changes at the load balancer.';
  return { do: 'Shift', purpose: 'Reconfiguring', version, shares: weighted, message };
}

/** Changes the load balancer's configuration as the spec has it, unless a gate holds that. */
export function editRule(input: GuardInput, version: string): Decision | undefined {
  const shift = reconfigure(input.observed, input.cell, version);
  return shift && gate(shift, input);
}

/** Whether nobody knows for sure what ELBv2 serves: something was asked for and is not confirmed, or someone else has changed it. */
export const isUnsure = (observed: ObservedCell, state: RolloutState): boolean =>
  observed.weighted.length > 0 && (!observed.isApplied || state.mayDiffer === true);

/** Asks for what was served last and reads whether it is, so that nothing that was asked for before comes later. */
export function restore(
  observed: ObservedCell,
  { mayDiffer: suspect }: RolloutState,
  version: string,
): Extract<Decision, { do: 'Shift' }> {
  const { weighted: shares, observedForwarding, isApplied } = observed;
  const shift = { do: 'Shift', version, shares } as const;
  if (observedForwarding === undefined)
    return {
      ...shift,
      purpose: 'Adopting',
      message: `Adopting what is served already, with the same weights: ${weightsText(shares)}.`,
    };
  return {
    ...shift,
    purpose: 'Restoring',
    message:
      isApplied && suspect === true
        ? 'Reading the load balancer, and reverting any drift.'
        : 'Restoring the configuration to what is served: its last change was not confirmed, or it was edited by hand.',
  };
}

/** Reads what the load balancer serves when no object says so, or may be older than that; what is found counts as served, with its weights. */
export function inspect({ observed, cell, state }: GuardInput): Decision | undefined {
  const { inspected, backoff } = state;
  const isOutdated = backoff?.reason === 'NoHealthyTargets' && isUnsure(observed, state);
  if (inspected !== undefined || (observed.weighted.length > 0 && !isOutdated)) return undefined;
  const route = routeOf(cell.spec);
  const where = route === undefined ? 'the load balancer' : describeRoute(route);
  const why = isOutdated ? 'the objects may be outdated' : 'no object reports it';
  return { do: 'Inspect', message: `Reading what ${where} serves, because ${why}.` };
}

/** Reads what is served where it could not be put back as the objects have it: nothing is decided by them any more. */
export const inspectDoubtful = (input: GuardInput): Decision | undefined =>
  input.observed.weighted.length > 0 ? inspect(input) : undefined;

/** Has an object say what the load balancer was found to serve, with the same weights, before anything else is decided by it. */
export function adopt({ observed, cell, state }: GuardInput): Decision | undefined {
  if (state.inspected?.is !== 'Serving' || observed.weighted.length === 0) return undefined;
  return restore(observed, state, stableSet(observed, cell)?.version ?? UNKNOWN_VERSION);
}

/** Gives all traffic to the version that served last, when that is known and nothing serves any more; newer ones take their steps. */
export function reinstall({ observed, cell }: GuardInput): Decision | undefined {
  const { sets } = groupByVersion(observed.selected);
  // The status has forgotten it where it was told since that nothing serves.
  const { history, stableVersion = servesSince(history) } = cell.status;
  const last = sets.find((set) => set.version === stableVersion);
  if (last === undefined || last.groups.length > MAX_TARGET_GROUPS) return undefined;
  return {
    do: 'Shift',
    purpose: 'Reinstalling',
    version: last.version,
    shares: everythingTo(last.groups, []),
    message: `Installing ${last.version} again with all traffic, because it served last and nothing serves now.`,
  };
}

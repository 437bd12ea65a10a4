import type { PresentCell } from '../../versions/candidate.ts';
import { gate } from '../../gates/gate.ts';
import type { GuardInput } from '../../gates/guard.ts';
import type { Decision } from '../../model/decision.ts';
import { routeOf, sameRoute, weightsText } from '../../load-balancers/load-balancer.ts';
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
  return { do: 'Shift', purpose: 'Reconfigure', version, shares: weighted, urgent: false, message };
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
  const shift = { do: 'Shift', version, shares, urgent: false } as const;
  if (observedForwarding === undefined)
    return {
      ...shift,
      purpose: 'Adopt',
      message: `Adopting what is served already, with the same weights: ${weightsText(shares)}.`,
    };
  return {
    ...shift,
    purpose: 'Restore',
    message:
      isApplied && suspect === true
        ? 'Reading the load balancer, and reverting any drift.'
        : 'Restoring the configuration to what is served: its last change was not confirmed, or it was edited by hand.',
  };
}

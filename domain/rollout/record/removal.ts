import { includes } from '../../load-balancers/weights.ts';
import { goesForward } from '../../gates/gate.ts';
import { noLaterThan, type Decision } from '../../model/decision.ts';
import type { ObservedCell } from '../../model/observation.ts';
import type { RolloutState } from '../../model/state.ts';
import type { SelectedTargetGroup, TargetGroup } from '../../model/target-group.ts';

/** What is known after a look: what is remembered, and what counts of the objects. */
export interface Known {
  readonly state: RolloutState;
  readonly observed: ObservedCell;
}

/** How long selected target groups have to be missing, without a change, until they count as removed, in milliseconds. */
const REMOVAL_MS = 10_000;

/**
 * Keeps target groups selected until they have been missing for ten seconds without a change: objects that are replaced, or
 * deleted one after another, are not removed one by one. A run without an earlier look keeps what serves by the status.
 */
export function debounceRemoval(
  { state: { removal, ...state }, observed }: Known,
  before: ObservedCell | undefined,
  now: number,
): Known {
  const missing = (before?.selected ?? servedBefore(observed)).filter(
    (group) => !includes(observed.selected, group),
  );
  if (observed.cell === undefined || missing.length === 0) return { state, observed };
  const targetGroups = missing.map(({ name, arn }) => ({ name, arn }));
  const isSame = arnsOf(removal?.targetGroups ?? []) === arnsOf(targetGroups);
  const until =
    removal !== undefined && isSame ? Math.min(removal.until, now + REMOVAL_MS) : now + REMOVAL_MS;
  if (until <= now) return { state, observed };
  return {
    state: { ...state, removal: { targetGroups, until } },
    observed: { ...observed, selected: [...observed.selected, ...missing] },
  };
}

const arnsOf = (groups: readonly TargetGroup[]): string =>
  groups
    .map(({ arn }) => arn)
    .toSorted()
    .join();

const servedBefore = ({ cell }: ObservedCell): readonly SelectedTargetGroup[] =>
  // What the status reports as gone does not return for ten seconds in each further run.
  cell === undefined || cell.status.reason === 'TargetGroupsGone'
    ? []
    : (cell.status.targetGroups ?? []).flatMap(({ name, arn, version, weight }) =>
        version === undefined || weight === 0 ? [] : [{ name, arn, version }],
      );

/** Lets nothing go forward, and no run close, before missing target groups are back or count as removed. */
export function awaitRemoval(decision: Decision, { removal }: RolloutState, now: number): Decision {
  if (removal === undefined || now >= removal.until) return decision;
  const { until, targetGroups } = removal;
  const isClosing = decision.do === 'Close';
  if (!isClosing && !goesForward(decision)) return noLaterThan(until, decision);
  const message = `No selected AWSTargetGroup names ${targetGroups.map(({ name }) => name).join(', ')} any more. Waiting until ${new Date(until).toISOString()} for it to return. Next: ${decision.message}`;
  return { do: 'Wait', for: 'Removal', until, message, ...(isClosing ? { settled: decision } : {}) };
}

import type { CellStatus } from '../../crds/cell.ts';
import { observedAfter, targetGroupsOf, type Forwarding } from '../load-balancers/load-balancer.ts';
import { normalise } from '../load-balancers/weights.ts';
import { withChange } from '../rollout/report/history.ts';
import type { ObservedCell } from './observation.ts';
import type { RolloutState } from './state.ts';

/** Adds to what was observed what has come of a rollout and is not written to the Cell's status yet. */
export function withKnown(observed: ObservedCell, state: RolloutState): ObservedCell {
  const { cell } = observed;
  if (cell === undefined) return observed;
  const { rollout, ...status } = cell.status;
  const { serves } = state;
  const over = serves !== undefined ? { stableVersion: serves } : rollout === undefined ? {} : { rollout };
  const known = { ...status, ...over, ...blockedOf(cell.status, state) };
  return withHistory({ ...observed, cell: { ...cell, status: known } }, state);
}

/** Puts the status that was written last in the place of the one that was seen before. */
export function withReported(
  observed: ObservedCell | undefined,
  status: CellStatus | undefined,
): ObservedCell | undefined {
  if (observed?.cell === undefined || status === undefined) return observed;
  const { resourceVersion: _older, ...cell } = observed.cell;
  return { ...observed, cell: { ...cell, status } };
}

/** Puts what the load balancer was found to serve in the place of what the objects say. */
export const withInspected = (observed: ObservedCell, { inspected }: RolloutState): ObservedCell =>
  inspected?.is === 'Serving'
    ? {
        ...observed,
        weighted: normalise(inspected.targetGroups),
        isApplied: observed.isApplied && observed.observedForwarding === undefined,
      }
    : observed;

/** Puts what was just written to the load balancer, and confirmed, in the place of what was seen before. */
export const withWritten = (observed: ObservedCell, forwarding: Forwarding): ObservedCell => ({
  ...observed,
  weighted: targetGroupsOf(forwarding),
  observedForwarding: observedAfter(forwarding, observed.observedForwarding),
  isApplied: true,
});

function blockedOf(
  { blockedVersions }: CellStatus,
  { justBlocked, unblocked }: RolloutState,
): Pick<CellStatus, 'blockedVersions'> {
  if (justBlocked === undefined && unblocked === undefined)
    return blockedVersions === undefined ? {} : { blockedVersions };
  const kept = unblocked === true ? [] : (blockedVersions ?? []);
  const others = kept.filter((one) => one.version !== justBlocked?.version);
  return { blockedVersions: justBlocked === undefined ? others : [...others, justBlocked] };
}

function withHistory(observed: ObservedCell, { justChanged }: RolloutState): ObservedCell {
  const { cell } = observed;
  if (cell === undefined) return observed;
  const history = withChange(cell.status.history, justChanged);
  return { ...observed, cell: { ...cell, status: { ...cell.status, history } } };
}

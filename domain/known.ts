import type { ObservedCell } from './observation.ts';
import type { RolloutState } from './state.ts';

/** Adds to what was observed what has come of a rollout and is not written to the Cell's status yet. */
export function withKnown(observed: ObservedCell, state: RolloutState): ObservedCell {
  const { cell } = observed;
  const { justBlocked, serves } = state;
  if (cell === undefined || serves === undefined) return observed;
  const { rollout: _over, ...status } = cell.status;
  const blocked = (status.blockedVersions ?? []).filter((one) => one.version !== justBlocked?.version);
  const blockedVersions = justBlocked === undefined ? blocked : [...blocked, justBlocked];
  return { ...observed, cell: { ...cell, status: { ...status, stableVersion: serves, blockedVersions } } };
}

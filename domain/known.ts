import { withChange } from './history.ts';
import type { ObservedCell } from './observation.ts';
import type { RolloutState } from './state.ts';

/** Adds to what was observed what has come of a rollout and is not written to the Cell's status yet. */
export function withKnown(observed: ObservedCell, state: RolloutState): ObservedCell {
  const { cell } = observed;
  const { justBlocked, serves, justChanged } = state;
  if (cell === undefined) return observed;
  if (serves === undefined) return justChanged === undefined ? observed : withHistory(observed, state);
  const { rollout: _over, ...status } = cell.status;
  const blocked = (status.blockedVersions ?? []).filter((one) => one.version !== justBlocked?.version);
  const blockedVersions = justBlocked === undefined ? blocked : [...blocked, justBlocked];
  const known = { ...status, stableVersion: serves, blockedVersions };
  return withHistory({ ...observed, cell: { ...cell, status: known } }, state);
}

function withHistory(observed: ObservedCell, { justChanged }: RolloutState): ObservedCell {
  const { cell } = observed;
  if (cell === undefined) return observed;
  const history = withChange(cell.status.history, justChanged);
  return { ...observed, cell: { ...cell, status: { ...cell.status, history } } };
}

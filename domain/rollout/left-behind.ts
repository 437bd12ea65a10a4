import type { CellStatus } from '../../crds/cell.ts';
import { changeOf, revertedAs } from './history.ts';
import type { RolloutState } from '../model/state.ts';

/** Records that a rollout was taken back which an earlier run has left behind, by what its status said; `version` serves. */
export function tookBackWhatWasLeft(
  state: RolloutState,
  { rollout, ...left }: CellStatus,
  { version, now }: { readonly version: string; readonly now: number },
): RolloutState {
  if (rollout === undefined || left.desiredVersion === undefined) return state;
  const justChanged = changeOf(state.requested, {
    version: left.desiredVersion,
    from: left.stableVersion,
    outcome: revertedAs(rollout.ending?.kind),
    message: rollout.ending?.message ?? 'It was left in the midst by a run that was lost.',
    startedAt: Date.parse(rollout.startedAt),
    endedAt: now,
  });
  // It is over, also where the Cell does not come to rest, because its spec is not valid.
  return { ...withoutLateRequests(state), justChanged, serves: version };
}

/** Forgets what was asked of a rollout that an earlier run has left behind and that is over: it is not for the next one. */
export function withoutLateRequests(state: RolloutState): RolloutState {
  const { abort, paused, ...requests } = state.requests;
  if (abort === undefined && paused === undefined) return state;
  return { ...state, requests };
}

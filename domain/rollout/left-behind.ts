import type { Ending } from '../model/decision.ts';
import { abortedBy } from '../model/ending.ts';
import type { RolloutState } from '../model/state.ts';
import type { PresentCell } from '../versions/candidate.ts';
import { blockedBy } from './blocked.ts';
import { changeOf, revertedAs } from './history.ts';

/** Records that a rollout was taken back which an earlier run has left behind, by what its status said; `version` serves. */
export function tookBackWhatWasLeft(
  state: RolloutState,
  cell: PresentCell,
  { version, now }: { readonly version: string; readonly now: number },
): RolloutState {
  const { rollout, ...left } = cell.status;
  if (rollout === undefined || left.desiredVersion === undefined || goesBackYet(state, cell, version))
    return state;
  const ending = rollout.ending ?? abortOf(state, cell, now);
  const justChanged = changeOf(state.requested, {
    version: left.desiredVersion,
    from: left.stableVersion,
    outcome: revertedAs(ending?.kind),
    message: ending?.message ?? 'It was left in the midst by a run that was lost.',
    startedAt: Date.parse(rollout.startedAt),
    endedAt: now,
  });
  // It is over, also where the Cell does not come to rest, because its spec is not valid.
  return { ...withoutLeft(state, cell, now), justChanged, serves: version };
}

/**
 * Records that what an earlier run has left behind is over: what was asked of it is not for the next rollout. An abort that
 * has come while it was being taken back, or something else took its place, blocks its version all the same.
 */
export function withoutLeft(state: RolloutState, cell: PresentCell, now: number): RolloutState {
  const { desiredVersion } = cell.status;
  const aborted = abortOf(state, cell, now);
  const { abort: _abort, paused: _paused, ...requests } = state.requests;
  return aborted === undefined || desiredVersion === undefined
    ? { ...state, requests }
    : { ...state, requests, justBlocked: blockedBy(aborted, desiredVersion, cell) };
}

/** Whether everything was given to a version that someone has aborted meanwhile: what was left is not over before that goes back. */
export const goesBackYet = (state: RolloutState, cell: PresentCell, version: string): boolean =>
  version === cell.status.desiredVersion && abortOf(state, cell, 0) !== undefined;

/** How what was left ends by an abort; undefined where nobody has asked for one, or it has ended before. */
const abortOf = (
  { requests: { abort } }: RolloutState,
  { status: { rollout } }: PresentCell,
  now: number,
): Ending | undefined =>
  abort === undefined || rollout === undefined || rollout.ending !== undefined
    ? undefined
    : abortedBy(abort, now);

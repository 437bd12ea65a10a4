import type { Decision, Ending } from '../../model/decision.ts';
import type { RolloutState, BlockedVersion } from '../../model/state.ts';
import { type PresentCell, isPinned } from '../../versions/candidate.ts';
import { changeOf, revertedAs } from '../report/history.ts';
import { inRollout, withoutBackoff } from './record.ts';
import { cut } from '../../text.ts';

/** The longest text of a cause in the status (crds/cell-status.ts). */
const LONGEST_CAUSE = 2_048;

/** A version that is blocked by the end of its rollout. */
export const blockedBy = ({ message, at }: Ending, version: string, cell: PresentCell): BlockedVersion => ({
  version,
  cause: cut(message, LONGEST_CAUSE),
  time: new Date(at).toISOString(),
  observedGeneration: cell.generation,
  ...(isPinned(version, cell) ? { pinned: true } : {}),
});

/** Records that the rollout ends before its last step, and why; a version that failed is blocked from here on. */
export function recordEnding(
  state: RolloutState,
  { ending: end }: Extract<Decision, { do: 'End' }>,
  cell: PresentCell,
): RolloutState {
  const { health: _old, ...rest } = withoutBackoff(state);
  const { rollout } = rest;
  const ended = inRollout(rest, (one) => ({ ...one, ending: end }));
  if (rollout === undefined || end.kind !== 'Failed') return ended;
  return { ...ended, justBlocked: blockedBy(end, rollout.canary.version, cell) };
}

/** Records that everything is back at the stable side. */
export function recordConclusion(state: RolloutState, now: number): RolloutState {
  const { rollout, health: _old, requested: _told, stuckBefore: _over, ...rest } = withoutBackoff(state);
  if (rollout === undefined) return { ...rest, requests: {} };
  const justChanged = changeOf(state.requested, {
    version: rollout.canary.version,
    from: rollout.stable.version,
    outcome: revertedAs(rollout.ending?.kind),
    message: rollout.ending?.message ?? '',
    startedAt: rollout.startedAt,
    endedAt: now,
  });
  return { ...rest, requests: {}, serves: rollout.stable.version, justChanged };
}

/** Records that the canary has become what serves. */
export function recordFinish(state: RolloutState, now: number): RolloutState {
  const { rollout, requested: _told, stuckBefore: _over, ...rest } = withoutBackoff(state);
  if (rollout === undefined) return { ...rest, requests: {} };
  const justChanged = changeOf(state.requested, {
    version: rollout.canary.version,
    from: rollout.stable.version,
    outcome: 'Completed',
    message: `${rollout.canary.version} serves all traffic.`,
    startedAt: rollout.startedAt,
    endedAt: now,
  });
  return { ...rest, requests: {}, serves: rollout.canary.version, justChanged };
}

import type { PresentCell } from '../versions/candidate.ts';
import { type Decision, standsStill } from '../model/decision.ts';
import { parseDuration } from '../duration.ts';
import type { Rollout } from '../model/state.ts';

/** When a rollout has taken too long, in milliseconds since the epoch; undefined: never, or not while it stands still. */
export function deadlineOf(rollout: Rollout, cell: PresentCell): number | undefined {
  const { progressDeadline } = cell.spec;
  if (progressDeadline === undefined || rollout.deadlinePausedSince !== undefined) return undefined;
  if (rollout.progress.is === 'Baking') return undefined;
  return rollout.startedAt + (rollout.deadlinePausedMs ?? 0) + parseDuration(progressDeadline) * 1000;
}

/** Keeps the time of a rollout: what it stands still from now on, or has stood still until now, does not count. */
export function recordElapsed(rollout: Rollout, decision: Decision, now: number): Rollout {
  const { deadlinePausedSince: stillSince, ...going } = rollout;
  if (standsStill(decision))
    return stillSince === undefined ? { ...rollout, deadlinePausedSince: now } : rollout;
  return stillSince === undefined
    ? rollout
    : { ...going, deadlinePausedMs: (rollout.deadlinePausedMs ?? 0) + Math.max(0, now - stillSince) };
}

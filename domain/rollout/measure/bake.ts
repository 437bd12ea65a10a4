import type { AnalysisStep } from '../../../crds/cell.ts';
import { parseDuration } from '../../duration.ts';
import type { GuardInput } from '../../gates/guard.ts';
import type { Progress, Rollout } from '../../model/state.ts';

export type BakeProgress = Extract<Progress, { is: 'Baking' }>;

/** When a bake is over; its analysis watches for the whole duration, however late it could be started. */
export const bakeEndsAt = (
  { since, watchedSince = since }: BakeProgress,
  duration: number | string,
): number => watchedSince + parseDuration(duration) * 1000;

/** Whether someone has ended a bake before its time, by a request or by removing it from the spec. */
export function isBakeEnded(
  { progress }: Rollout,
  { cell, state }: Pick<GuardInput, 'cell' | 'state'>,
): boolean {
  if (progress.is !== 'Baking') return false;
  const { promote, promoteFull } = state.requests;
  // A promoteFull of before was about the steps; one that begins the bake at once has come in the same millisecond.
  const isAsked = promote !== undefined || (promoteFull !== undefined && promoteFull.at > progress.since);
  return isAsked || cell.spec.updateStrategy?.bake === undefined;
}

/** What is to be analysed in a bake; undefined when nothing is, or not any more. */
export function bakeAnalysisOf(rollout: Rollout, input: GuardInput): AnalysisStep | undefined {
  const { progress, background } = rollout;
  const bake = input.cell.spec.updateStrategy?.bake;
  if (progress.is !== 'Baking' || bake === undefined || isBakeEnded(rollout, input)) return undefined;
  const isTimeOver = progress.watchedSince !== undefined && input.now >= bakeEndsAt(progress, bake.duration);
  // One that has watched for the whole time was ended.
  return isTimeOver && background === undefined ? undefined : bake.analysis;
}

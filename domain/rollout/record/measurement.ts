import {
  isFinished,
  isSettled,
  isUnsuccessful,
  type AnalysisVerdict,
  type Measuring,
} from '../measure/analysis.ts';
import type { FollowMeasurement, StartMeasurement } from '../../model/decision.ts';
import { isStepHeld, withoutPromote } from '../../model/measure-again.ts';
import { inRollout, withoutBackoff } from './record.ts';
import { omit } from '../../model/fields.ts';
import type { Rollout, RolloutState } from '../../model/state.ts';

type Starting = Pick<StartMeasurement, 'do' | 'kind' | 'background'>;
type Following = Pick<FollowMeasurement, 'do' | 'kind' | 'background' | 'name'>;

/** Records how far a measurement has come, and reads it again if it has ended; an answer that nobody waits for tells nothing. */
export function recordVerdict(
  state: RolloutState,
  decision: Starting | Following,
  verdict: AnalysisVerdict,
  now: number,
): RolloutState {
  const { background: prefix, kind } = decision;
  const known = withoutBackoffOf(decision, state);
  if (decision.do !== 'StartMeasurement' && !isAwaited(decision, state.rollout)) return known;
  const { readAt, rest: read } = readTimeOf(known, verdict, now);
  // A promote of before was about what still measured, and not about how it has failed.
  const holds = prefix === undefined && isUnsuccessful(verdict.phase);
  const heldBefore = state.rollout !== undefined && isStepHeld(state.rollout);
  const rest = holds && !heldBefore ? withoutPromote(read) : read;
  return inRollout(rest, (rollout) => {
    const { progress, background } = rollout;
    if (prefix === undefined) {
      const { startedAt, reads } = progress.is === 'Measuring' ? progress : { startedAt: now, reads: -1 };
      return {
        ...rollout,
        progress: { is: 'Measuring', kind, verdict, startedAt, readAt, reads: reads + 1 },
      };
    }
    if (decision.do === 'StartMeasurement')
      return {
        ...rollout,
        background: { prefix, verdict, startedAt: now, readAt, reads: 0 },
        ...(progress.is === 'Baking' ? { progress: { ...progress, watchedSince: now } } : {}),
      };
    if (background === undefined) return rollout;
    const { decidedBy, ...same } = background;
    const isSame = decidedBy !== undefined && verdict.phase === background.verdict.phase;
    return {
      ...rollout,
      background: { ...same, verdict, readAt, reads: background.reads + 1, ...(isSame ? { decidedBy } : {}) },
    };
  });
}

const isAwaited = ({ background: prefix, name }: Following, rollout: Rollout | undefined): boolean => {
  const { progress, background } = rollout ?? {};
  if (prefix !== undefined) return background?.verdict.name === name;
  return progress?.is === 'Measuring' && progress.verdict.name === name;
};

/** Records that nobody waits any more for what measured; a verdict that a background had come to before counts. */
export function recordTermination(
  state: RolloutState,
  decision: Following,
  verdict: AnalysisVerdict | undefined,
  now: number,
): RolloutState {
  const rest = withoutBackoffOf(decision, state);
  if (decision.background === undefined)
    return inRollout(rest, (rollout) => ({ ...rollout, progress: { is: 'Ready' } }));
  if (verdict !== undefined && isFinished(verdict.phase))
    return recordVerdict(rest, { ...decision, do: 'ReadMeasurement' }, verdict, now);
  return inRollout(rest, ({ background: _ended, progress, ...rollout }) => {
    const isOfBake = progress.is === 'Baking' && decision.background === 'bake';
    return {
      ...rollout,
      progress: isOfBake ? { ...progress, watchedSince: progress.watchedSince ?? progress.since } : progress,
    };
  });
}

/** Records that someone continues without a verdict from the background; the request is answered thereby. */
export function recordWaiver(state: RolloutState): RolloutState {
  return inRollout(withoutPromote(state), (rollout) =>
    rollout.background === undefined
      ? rollout
      : { ...rollout, background: { ...rollout.background, waived: true } },
  );
}

/** Records that something that measures has ended: what is waited for is read at once, or as soon as it was started. */
export function markVerdictDue(state: RolloutState): RolloutState {
  return inRollout({ ...state, verdictAwaits: true }, (rollout) => {
    const { progress, background } = rollout;
    return {
      ...rollout,
      ...(progress.is === 'Measuring' ? { progress: toRead(progress) } : {}),
      ...(background === undefined ? {} : { background: toRead(background) }),
    };
  });
}

/** Whether the analysis in the background may have ended, and was not read since. */
export const isBackgroundDue = ({ rollout }: RolloutState): boolean =>
  rollout?.background?.readAt === 0 && !isSettled(rollout.background.verdict.phase);

const toRead = <One extends Measuring>(one: One): One =>
  isSettled(one.verdict.phase) ? one : { ...one, readAt: 0 };

function readTimeOf(
  { verdictAwaits, ...rest }: RolloutState,
  verdict: AnalysisVerdict,
  now: number,
): { readonly readAt: number; readonly rest: RolloutState } {
  const readAt = verdictAwaits === true && !isSettled(verdict.phase) ? 0 : now;
  return { readAt, rest: { ...rest, hasMeasured: true } };
}

// What holds the step holds on while the background is attended to.
function withoutBackoffOf(
  { do: during, background }: Starting | Following,
  state: RolloutState,
): RolloutState {
  const { backoff } = state;
  const isOfStep = background === undefined;
  const isOfBackground = backoff?.background === true && backoff.during === during;
  return isOfStep || isOfBackground ? withoutBackoff(state) : state;
}

/** Records that no more AnalysisRuns and Experiments are left than are kept. */
export const recordPruned = (state: RolloutState): RolloutState => omit(state, 'hasMeasured', 'backoff');

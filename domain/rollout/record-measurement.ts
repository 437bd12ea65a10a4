import { isFinished, isSettled, type AnalysisVerdict, type Measuring } from './analysis.ts';
import type { Decision } from '../model/decision.ts';
import type { BackgroundPrefix } from '../model/ids.ts';
import { inRollout, withoutBackoff } from './record.ts';
import type { RolloutState } from '../model/state.ts';

/** Records how far the analysis of the current step has come; one that has ended meanwhile is read again at once. */
export function analysed(state: RolloutState, verdict: AnalysisVerdict, now: number): RolloutState {
  const { readAt, rest } = reading(withoutBackoff(state), verdict, now);
  return inRollout(rest, (rollout) => {
    const { progress } = rollout;
    const reads = progress.is === 'Analyzing' ? progress.reads + 1 : 0;
    return { ...rollout, progress: { is: 'Analyzing', verdict, readAt, reads } };
  });
}

/** Records how far the experiment of the current step has come; one that has ended meanwhile is read again at once. */
export function experimented(state: RolloutState, verdict: AnalysisVerdict, now: number): RolloutState {
  const { readAt, rest } = reading(withoutBackoff(state), verdict, now);
  return inRollout(rest, (rollout) => {
    const { progress } = rollout;
    const reads = progress.is === 'Experimenting' ? progress.reads + 1 : 0;
    return { ...rollout, progress: { is: 'Experimenting', verdict, readAt, reads } };
  });
}

/** Records that nobody waits for the analysis or experiment of the current step any more. */
export function measurementEnded(state: RolloutState): RolloutState {
  return inRollout(withoutBackoff(state), (rollout) => ({ ...rollout, progress: { is: 'Ready' } }));
}

/** Records that the analysis in the background was started. */
export function backgroundStarted(
  state: RolloutState,
  started: { readonly prefix: BackgroundPrefix; readonly verdict: AnalysisVerdict },
  now: number,
): RolloutState {
  const { readAt, rest } = reading(withoutHoldOf('StartBackground', state), started.verdict, now);
  return inRollout(rest, (rollout) => ({ ...rollout, background: { ...started, readAt, reads: 0 } }));
}

/** Records how far the analysis in the background has come; one that has ended meanwhile is read again at once. */
export function backgroundRead(state: RolloutState, verdict: AnalysisVerdict, now: number): RolloutState {
  const { readAt, rest } = reading(withoutHoldOf('ReadBackground', state), verdict, now);
  return inRollout(rest, (rollout) => {
    const { background } = rollout;
    if (background === undefined) return rollout;
    return { ...rollout, background: { ...background, verdict, readAt, reads: background.reads + 1 } };
  });
}

/** Records that the analysis in the background was ended; a verdict that it had come to before counts. */
export function backgroundEnded(state: RolloutState, verdict: AnalysisVerdict, now: number): RolloutState {
  const rest = withoutHoldOf('EndBackground', state);
  if (isFinished(verdict.phase)) return backgroundRead(rest, verdict, now);
  return inRollout(rest, ({ background: _ended, ...rollout }) => rollout);
}

/** Records that someone goes on without a verdict from the background; the request is answered thereby. */
export function backgroundWaived(state: RolloutState): RolloutState {
  const { promote: _answered, ...requests } = state.requests;
  return inRollout({ ...state, requests }, (rollout) =>
    rollout.background === undefined
      ? rollout
      : { ...rollout, background: { ...rollout.background, waived: true } },
  );
}

/** Records that something that measures has ended: what is waited for is read at once, or as soon as it was started. */
export function verdictExpected(state: RolloutState): RolloutState {
  return inRollout({ ...state, verdictAwaits: true }, (rollout) => {
    const { progress, background } = rollout;
    const isMeasured = progress.is === 'Analyzing' || progress.is === 'Experimenting';
    return {
      ...rollout,
      ...(isMeasured ? { progress: toRead(progress) } : {}),
      ...(background === undefined ? {} : { background: toRead(background) }),
    };
  });
}

/** Whether the analysis in the background may have ended, and was not read since. */
export const isBackgroundDue = ({ rollout }: RolloutState): boolean =>
  rollout?.background?.readAt === 0 && !isSettled(rollout.background.verdict.phase);

const toRead = <One extends Measuring>(one: One): One =>
  isSettled(one.verdict.phase) ? one : { ...one, readAt: 0 };

function reading(
  { verdictAwaits, ...rest }: RolloutState,
  verdict: AnalysisVerdict,
  now: number,
): { readonly readAt: number; readonly rest: RolloutState } {
  const readAt = verdictAwaits === true && !isSettled(verdict.phase) ? 0 : now;
  return { readAt, rest: { ...rest, hasMeasured: true } };
}

// What holds the step holds on while the background is attended to.
const withoutHoldOf = (during: Decision['do'], state: RolloutState): RolloutState =>
  state.backoff?.during === during ? withoutBackoff(state) : state;

/** Records that no more AnalysisRuns and Experiments are left than are kept. */
export function pruned(state: RolloutState): RolloutState {
  const { hasMeasured: _told, ...rest } = state;
  return rest;
}

import { isOverdue, isUnsuccessful } from '../rollout/measure/analysis.ts';
import type { Requests, Stamp } from './request.ts';
import { omit } from './fields.ts';
import type { Progress, Rollout, RolloutState } from './state.ts';

/** Whether a rollout is held by what its step has measured without success. */
export const isStepHeld = ({ progress }: Rollout): boolean =>
  progress.is === 'Measuring' && isUnsuccessful(progress.verdict.phase);

/** Whether a rollout is held by what measures in its background: it came to no success, or has not begun in time. */
export const isBackgroundHeld = (rollout: Rollout): boolean =>
  isBackgroundWithoutSuccess(rollout) ||
  (rollout.background !== undefined && rollout.background.waived !== true && isOverdue(rollout.background));

const isBackgroundWithoutSuccess = ({ background }: Rollout): boolean =>
  background !== undefined && background.waived !== true && isUnsuccessful(background.verdict.phase);

/** Whether a rollout is held by something that has measured without success. */
export const isHeldByVerdict = (rollout: Rollout): boolean =>
  rollout.ending === undefined && (isStepHeld(rollout) || isBackgroundWithoutSuccess(rollout));

/** Remembers who continues without what holds a rollout in its background; nobody has decided about a verdict that comes later. */
export function decidingOnBackground(state: RolloutState, { by }: Stamp): RolloutState {
  const { rollout } = state;
  if (rollout?.background === undefined || !isBackgroundHeld(rollout)) return state;
  return { ...state, rollout: { ...rollout, background: { ...rollout.background, decidedBy: by } } };
}

/** Whether steps are left that a rollout goes through; an analysis in their background is started only as long as there are. */
export const stepsGoOn = ({ index, steps }: Rollout, { promoteFull }: Requests): boolean =>
  index < steps.length && promoteFull === undefined;

/** Whether what has measured in the background would be started again, once its verdict is forgotten. */
export const isBackgroundRepeatable = (rollout: Rollout, requests: Requests): boolean =>
  rollout.background?.prefix === 'bake' || stepsGoOn(rollout, requests);

/** Whether a rollout is held by something that can be measured again. */
export const canMeasureAgain = ({ rollout, requests }: RolloutState): boolean =>
  rollout !== undefined &&
  rollout.ending === undefined &&
  (isStepHeld(rollout) || (isBackgroundWithoutSuccess(rollout) && isBackgroundRepeatable(rollout, requests)));

/** Forgets what has measured without success, and a promote about it, so that it starts anew; a verdict that nothing replaces stays. */
export function measuringAgain(state: RolloutState): RolloutState {
  const { rollout } = state;
  if (rollout === undefined || !canMeasureAgain(state)) return state;
  const { background, progress, ...rest } = rollout;
  const isForgotten = isBackgroundWithoutSuccess(rollout) && isBackgroundRepeatable(rollout, state.requests);
  return {
    ...(background?.decidedBy === undefined ? state : withoutPromote(state)),
    rollout: {
      ...rest,
      edition: (rollout.edition ?? 0) + 1,
      progress: isStepHeld(rollout) ? { is: 'Ready' } : isForgotten ? unwatched(progress) : progress,
      ...(background === undefined || isForgotten ? {} : { background }),
    },
  };
}

/** A bake lasts for its whole duration from when its analysis is started again. */
const unwatched = (progress: Progress): Progress =>
  progress.is === 'Baking' ? omit(progress, 'watchedSince') : progress;

/** Forgets a request to promote: it was about what is over. */
export const withoutPromote = (state: RolloutState): RolloutState => ({
  ...state,
  requests: omit(state.requests, 'promote'),
});

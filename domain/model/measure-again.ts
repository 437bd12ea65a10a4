import { isFinished, type AnalysisVerdict } from '../rollout/analysis.ts';
import type { Rollout, RolloutState } from './state.ts';

const isWithoutSuccess = ({ phase }: AnalysisVerdict): boolean => isFinished(phase) && phase !== 'Successful';

const isStepHeld = ({ progress }: Rollout): boolean =>
  progress.is === 'Measuring' && isWithoutSuccess(progress.verdict);

/** Whether a rollout is held by what has measured in its background without success. */
export const isBackgroundHeld = ({ background }: Rollout): boolean =>
  background !== undefined && background.waived !== true && isWithoutSuccess(background.verdict);

/** Whether a rollout is held by something that has measured without success. */
export const isHeldByVerdict = (rollout: Rollout): boolean =>
  rollout.ending === undefined && (isStepHeld(rollout) || isBackgroundHeld(rollout));

/** Forgets what has measured without success, so that it is started again, under another name. */
export function measuringAgain(state: RolloutState): RolloutState {
  const { rollout } = state;
  if (rollout === undefined || !isHeldByVerdict(rollout)) return state;
  const { background, ...rest } = rollout;
  return {
    ...state,
    rollout: {
      ...rest,
      edition: (rollout.edition ?? 0) + 1,
      ...(isStepHeld(rollout) ? { progress: { is: 'Ready' } } : {}),
      ...(background === undefined || isBackgroundHeld(rollout) ? {} : { background }),
    },
  };
}

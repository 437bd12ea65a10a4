import type { Measurement } from '../../model/decision.ts';
import { stepsGoOn } from '../../model/measure-again.ts';
import type { RolloutState } from '../../model/state.ts';
import type { AnalysisVerdict } from './analysis.ts';

/** A verdict as it was read. */
export interface ReadVerdict extends AnalysisVerdict {
  /** Whether someone has asked for the end of what measures. */
  readonly ended?: true;
}

/** Says of a verdict whether someone has asked for the end of what has come to it. */
export const readOf = (verdict: AnalysisVerdict, spec: { readonly terminate?: boolean } = {}): ReadVerdict =>
  spec.terminate === true ? { ...verdict, ended: true } : verdict;

/**
 * The verdict that counts. Argo Rollouts calls successful what was ended early, whatever it has measured; where its verdict
 * is waited for all the same, as when the answer to that end was lost and it is wanted again, a person decides.
 */
export function counted(
  { ended, ...verdict }: ReadVerdict,
  decision: Pick<Measurement, 'background'>,
  state: RolloutState,
): AnalysisVerdict {
  if (ended !== true || verdict.phase !== 'Successful' || !isAwaited(decision, state)) return verdict;
  return saysNothing(verdict);
}

/** The verdict of what was ended early, and is called successful for that. */
export const saysNothing = (verdict: AnalysisVerdict): AnalysisVerdict => ({
  ...verdict,
  phase: 'Inconclusive',
  message: 'It was terminated early, so its success does not count.',
});

/** Whether there is anything left that a verdict lets go on; what watches until then is ended when it is over. */
function isAwaited(
  { background }: Pick<Measurement, 'background'>,
  { rollout, requests }: RolloutState,
): boolean {
  if (background === undefined) return true;
  return background === 'bg' && rollout !== undefined && stepsGoOn(rollout, requests);
}

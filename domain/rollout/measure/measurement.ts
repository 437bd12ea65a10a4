import { isFinished, judge, type AnalysisVerdict, measurementKinds, NOT_MEASURED } from './analysis.ts';
import {
  type Decision,
  type StartMeasurement,
  fail,
  type Measurement,
  type Wait,
} from '../../model/decision.ts';
import type { GuardInput } from '../../gates/guard.ts';
import { analysisRunName, checkRunName, experimentName, jobName } from '../../model/ids.ts';
import type { Progress, Rollout, RolloutState } from '../../model/state.ts';
import { advance } from '../../steps/step.ts';
import { stepsGoOn } from '../../model/measure-again.ts';

/** A verdict as it was read. */
export interface ReadVerdict extends AnalysisVerdict {
  readonly ended?: true;
}

/** Says of a verdict whether someone has asked for the end of what has come to it. */
export const markEnded = (
  verdict: AnalysisVerdict,
  spec: { readonly terminate?: boolean } = {},
): ReadVerdict => (spec.terminate === true ? { ...verdict, ended: true } : verdict);

/** The verdict that counts; a success that was ended early, as Argo Rollouts calls it, is left to a person. */
export function countVerdict(
  { ended, ...verdict }: ReadVerdict,
  decision: Pick<Measurement, 'background'>,
  state: RolloutState,
): AnalysisVerdict {
  if (ended !== true || verdict.phase !== 'Successful' || !isAwaited(decision, state)) return verdict;
  return withoutSuccess(verdict);
}

/** The verdict of what was ended early, and is called successful for that. */
export const withoutSuccess = (verdict: AnalysisVerdict): AnalysisVerdict => ({
  ...verdict,
  phase: 'Inconclusive',
  message: 'It was terminated early, so its success does not count.',
});

/** Whether there is anything left that a verdict lets continue; what watches until then is ended when it is over. */
function isAwaited(
  { background }: Pick<Measurement, 'background'>,
  { rollout, requests }: RolloutState,
): boolean {
  if (background === undefined) return true;
  return background === 'bg' && rollout !== undefined && stepsGoOn(rollout, requests);
}

/** The longest time for which a verdict is not read when nothing is heard of it, in milliseconds. */
const LONGEST_READ_MS = 10 * 60_000;

/** What comes of how far the analysis or experiment of the step has come; undefined when nothing measures. */
export const verdictSoFar = (rollout: Rollout, input: GuardInput): Decision | undefined =>
  rollout.progress.is === 'Measuring' ? verdictOn(rollout.progress, rollout, input) : undefined;

type MeasuringProgress = Extract<Progress, { is: 'Measuring' }>;

/** Continues, fails or waits by how far the analysis or experiment of the step has come. */
export function verdictOn(progress: MeasuringProgress, rollout: Rollout, input: GuardInput): Decision {
  const { kind } = progress;
  const judgement = judge(kind, progress, LONGEST_READ_MS);
  const { name } = progress.verdict;
  switch (judgement.is) {
    case 'Passed':
      return advance(rollout, judgement.message);
    case 'Failed': {
      const { failed } = measurementKinds[kind];
      return holdsOnFailure(input)
        ? holdForVerdict(failed, judgement.message)
        : fail(failed, judgement.message, input.now);
    }
    case 'Undecided':
      return {
        do: 'Wait',
        for: 'Verdict',
        message: `${judgement.message} ${describeChoices(true, 'promote to continue')}`,
      };
    case 'Measuring': {
      const { readAgainAt: until, notBegun } = judgement;
      if (input.now >= until)
        return { do: 'ReadMeasurement', kind, name, message: `Reading ${kind} ${name}.` };
      const { waits } = measurementKinds[kind];
      return notBegun === undefined
        ? { do: 'Wait', for: waits, until, message: `Waiting for ${kind} ${name}.` }
        : holdUntilBegun(waits, notBegun, until);
    }
  }
}

/** Asks for the end of an analysis or experiment that nobody waits for any more; undefined when there is none. */
export function endMeasurement(progress: Progress): Decision | undefined {
  if (progress.is !== 'Measuring') return undefined;
  const { kind } = progress;
  const { name, phase } = progress.verdict;
  if (isFinished(phase)) return undefined;
  const message = `Terminating ${kind} ${name}: no longer needed.`;
  return { do: 'TerminateMeasurement', kind, name, message };
}

/** What is measured in a rollout of a Cell gets this name, so that what is started twice is the same one. */
export function measurementName(decision: StartMeasurement, cell: string, rollout: Rollout): string {
  const { id, index, edition = 0 } = rollout;
  const of = { cell, rollout: id, edition };
  if (decision.kind === 'Experiment') return experimentName({ ...of, step: index });
  if (decision.kind === 'Check') return checkRunName({ ...of, step: index, check: decision.check.name });
  if (decision.kind === 'Job') return jobName({ ...of, step: index, job: decision.job.name });
  const template = decision.analysis.templates[0]?.templateName ?? '';
  return analysisRunName({ ...of, step: decision.background ?? index, template });
}

/** Whether a rollout whose measurement fails keeps its weights until a person decides. */
export function holdsOnFailure({ cell }: Pick<GuardInput, 'cell'>): boolean {
  const { type, canary, blueGreen } = cell.spec.updateStrategy ?? {};
  return (type === 'BlueGreen' ? blueGreen : canary)?.onFailure === 'Hold';
}

/** Waits for a person to decide about what has failed. */
export const holdForVerdict = (reason: string, message: string, mayRetry = true): Wait => ({
  do: 'Wait',
  for: 'Verdict',
  reason,
  message: `${message} On hold, because onFailure is Hold. ${describeChoices(mayRetry, 'promote to continue')}`,
});

/** Waits for what has not begun in time; it counts as slowness of the rollout. */
export const holdUntilBegun = (waits: Wait['for'], message: string, until: number): Wait => ({
  do: 'Wait',
  for: waits,
  reason: NOT_MEASURED,
  until,
  message: `${message} Continues once it has begun. ${describeChoices(false, 'promote to continue without it')}`,
});

/** Says what a person can send who decides about a verdict. */
export const describeChoices = (mayRetry: boolean, promote: string): string =>
  mayRetry
    ? `Send retry to measure again, ${promote}, or abort to revert.`
    : `Send ${promote}, or abort to revert.`;

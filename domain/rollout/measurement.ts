import { isFinished, judge } from './analysis.ts';
import type { Decision } from '../model/decision.ts';
import { fail } from '../model/ending.ts';
import type { GuardInput } from '../gates/guard.ts';
import type { Progress, Rollout } from '../model/state.ts';
import { advance } from '../steps/step.ts';

/** The longest time for which a verdict is not read when nothing is heard of it, in milliseconds. */
const LONGEST_READ_MS = 10 * 60_000;

/** What comes of how far the analysis or experiment of the step has come; undefined when nothing measures. */
export const verdictSoFar = (rollout: Rollout, input: GuardInput): Decision | undefined =>
  rollout.progress.is === 'Analyzing' || rollout.progress.is === 'Experimenting'
    ? verdictOn(rollout.progress, rollout, input)
    : undefined;

type MeasuringProgress = Extract<Progress, { is: 'Analyzing' | 'Experimenting' }>;

/** Goes on, fails or waits by how far the analysis or experiment of the step has come. */
export function verdictOn(progress: MeasuringProgress, rollout: Rollout, input: GuardInput): Decision {
  const isAnalysis = progress.is === 'Analyzing';
  const kind = isAnalysis ? 'AnalysisRun' : 'Experiment';
  const judgement = judge(kind, progress, LONGEST_READ_MS);
  const { name } = progress.verdict;
  switch (judgement.is) {
    case 'Passed':
      return advance(rollout, judgement.message);
    case 'Failed':
      return fail(isAnalysis ? 'AnalysisFailed' : 'ExperimentFailed', judgement.message, input.now);
    case 'Undecided':
      return {
        do: 'Wait',
        for: 'Verdict',
        message: `${judgement.message} Send promote to go on, or abort to take everything back.`,
      };
    case 'Measuring': {
      const { readAgainAt: until } = judgement;
      if (input.now < until) {
        const message = `Waiting for ${kind} ${name}.`;
        return { do: 'Wait', for: isAnalysis ? 'Analysis' : 'Experiment', until, message };
      }
      const message = `Reading ${kind} ${name}.`;
      return isAnalysis
        ? { do: 'ReadAnalysis', run: name, message }
        : { do: 'ReadExperiment', experiment: name, message };
    }
  }
}

/** Asks for the end of an analysis or experiment that nobody waits for any more; undefined when there is none. */
export function endMeasurement(progress: Progress): Decision | undefined {
  if (progress.is !== 'Analyzing' && progress.is !== 'Experimenting') return undefined;
  const { name, phase } = progress.verdict;
  if (isFinished(phase)) return undefined;
  return progress.is === 'Analyzing'
    ? { do: 'EndAnalysis', run: name, message: `Ending AnalysisRun ${name}, ${UNWANTED}.` }
    : { do: 'EndExperiment', experiment: name, message: `Ending Experiment ${name}, ${UNWANTED}.` };
}

const UNWANTED = 'because nobody waits for it any more';

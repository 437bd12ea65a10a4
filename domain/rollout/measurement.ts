import { isFinished, judge, type MeasuringKind } from './analysis.ts';
import type { Decision } from '../model/decision.ts';
import { fail } from '../model/ending.ts';
import type { GuardInput } from '../gates/guard.ts';
import type { Progress, Rollout } from '../model/state.ts';
import { advance } from '../steps/step.ts';

/** The longest time for which a verdict is not read when nothing is heard of it, in milliseconds. */
const LONGEST_READ_MS = 10 * 60_000;

type Measuring = Extract<Progress, { verdict: unknown }>;
type Wait = Extract<Decision, { do: 'Wait' }>;

/** How something that a step measures with is spoken of, read and ended. */
interface Instrument {
  readonly kind: MeasuringKind;
  readonly awaits: Wait['for'];
  readonly failure: string;
  readonly read: (name: string, message: string) => Decision;
  readonly end: (name: string, message: string) => Decision;
}

const instruments: { readonly [Is in Measuring['is']]: Instrument } = {
  Analyzing: {
    kind: 'AnalysisRun',
    awaits: 'Analysis',
    failure: 'AnalysisFailed',
    read: (run, message) => ({ do: 'ReadAnalysis', run, message }),
    end: (run, message) => ({ do: 'EndAnalysis', run, message }),
  },
  Experimenting: {
    kind: 'Experiment',
    awaits: 'Experiment',
    failure: 'ExperimentFailed',
    read: (experiment, message) => ({ do: 'ReadExperiment', experiment, message }),
    end: (experiment, message) => ({ do: 'EndExperiment', experiment, message }),
  },
  Checking: {
    kind: 'Check',
    awaits: 'Check',
    failure: 'CheckFailed',
    read: (check, message) => ({ do: 'ReadCheck', check, message }),
    end: (check, message) => ({ do: 'EndCheck', check, message }),
  },
};

/** Whether the step measures. */
export const isMeasuring = (progress: Progress): progress is Measuring => 'verdict' in progress;

/** What comes of how far what the step measures has come; undefined when nothing measures. */
export const verdictSoFar = (rollout: Rollout, input: GuardInput): Decision | undefined =>
  isMeasuring(rollout.progress) ? verdictOn(rollout.progress, rollout, input) : undefined;

/** Goes on, fails or waits by how far what the step measures has come. */
export function verdictOn(progress: Measuring, rollout: Rollout, input: GuardInput): Decision {
  const { kind, awaits, failure, read } = instruments[progress.is];
  const judgement = judge(kind, progress, LONGEST_READ_MS);
  const { name } = progress.verdict;
  switch (judgement.is) {
    case 'Passed':
      return advance(rollout, judgement.message);
    case 'Failed':
      return fail(failure, judgement.message, input.now);
    case 'Undecided':
      return {
        do: 'Wait',
        for: 'Verdict',
        message: `${judgement.message} Send promote to go on, or abort to take everything back.`,
      };
    case 'Measuring': {
      const { readAgainAt: until } = judgement;
      if (input.now < until)
        return { do: 'Wait', for: awaits, until, message: `Waiting for ${kind} ${name}.` };
      return read(name, `Reading ${kind} ${name}.`);
    }
  }
}

/** Asks for the end of what nobody waits for any more; undefined when nothing measures. */
export function endMeasurement(progress: Progress): Decision | undefined {
  if (!isMeasuring(progress)) return undefined;
  const { name, phase } = progress.verdict;
  if (isFinished(phase)) return undefined;
  const { kind, end } = instruments[progress.is];
  return end(name, `Ending ${kind} ${name}, because nobody waits for it any more.`);
}

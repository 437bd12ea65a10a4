import type { MeasurementKind } from '../model/decision.ts';

/** The phases of an AnalysisRun and of an Experiment of Argo Rollouts. */
export type AnalysisPhase = 'Pending' | 'Running' | 'Successful' | 'Failed' | 'Error' | 'Inconclusive';

/** How far an AnalysisRun or an Experiment has come. */
export interface AnalysisVerdict {
  readonly name: string;
  readonly phase: AnalysisPhase;
  readonly message: string;
}

/** Something that measures, as far as it is known. */
export interface Measuring {
  readonly verdict: AnalysisVerdict;
  /** When it was read last, in milliseconds since the epoch; 0: something has ended since, so read it now. */
  readonly readAt: number;
  /** How often it was read since it was started. */
  readonly reads: number;
}

/** What comes of something that measures. */
export type Judgement =
  | { readonly is: 'Passed' | 'Failed' | 'Undecided'; readonly message: string }
  /** Still measuring; without a word from the watchers it is read again at `readAgainAt`. */
  | { readonly is: 'Measuring'; readonly readAgainAt: number };

const final: readonly AnalysisPhase[] = ['Successful', 'Failed', 'Error', 'Inconclusive'];

/** Whether an AnalysisRun or an Experiment in this phase measures no more. */
export const isFinished = (phase: AnalysisPhase): boolean => final.includes(phase);

/** Whether a verdict stays: one that is inconclusive can still be decided by a person, who sets the phase. */
export const isSettled = (phase: AnalysisPhase): boolean => isFinished(phase) && phase !== 'Inconclusive';

/** Without a word a verdict is read after this time, which grows by this factor with each reading; in milliseconds. */
const FIRST_READ = { afterMs: 30_000, growth: 10 } as const;

/** Judges by the last verdict; without a word it is read again after a time that grows up to `longestMs`. */
export function judge(kind: MeasurementKind, measuring: Measuring, longestMs: number): Judgement {
  const { name, phase, message } = measuring.verdict;
  const said = message === '' ? '' : ` ${message}`;
  switch (phase) {
    case 'Successful':
      return { is: 'Passed', message: `${kind} ${name} was successful.` };
    case 'Failed':
    case 'Error':
      return { is: 'Failed', message: `${kind} ${name} ended as ${phase}.${said}` };
    case 'Inconclusive':
      if (measuring.readAt === 0) return { is: 'Measuring', readAgainAt: 0 };
      return { is: 'Undecided', message: `${kind} ${name} is inconclusive.${said}` };
    case 'Pending':
    case 'Running': {
      const wait = Math.min(
        longestMs,
        FIRST_READ.afterMs * FIRST_READ.growth ** Math.min(measuring.reads, 10),
      );
      return { is: 'Measuring', readAgainAt: measuring.readAt + wait };
    }
  }
}

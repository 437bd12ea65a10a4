import type { MeasurementKind } from '../model/decision.ts';
import { cut, LONGEST_SAID } from '../text.ts';

const phases = ['Pending', 'Running', 'Successful', 'Failed', 'Error', 'Inconclusive'] as const;

/** The phases of an AnalysisRun and of an Experiment of Argo Rollouts. */
export type AnalysisPhase = (typeof phases)[number];

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

const isPhase = (text: unknown): text is AnalysisPhase => phases.some((one) => one === text);

/** What the status of an AnalysisRun or an Experiment says. People set a phase by hand as well: one that Argo Rollouts does not know decides nothing. */
export function verdictFrom(name: string, { phase = '', message = '' }: SaidStatus = {}): AnalysisVerdict {
  if (isPhase(phase)) return { name, phase, message: cut(textOf(message), LONGEST_SAID) };
  if (phase === '') return { name, phase: 'Pending', message: '' };
  const got = cut(textOf(phase), LONGEST_PHASE);
  return {
    name,
    phase: 'Inconclusive',
    message: `Expected status.phase to be Successful or Failed, got ${got}. Correct it.`,
  };
}

/** A status as people and controllers may have written it. */
interface SaidStatus {
  readonly phase?: unknown;
  readonly message?: unknown;
}

const LONGEST_PHASE = 64;

const textOf = (said: unknown): string => (typeof said === 'string' ? said : JSON.stringify(said));

const final: readonly AnalysisPhase[] = ['Successful', 'Failed', 'Error', 'Inconclusive'];

/** Whether an AnalysisRun or an Experiment in this phase measures no more. */
export const isFinished = (phase: AnalysisPhase): boolean => final.includes(phase);

/** Whether a verdict stays: one that is inconclusive can still be decided by a person, who sets the phase. */
export const isSettled = (phase: AnalysisPhase): boolean => isFinished(phase) && phase !== 'Inconclusive';

/** Without a word a verdict is read after this time, which grows by this factor with each reading; in milliseconds. */
const FIRST_READ = { afterMs: 30_000, growth: 10 } as const;

/** Judges by the last verdict; without a word it is read again after a time that grows up to `longestMs`. */
export function judge(kind: MeasurementKind, measuring: Measuring, longestMs: number): Judgement {
  const { name, message } = measuring.verdict;
  // An older release has handed over what nobody knows.
  const phase = isPhase(measuring.verdict.phase) ? measuring.verdict.phase : 'Inconclusive';
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

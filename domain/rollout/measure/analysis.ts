import type { MeasurementKind, Wait } from '../../model/decision.ts';
import { numberIn, recordsIn, textIn, type Fields } from '../../model/fields.ts';
import { cut, LONGEST_SAID } from '../../text.ts';
import type { CellStatus } from '../../../crds/cell.ts';

interface Told {
  readonly started: string;
  readonly failed: string;
  readonly waits: Wait['for'];
  readonly whereToLook: string;
  readonly field: keyof Pick<CellStatus, 'analysisRun' | 'experiment' | 'check' | 'job'>;
}

/** What a rollout measures by; a kind without an entry does not compile. */
export const measurementKinds = {
  AnalysisRun: {
    started: 'AnalysisStarted',
    failed: 'AnalysisFailed',
    waits: 'Analysis',
    whereToLook:
      'Check that the controller of Argo Rollouts runs. One with --instance-id needs the label argo-rollouts.argoproj.io/controller-instance-id: set it by analysisRunMetadata.labels.',
    field: 'analysisRun',
  },
  Experiment: {
    started: 'ExperimentStarted',
    failed: 'ExperimentFailed',
    waits: 'Experiment',
    whereToLook:
      'Check that the controller of Argo Rollouts runs. One with --instance-id needs the label argo-rollouts.argoproj.io/controller-instance-id: label the Experiment.',
    field: 'experiment',
  },
  Check: {
    started: 'CheckStarted',
    failed: 'CheckFailed',
    waits: 'Check',
    whereToLook: 'Check that okrad runs, and watches this namespace (OKRA_WATCH_NAMESPACE).',
    field: 'check',
  },
  Job: {
    started: 'JobStarted',
    failed: 'JobFailed',
    waits: 'Job',
    whereToLook:
      'Look at its Events (kubectl describe job): a quota or an admission webhook may refuse its pod.',
    field: 'job',
  },
} as const satisfies Readonly<Record<MeasurementKind, Told>>;

const phases = ['Pending', 'Running', 'Successful', 'Failed', 'Error', 'Inconclusive'] as const;

/** The phases of an AnalysisRun and of an Experiment of Argo Rollouts. */
export type AnalysisPhase = (typeof phases)[number];

/** How far an AnalysisRun or an Experiment has come. */
export interface AnalysisVerdict {
  readonly name: string;
  readonly phase: AnalysisPhase;
  readonly message: string;
  /** Set while it runs and a metric has no successful measurement yet. */
  readonly unmeasured?: true;
}

/** The spec of what is to measure, or what is wrong with what it is made of. */
export type BuiltSpec =
  | { readonly ok: true; readonly spec: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: string };

/** Something that measures, as far as it is known. */
export interface Measuring {
  readonly verdict: AnalysisVerdict;
  /** When it was started, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** When it was read last, in milliseconds since the epoch; 0: something has ended since, so read it now. */
  readonly readAt: number;
  readonly reads: number;
}

/** What comes of something that measures. */
export type Judgement =
  | { readonly is: 'Passed' | 'Failed' | 'Undecided'; readonly message: string }
  /** Still measuring; without a word from the watchers it is read again at `readAgainAt`. One that has not begun in time says where to look. */
  | { readonly is: 'Measuring'; readonly readAgainAt: number; readonly notBegun?: string };

const isPhase = (text: unknown): text is AnalysisPhase => phases.some((one) => one === text);

/** Reads the status of an AnalysisRun or Experiment; an unknown phase decides nothing, nor a success without a successful measurement. */
export function verdictFrom(name: string, status: SaidStatus = {}): AnalysisVerdict {
  const { phase = '', message = '', metricResults } = status;
  if (phase === 'Running' && hasUnmeasured(metricResults))
    return { name, phase, message: cut(textOf(message), LONGEST_SAID), unmeasured: true };
  const metric = phase === 'Successful' ? withoutEvidence(metricResults) : undefined;
  if (metric !== undefined) return inconclusive(name, metric);
  if (isPhase(phase)) return { name, phase, message: cut(textOf(message), LONGEST_SAID) };
  if (phase === '') return { name, phase: 'Pending', message: '' };
  const got = cut(textOf(phase), LONGEST_PHASE);
  return {
    name,
    phase: 'Inconclusive',
    message: `invalid status.phase: must be Successful or Failed, not ${got}. Correct it.`,
  };
}

interface SaidStatus {
  readonly phase?: unknown;
  readonly message?: unknown;
  readonly metricResults?: unknown;
}

/** The metrics that decide, and have no successful measurement; dry runs decide nothing. */
const unsuccessful = (results: unknown): readonly Fields[] =>
  recordsIn(results).filter(
    ({ dryRun, successful }) => dryRun !== true && !((numberIn(successful) ?? 0) > 0),
  );

const hasUnmeasured = (results: unknown): boolean =>
  recordsIn(results).length === 0 || unsuccessful(results).length > 0;

/** A metric that counts as successful without a successful measurement; one that does not was decided by a person, who sets the phase of the whole. */
export const withoutEvidence = (results: unknown): string | undefined => {
  const found = unsuccessful(results).find(({ phase }) => !isPhase(phase) || !isUnsuccessful(phase));
  return found && (textIn(found['name']) ?? '');
};

/** A success that is none, because a metric has no successful measurement. */
export const inconclusive = (name: string, metric: string): AnalysisVerdict => ({
  name,
  phase: 'Inconclusive',
  message: cut(
    `cannot decide: metric ${metric} has no successful measurement. Its failureLimit, inconclusiveLimit or consecutiveErrorLimit may exceed its count; lower it.`,
    LONGEST_SAID,
  ),
});

const LONGEST_PHASE = 64;

const textOf = (said: unknown): string => (typeof said === 'string' ? said : JSON.stringify(said));

const final: readonly AnalysisPhase[] = ['Successful', 'Failed', 'Error', 'Inconclusive'];

/** Whether an AnalysisRun or an Experiment in this phase measures no more. */
export const isFinished = (phase: AnalysisPhase): boolean => final.includes(phase);

/** Whether something has measured to its end in this phase, and not with success. */
export const isUnsuccessful = (phase: AnalysisPhase): boolean => isFinished(phase) && phase !== 'Successful';

/** Whether a verdict stays: one that is inconclusive can still be decided by a person, who sets the phase. */
export const isSettled = (phase: AnalysisPhase): boolean => isFinished(phase) && phase !== 'Inconclusive';

/** Without a word a verdict is read after this time, which grows by this factor with each reading; in milliseconds. */
const FIRST_READ = { afterMs: 30_000, growth: 10 } as const;

/** The same while it has measured nothing yet. */
const UNMEASURED_READ = { growth: 2, longestMs: 5 * 60_000 } as const;

/** How long it may take to begin, in milliseconds. */
export const BEGINS_WITHIN_MS = 2 * 60_000;

/** The reason of what has not begun in that time. */
export const NOT_MEASURED = 'NotMeasured';

/** Whether something has not begun in time; one that says why, as a suspended Job does, waits for that. */
export const isOverdue = ({ verdict: { phase, message }, startedAt, readAt }: Measuring): boolean =>
  phase === 'Pending' && message === '' && readAt >= startedAt + BEGINS_WITHIN_MS;

/** Says that something has not begun in time, and where to look. */
export const notBegun = (kind: MeasurementKind, name: string): string =>
  `${kind} ${name} has not begun within ${BEGINS_WITHIN_MS / 60_000} minutes. ${measurementKinds[kind].whereToLook}`;

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
      const readAgainAt = nextReading(measuring, longestMs);
      return isOverdue(measuring)
        ? { is: 'Measuring', readAgainAt, notBegun: notBegun(kind, name) }
        : { is: 'Measuring', readAgainAt };
    }
  }
}

function nextReading({ verdict, startedAt, readAt, reads }: Measuring, longestMs: number): number {
  const isUnmeasured = verdict.phase === 'Pending' || verdict.unmeasured === true;
  const { growth, longest } = isUnmeasured
    ? { growth: UNMEASURED_READ.growth, longest: UNMEASURED_READ.longestMs }
    : { growth: FIRST_READ.growth, longest: longestMs };
  const at = readAt + Math.min(longest, FIRST_READ.afterMs * growth ** Math.min(reads, 10));
  const late = startedAt + BEGINS_WITHIN_MS;
  return verdict.phase === 'Pending' && readAt < late ? Math.min(at, late) : at;
}

import { isFinished, type AnalysisPhase } from './analysis.ts';
import { isEnded, jobPhase, type Job } from './job.ts';
import { compareText } from '../../kubernetes/canonical.ts';
import { ROLLOUT_LABEL } from '../../kubernetes/labels.ts';

/** An AnalysisRun, Experiment or Check, as far as it decides whether it is kept. */
export interface FinishedRun {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly creationTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec?: { readonly terminate?: boolean };
  readonly status?: { readonly phase?: AnalysisPhase | 'Terminated' | '' };
}

/** A Job as one of them: it says by conditions how it has ended, and by its deadline that it is to. */
export const runOfJob = ({ metadata, ...job }: Pick<FinishedRun, 'metadata'> & Job): FinishedRun => ({
  metadata,
  spec: { terminate: isEnded(job) },
  status: { phase: jobPhase(job) },
});

/** How many are kept when nobody says otherwise, as in Argo Rollouts. */
const DEFAULT_LIMIT = 5;

/** Those that have ended and are beyond the number that is kept, the oldest first; what measures still is never among them. */
export function beyondLimits(
  runs: readonly FinishedRun[],
  limits: { readonly successful?: number | undefined; readonly unsuccessful?: number | undefined },
): readonly FinishedRun[] {
  const ended = runs
    .filter(({ status }) => isFinished(phaseOf(status)))
    .toSorted((a, b) => compareText(b.metadata.creationTimestamp ?? '', a.metadata.creationTimestamp ?? ''));
  const isSuccessful = ({ status }: FinishedRun): boolean => phaseOf(status) === 'Successful';
  const { successful = DEFAULT_LIMIT, unsuccessful = DEFAULT_LIMIT } = limits;
  return [
    ...ended.filter(isSuccessful).slice(successful),
    ...ended.filter((run) => !isSuccessful(run)).slice(unsuccessful),
  ].toReversed();
}

/** Those left by a lost run, older than a time at which no rollout was under way (milliseconds since the epoch); younger ones are in use. */
export const findOrphans = (runs: readonly FinishedRun[], atRestAt: number): readonly FinishedRun[] =>
  runs.filter(
    ({ metadata, spec, status }) =>
      metadata.labels?.[ROLLOUT_LABEL] !== undefined &&
      Date.parse(metadata.creationTimestamp ?? '') < atRestAt &&
      spec?.terminate !== true &&
      !isFinished(phaseOf(status)),
  );

const phaseOf = (status: FinishedRun['status']): AnalysisPhase => {
  const { phase = '' } = status ?? {};
  if (phase === 'Terminated') return 'Error';
  return phase === '' ? 'Pending' : phase;
};

import { isFinished, type AnalysisPhase } from './analysis.ts';
import { compareText } from './canonical.ts';

/** An AnalysisRun or Experiment, as far as it decides whether it is kept. */
export interface FinishedRun {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly creationTimestamp?: string;
  };
  readonly status?: { readonly phase?: AnalysisPhase | '' };
}

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

const phaseOf = (status: FinishedRun['status']): AnalysisPhase => {
  const { phase = '' } = status ?? {};
  return phase === '' ? 'Pending' : phase;
};

import type { CellStatus } from '../../crds/cell.ts';
import type { MeasurementKind, Wait } from '../model/decision.ts';

/** How people are told of a measurement, by what measures. */
interface Told {
  /** The reason of the Event that says that it was started. */
  readonly started: string;
  /** Why a rollout ends in which it failed. */
  readonly failed: string;
  readonly waits: Wait['for'];
  /** Where the Cell's status has its verdict. */
  readonly field: keyof Pick<CellStatus, 'analysisRun' | 'experiment' | 'check' | 'job'>;
}

/** What a rollout measures by; a kind without an entry does not compile. */
export const measurementKinds = {
  AnalysisRun: {
    started: 'AnalysisStarted',
    failed: 'AnalysisFailed',
    waits: 'Analysis',
    field: 'analysisRun',
  },
  Experiment: {
    started: 'ExperimentStarted',
    failed: 'ExperimentFailed',
    waits: 'Experiment',
    field: 'experiment',
  },
  Check: {
    started: 'CheckStarted',
    failed: 'CheckFailed',
    waits: 'Check',
    field: 'check',
  },
  Job: {
    started: 'JobStarted',
    failed: 'JobFailed',
    waits: 'Job',
    field: 'job',
  },
} as const satisfies Readonly<Record<MeasurementKind, Told>>;

import type { CellStatus } from '../../../crds/cell.ts';
import type { MeasurementKind, Wait } from '../../model/decision.ts';

/** How people are told of a measurement, by what measures. */
interface Told {
  /** The reason of the Event that says that it was started. */
  readonly started: string;
  /** Why a rollout ends in which it failed. */
  readonly failed: string;
  readonly waits: Wait['for'];
  /** Where people look when it does not begin. */
  readonly whereToLook: string;
  /** Where the Cell's status has its verdict. */
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

import { isFinished } from '../../domain/rollout/measure/analysis.ts';
import { hasEnded } from '../../domain/rollout/measure/experiment.ts';
import { jobPhase } from '../../domain/rollout/measure/job.ts';
import { keyOf } from '../../domain/model/ids.ts';
import { objectWorkflowId } from '../../domain/model/workflow-ids.ts';
import { CELL_LABEL } from '../../domain/kubernetes/labels.ts';
import type { Cell } from '../../crds/cell.ts';
import type { Informed, ObjectEvent } from '../event.ts';
import type { AnalysisRun, Experiment, Job, ReplicaSet } from '../foreign.ts';
import { ignore, type Instruction } from '../instruction.ts';
import type { View } from '../informer/store.ts';

/** Says who has to hear of an AnalysisRun. */
export const routeAnalysisRun = (event: ObjectEvent<AnalysisRun>, view: View): readonly Instruction[] =>
  routeMeasurement(event, view, {
    signal: 'analysisFinished',
    hasFinished: ({ status }) => status?.phase !== undefined && isFinished(status.phase),
    phaseOf: ({ status }) => status?.phase,
  });

/** Says who has to hear of a Job. */
export const routeJob = (event: ObjectEvent<Job>, view: View): readonly Instruction[] =>
  routeMeasurement(event, view, {
    signal: 'analysisFinished',
    hasFinished: (job) => isFinished(jobPhase(job)),
    phaseOf: jobPhase,
  });

/** Says who has to hear of an Experiment. */
export const routeExperiment = (event: ObjectEvent<Experiment>, view: View): readonly Instruction[] =>
  routeMeasurement(event, view, {
    signal: 'experimentFinished',
    hasFinished: ({ status }) => hasEnded(status),
    phaseOf: ({ status }) => status?.phase,
  });

function routeMeasurement<Measured extends AnalysisRun | Experiment | Job>(
  event: ObjectEvent<Measured>,
  view: View,
  as: {
    readonly signal: 'analysisFinished' | 'experimentFinished';
    readonly hasFinished: (object: Measured) => boolean;
    readonly phaseOf: (object: Measured) => string | undefined;
  },
): readonly Instruction[] {
  const { object } = event;
  const name = object.metadata.labels?.[CELL_LABEL];
  if (name === undefined || name === '') return ignore('no Cell named');
  if (event.type !== 'delete' && !as.hasFinished(object)) return ignore('not finished');
  // A person may still decide what was inconclusive, by another phase.
  const isDecided = event.type === 'update' && as.phaseOf(event.old) !== as.phaseOf(object);
  if (event.type === 'update' && as.hasFinished(event.old) && !isDecided) return ignore('finished before');
  const key = { namespace: keyOf(object).namespace, name };
  const cell = view.Cell.get(key);
  // What is known of the Cell may be older than the news of its run; only a run that is listed again proves nothing new.
  const isOld = event.type === 'add' && cell !== undefined && !mayAwaitVerdict(cell);
  if (isOld) return ignore('the Cell waits for no analysis');
  return [{ do: 'Signal', workflowId: objectWorkflowId('Cell', key), signal: as.signal }];
}

/** Whether a Cell may wait for a verdict; one whose status is not there yet, or not known yet, may have begun already. */
export function mayAwaitVerdict(cell: Cell): boolean {
  const { phase } = cell.status ?? {};
  return phase === undefined || phase === 'Progressing' || phase === 'Paused' || phase === 'Pending';
}

const LACKS_TEMPLATE = new Set(['AnalysisTemplateNotFound', 'AnalysisTemplateInvalid']);

/** Says who has to hear of an AnalysisTemplate or a ClusterAnalysisTemplate. */
export function routeTemplate({ type, object }: ObjectEvent<Informed>, view: View): readonly Instruction[] {
  const lacking = type === 'delete' ? [] : cellsThatLack(LACKS_TEMPLATE, object, view);
  return lacking.length === 0 ? ignore('no Cell lacks a template') : wake(lacking);
}

const LACKS_REPLICA_SET = new Set(['ReplicaSetNotFound', 'ExperimentInvalid']);

/** Says who has to hear of a ReplicaSet; that pods come and go in it is of no interest. */
export function routeReplicaSet(event: ObjectEvent<ReplicaSet>, view: View): readonly Instruction[] {
  const { type, object } = event;
  const isNews =
    type === 'add' || (type === 'update' && event.old.metadata.generation !== object.metadata.generation);
  const lacking = isNews ? cellsThatLack(LACKS_REPLICA_SET, object, view) : [];
  return lacking.length === 0 ? ignore('no Cell lacks a ReplicaSet') : wake(lacking);
}

const cellsThatLack = (reasons: ReadonlySet<string>, { metadata }: Informed, view: View): readonly Cell[] =>
  view.Cell.list(metadata.namespace).flatMap((cell) => {
    const { reason } = cell.status ?? {};
    return reason !== undefined && reasons.has(reason) ? [cell] : [];
  });

const wake = (cells: readonly Cell[]): readonly Instruction[] =>
  cells.map((cell) => ({
    do: 'Signal',
    workflowId: objectWorkflowId('Cell', keyOf(cell)),
    signal: 'changed',
  }));

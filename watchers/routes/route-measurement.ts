import type { Cell } from '../../crds/cell.ts';
import type { Check } from '../../crds/check.ts';
import { HASH_ANNOTATION, isOver } from '../../domain/checks/next-run.ts';
import { CELL_LABEL } from '../../domain/kubernetes/labels.ts';
import { keyOf } from '../../domain/model/ids.ts';
import { isFinished } from '../../domain/rollout/measure/analysis.ts';
import { hasEnded } from '../../domain/rollout/measure/experiment.ts';
import { jobPhase } from '../../domain/rollout/measure/job.ts';
import type { Informed, ObjectEvent } from '../event.ts';
import { start, wake, type Instruction } from '../instruction.ts';
import type { ForeignObject, Objects } from '../kinds.ts';
import type { View } from '../informer/store.ts';
import { isSpecNews, routeSynced } from './route-synced.ts';

/** A kind by which Cells measure. */
export type Measuring = (typeof measuring)[number];
/** The kinds by which Cells measure. */
export const measuring = ['AnalysisRun', 'Experiment', 'Check', 'Job'] as const;

/** Reads the phase of what measures, by its kind. */
export const phases: { readonly [Kind in Measuring]: (object: Objects[Kind]) => string | undefined } = {
  AnalysisRun: ({ status }) => status?.phase,
  Experiment: ({ status }) => status?.phase,
  Check: ({ status }) => status?.phase,
  Job: jobPhase,
};

const finished: { readonly [Kind in Measuring]: (object: Objects[Kind]) => boolean } = {
  AnalysisRun: ({ status }) => status?.phase !== undefined && isFinished(status.phase),
  // One whose spec Argo Rollouts refuses gets no phase.
  Experiment: ({ status }) => hasEnded(status),
  Check: ({ status }) => isOver(status),
  Job: (job) => isFinished(jobPhase(job)),
};

/** Wakes the Cell that measures by an object which has ended or is gone. */
export function routeMeasurement<Kind extends Measuring>(
  kind: Kind,
  event: ObjectEvent<Objects[Kind]>,
  view: View,
): readonly Instruction[] {
  const { object } = event;
  const { [CELL_LABEL]: name = '' } = object.metadata.labels ?? {};
  const hasFinished = finished[kind];
  if (name === '' || (event.type !== 'delete' && !hasFinished(object))) return [];
  // A person may still decide what was inconclusive, by another phase.
  const isDecided = event.type === 'update' && phases[kind](event.old) !== phases[kind](object);
  if (event.type === 'update' && hasFinished(event.old) && !isDecided) return [];
  const key = { namespace: keyOf(object).namespace, name };
  const cell = view.Cell.get(key);
  // What is known of the Cell may be older than the news of its run; only a run that is listed again proves nothing new.
  if (event.type === 'add' && cell !== undefined && !mayAwaitVerdict(cell)) return [];
  return [wake('Cell', key, kind === 'Experiment' ? 'experimentFinished' : 'analysisFinished')];
}

/** Whether a Cell may wait for a verdict; one whose status is not there yet, or not known yet, may have begun already. */
function mayAwaitVerdict({ status }: Cell): boolean {
  const { phase } = status ?? {};
  return phase === undefined || phase === 'Progressing' || phase === 'Paused' || phase === 'Pending';
}

/** Wakes the workflow of a Check when something is to be measured, and its Cell when it has ended or is gone. */
export const routeCheck = (event: ObjectEvent<Check>, view: View): readonly Instruction[] => [
  ...routeOwn(event),
  ...routeMeasurement('Check', event, view),
];

function routeOwn(event: ObjectEvent<Check>): readonly Instruction[] {
  const { object } = event;
  if (event.type === 'add' && isSettled(object)) return [];
  const isOtherHash = event.type === 'update' && hashOf(event.old) !== hashOf(object);
  return isOtherHash ? [start('Check', keyOf(object))] : routeSynced('Check', event);
}

const hashOf = ({ metadata }: Check): string | undefined => metadata.annotations?.[HASH_ANNOTATION];

/** Whether nothing is left to be measured; the status is of this generation and of this hash. */
function isSettled(object: Check): boolean {
  const { metadata, status } = object;
  const isOfHash = hashOf(object) === undefined || status?.analysis?.observedHash === hashOf(object);
  return isOver(status) && status?.observedGeneration === metadata.generation && isOfHash;
}

const LACKS_TEMPLATE = new Set(['AnalysisTemplateNotFound', 'AnalysisTemplateInvalid']);

/** Wakes the Cells that lack an AnalysisTemplate or a ClusterAnalysisTemplate. */
export const routeTemplate = ({ type, object }: ObjectEvent<Informed>, view: View): readonly Instruction[] =>
  type === 'delete' ? [] : wakeLacking(LACKS_TEMPLATE, object, view);

const LACKS_REPLICA_SET = new Set(['ReplicaSetNotFound', 'ExperimentInvalid']);

/** Wakes the Cells that lack a ReplicaSet; that pods come and go in it is of no interest. */
export function routeReplicaSet(event: ObjectEvent<ForeignObject>, view: View): readonly Instruction[] {
  const isNews = event.type !== 'delete' && isSpecNews(event);
  return isNews ? wakeLacking(LACKS_REPLICA_SET, event.object, view) : [];
}

const wakeLacking = (
  reasons: ReadonlySet<string>,
  { metadata }: Informed,
  view: View,
): readonly Instruction[] =>
  view.Cell.list(metadata.namespace)
    .filter(({ status }) => reasons.has(status?.reason ?? ''))
    .map((cell) => wake('Cell', keyOf(cell)));

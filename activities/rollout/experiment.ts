import { ANALYSIS_RUN, EXPERIMENT, REPLICA_SET } from '../../clients/kubernetes/kinds.ts';
import {
  unlessMissing,
  type Identified,
  type KubernetesClient,
} from '../../clients/kubernetes/kubernetes.ts';
import type { ExperimentStep } from '../../crds/cell.ts';
import { buildAnalysisRun } from '../../domain/rollout/measure/analysis-run.ts';
import {
  buildExperiment,
  experimentByRuns,
  experimentVerdict,
  type ExperimentStatus,
  type ReplicaSet,
} from '../../domain/rollout/measure/experiment.ts';
import { markEnded, type ReadVerdict } from '../../domain/rollout/measure/measurement.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import { readTemplates, seenCell } from './analysis-templates.ts';
import type { ExperimentActivities, ExperimentRequest } from '../contract.ts';
import { createOnce } from '../kubernetes/writes.ts';
import { failure } from '../failure.ts';
import { measuringObject } from '../kubernetes/owner-references.ts';

interface Experiment extends Identified {
  readonly spec: { readonly terminate?: boolean };
  readonly status?: ExperimentStatus;
}

/** Makes the activities that start, read and end Experiments. */
export function experimentActivities(kubernetes: KubernetesClient): ExperimentActivities {
  return {
    async startExperiment(request) {
      const key = { namespace: request.cell.key.namespace, name: request.name };
      const of = { kind: EXPERIMENT, key };
      return verdict(
        kubernetes,
        key,
        await createOnce(kubernetes, of, () => experimentFor(kubernetes, request)),
      );
    },
    readExperiment: async (key) =>
      verdict(kubernetes, key, await kubernetes.get<Experiment>(EXPERIMENT, key)),
    terminateExperiment: async (key) =>
      void (await unlessMissing(kubernetes.patch(EXPERIMENT, key, { spec: { terminate: true } }))),
  };
}

/** How far an experiment has come; a verdict that was deleted cannot be trusted to have been a good one. */
async function verdict(
  kubernetes: KubernetesClient,
  { namespace, name }: ObjectKey,
  experiment: Experiment | undefined,
): Promise<ReadVerdict> {
  if (experiment === undefined) {
    const message = 'The Experiment was deleted before it had come to a verdict.';
    return { name, phase: 'Error', message };
  }
  const { spec, status } = experiment;
  const said = experimentVerdict(name, status);
  if (said.phase !== 'Successful') return markEnded(said, spec);
  const runs = (status?.analysisRuns ?? []).map(async ({ analysisRun = '' }) => {
    const key = { namespace, name: analysisRun };
    const run = await kubernetes.get<{ readonly status?: { readonly metricResults?: unknown } }>(
      ANALYSIS_RUN,
      key,
    );
    return { name: analysisRun, metricResults: run?.status?.metricResults };
  });
  return markEnded(experimentByRuns(said, await Promise.all(runs)), spec);
}

async function experimentFor(kubernetes: KubernetesClient, request: ExperimentRequest): Promise<Experiment> {
  const { cell, experiment } = request;
  const { namespace } = cell.key;
  const replicaSets = await Promise.all(
    experiment.templates.map(({ specRef }) => replicaSetOf(kubernetes, namespace, specRef)),
  );
  const seen = await seenCell(kubernetes, request);
  await checkAnalyses(kubernetes, { namespace, experiment, cell: seen });
  const built = buildExperiment(experiment, replicaSets, seen);
  if (!built.ok) throw failure('ExperimentInvalid', built.problem);
  return measuringObject(EXPERIMENT, request, built.spec);
}

async function replicaSetOf(
  kubernetes: KubernetesClient,
  namespace: string,
  name: string,
): Promise<ReplicaSet> {
  const found = await kubernetes.get<ReplicaSet>(REPLICA_SET, { namespace, name });
  if (found !== undefined) return found;
  throw failure(
    'ReplicaSetNotFound',
    `ReplicaSet ${name} not found in namespace ${namespace}. Create it (0 replicas are enough); the rollout then continues.`,
  );
}

/** Argo Rollouts would end an Experiment as Error whose analyses cannot be started; that is found out before. */
async function checkAnalyses(
  kubernetes: KubernetesClient,
  of: { readonly namespace: string; readonly experiment: ExperimentStep; readonly cell: unknown },
): Promise<void> {
  const { namespace, experiment, cell } = of;
  for (const { args, requiredForCompletion = false, ...reference } of experiment.analyses ?? []) {
    const templates = await readTemplates(kubernetes, namespace, [reference]);
    const { dryRun, measurementRetention } = experiment;
    const analysis = { args, dryRun, measurementRetention };
    // The experiment ends what it does not require, and waits for what it does.
    const built = buildAnalysisRun(templates, { analysis, cell, mayBeEndless: !requiredForCompletion });
    if (!built.ok) throw failure('AnalysisTemplateInvalid', `Analysis ${reference.name}: ${built.problem}`);
  }
}

import { ANALYSIS_RUN, CHECK, EXPERIMENT, JOB, type KindRef } from '../../clients/kubernetes/kinds.ts';
import { unlessMissing, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import {
  beyondLimits,
  findOrphans,
  runOfJob,
  type FinishedRun,
} from '../../domain/rollout/measure/finished-runs.ts';
import { ENDED, type Job } from '../../domain/rollout/measure/job.ts';
import { keyOf, type ObjectKey } from '../../domain/model/ids.ts';
import { CELL_LABEL } from '../../domain/kubernetes/labels.ts';
import type { MeasurementActivities, PruneRequest } from '../contract.ts';
import { remove } from '../kubernetes/writes.ts';

/** Makes the activity that keeps the number of finished AnalysisRuns, Experiments, Checks and Jobs down, and ends those that a lost run has left behind. */
export function measurementActivities(kubernetes: KubernetesClient): MeasurementActivities {
  return {
    async pruneMeasurements(request) {
      for (const kind of [ANALYSIS_RUN, EXPERIMENT, CHECK, JOB]) await prune(kubernetes, kind, request);
    },
  };
}

async function prune(kubernetes: KubernetesClient, kind: KindRef, request: PruneRequest): Promise<void> {
  const { key, atRestAt, successful, unsuccessful } = request;
  const found = await listMeasuring<FinishedRun & Job>(kubernetes, kind, key);
  const runs: readonly FinishedRun[] = kind === JOB ? found.map(runOfJob) : found;
  for (const { metadata } of findOrphans(runs, atRestAt))
    await terminate(kubernetes, kind, keyOf({ metadata }));
  for (const { metadata } of beyondLimits(runs, { successful, unsuccessful })) {
    await remove(kubernetes, { kind, key: keyOf({ metadata }) }, metadata.uid);
  }
}

const terminate = (kubernetes: KubernetesClient, kind: KindRef, key: ObjectKey): Promise<unknown> =>
  unlessMissing(kubernetes.patch(kind, key, { spec: kind === JOB ? ENDED : { terminate: true } }));

/** Those of a Cell, and none of a kind that is not installed; an Experiment names its own AnalysisRuns, and takes them along. */
export const listMeasuring = async <T>(
  kubernetes: Pick<KubernetesClient, 'list'>,
  kind: KindRef,
  { namespace, name }: ObjectKey,
): Promise<readonly T[]> =>
  (await unlessMissing(kubernetes.list<T>(kind, { namespace, labelSelector: `${CELL_LABEL}=${name}` }))) ??
  [];

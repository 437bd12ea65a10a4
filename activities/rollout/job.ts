import { accessPolicies } from '../../clients/kubernetes/access-policies.ts';
import { JOB } from '../../clients/kubernetes/kinds.ts';
import {
  KubernetesError,
  unlessMissing,
  type Identified,
  type KubernetesClient,
} from '../../clients/kubernetes/kubernetes.ts';
import type { Metadata } from '../../crds/resource.ts';
import type { AnalysisVerdict } from '../../domain/rollout/measure/analysis.ts';
import { buildJob, ENDED, jobVerdict, type Job } from '../../domain/rollout/measure/job.ts';
import type { JobActivities, JobRequest } from '../contract.ts';
import { failure } from '../failure.ts';
import { createOnce } from '../kubernetes/writes.ts';
import { measurementLabels, measuringObject } from '../kubernetes/owner-references.ts';
import { permit } from '../permit.ts';

type JobObject = Identified & Job & { readonly metadata: Pick<Metadata, 'ownerReferences'> };

/** Makes the activities that run Jobs for Cells. */
export function jobActivities(kubernetes: KubernetesClient): JobActivities {
  return {
    startJob: (request) => start(kubernetes, request),
    readJob: async (key) => jobVerdict(key.name, await kubernetes.get<JobObject>(JOB, key)),
    terminateJob: async (key) =>
      jobVerdict(key.name, await unlessMissing(kubernetes.patch<JobObject>(JOB, key, { spec: ENDED }))),
  };
}

async function start(kubernetes: KubernetesClient, request: JobRequest): Promise<AnalysisVerdict> {
  const { cell, name, job } = request;
  const key = { namespace: cell.key.namespace, name };
  try {
    const found = await createOnce(kubernetes, { kind: JOB, key }, async () => {
      const access = await accessPolicies(kubernetes).of(key.namespace);
      permit(access, [{ of: 'Image', image: job.template.spec.image }]);
      return jobFor(request);
    });
    const owners = found?.metadata.ownerReferences ?? [];
    if (found === undefined || owners.some(({ uid }) => uid === cell.uid)) return jobVerdict(name, found);
  } catch (error) {
    if (error instanceof KubernetesError && (error.status === 422 || error.status === 400))
      throw failure('JobInvalid', error.message, error);
    throw error;
  }
  const message = `Job ${name} exists and does not belong to Cell ${cell.key.name}. Delete or rename it.`;
  throw failure('Conflict', message);
}

function jobFor(request: JobRequest): JobObject {
  const { cell, rollout, desiredVersion, job } = request;
  const env = {
    OKRA_NAMESPACE: cell.key.namespace,
    OKRA_CELL: cell.key.name,
    OKRA_ROLLOUT: rollout,
    OKRA_VERSION: desiredVersion,
  };
  const built = buildJob(job, { labels: measurementLabels(request), env });
  if (!built.ok) throw failure('JobInvalid', built.problem);
  return measuringObject(JOB, request, built.spec);
}

import { accessPolicies } from '../../clients/kubernetes/access-policies.ts';
import { JOB } from '../../clients/kubernetes/kinds.ts';
import { isNotFound, KubernetesError, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Metadata } from '../../crds/resource.ts';
import type { AnalysisVerdict } from '../../domain/rollout/measure/analysis.ts';
import { buildJob, ENDED, jobVerdict, type Job } from '../../domain/rollout/measure/job.ts';
import { CELL_LABEL, ROLLOUT_LABEL, STEP_LABEL } from '../../domain/kubernetes/labels.ts';
import type { JobActivities, JobRequest } from '../contract.ts';
import { failure } from '../failure.ts';
import { createOnce } from '../kubernetes/writes.ts';
import { ownedByCell } from '../kubernetes/owner-references.ts';
import { permit } from '../permit.ts';

interface JobObject extends Job {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Pick<Metadata, 'name' | 'namespace' | 'labels' | 'ownerReferences'>;
  readonly spec: object;
}

/** Makes the activities that run Jobs for Cells. */
export function jobActivities(kubernetes: KubernetesClient): JobActivities {
  return {
    startJob: (request) => start(kubernetes, request),
    readJob: async (key) => jobVerdict(key.name, await kubernetes.get<JobObject>(JOB, key)),
    async terminateJob(key) {
      try {
        return jobVerdict(key.name, await kubernetes.patch<JobObject>(JOB, key, { spec: ENDED }));
      } catch (error) {
        if (isNotFound(error)) return jobVerdict(key.name, undefined);
        throw error;
      }
    },
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

function jobFor({ cell, name, rollout, step, desiredVersion, job }: JobRequest): JobObject {
  const labels = {
    [CELL_LABEL]: cell.key.name,
    [ROLLOUT_LABEL]: rollout,
    ...(step === undefined ? {} : { [STEP_LABEL]: String(step) }),
  };
  const { namespace } = cell.key;
  const env = {
    OKRA_NAMESPACE: namespace,
    OKRA_CELL: cell.key.name,
    OKRA_ROLLOUT: rollout,
    OKRA_VERSION: desiredVersion,
  };
  const built = buildJob(job, { labels, env });
  if (!built.ok) throw failure('JobInvalid', built.problem);
  return {
    apiVersion: JOB.apiVersion,
    kind: JOB.kind,
    metadata: { namespace, name, labels, ownerReferences: ownedByCell(cell) },
    spec: built.spec,
  };
}

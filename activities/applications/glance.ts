import { digest } from '../../clients/digest.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { assumeFacts } from '../../domain/applications/assumed.ts';
import { childName } from '../../domain/applications/names.ts';
import { markOf } from '../../domain/applications/state.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import { observeCell } from '../rollout/observe-cell.ts';
import { readCell } from './dependencies.ts';
import { findRevisions } from './revisions.ts';

/** Looks at a Cell with applications without EKS, its clusters, Secrets and Argo CD: what was good is taken to be in place. What is assumed are sentences without an end. */
export async function glanceAtApplications(
  kubernetes: Pick<KubernetesClient, 'get' | 'list'>,
  key: ObjectKey,
) {
  const read = await readCell(kubernetes, key);
  if (read === undefined || read.object.metadata.deletionTimestamp !== undefined) return undefined;
  const { spec, problems, object } = read;
  if (problems.length > 0) return { key, spec, applications: [], assumed: [], problems };
  const revisions = await findRevisions(kubernetes, read);
  const { resolved, assumed } = assumeFacts({ spec, revisions, digest });
  const applications = spec.applications.map(async (application) => ({
    application,
    resolved: resolved[application.name] ?? { ok: false, problems: [] },
    revisions: revisions.get(application.name) ?? [],
    mark: markOf(object.status, application.name),
    child: await observeCell(kubernetes, { ...key, name: childName(key.name, application.name) }),
  }));
  return { key, spec, applications: await Promise.all(applications), assumed, problems };
}

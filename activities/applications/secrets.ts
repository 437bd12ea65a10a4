import { omit } from '../../domain/model/fields.ts';
import type { EKSCluster } from '../../clients/aws/eks.ts';
import { SECRET } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { accessPolicies } from '../../clients/kubernetes/access-policies.ts';
import { stillThere } from '../../domain/applications/deployments.ts';
import type {
  ObservedRevision,
  ObservedSecret,
  ResolvedCluster,
} from '../../domain/applications/observation.ts';
import {
  desiredSecret,
  isAsWanted,
  marksFor,
  observedSecret,
  writtenAtOf,
  unusedSecrets,
  type Asking,
} from '../../domain/applications/secrets.ts';
import { patchMarks, type Marks } from '../../domain/discovery/generated.ts';
import { CELL_LABEL } from '../../domain/kubernetes/labels.ts';
import { encodeData, findClusterSecrets, type FoundSecret } from '../discovery/cluster-set/cluster-set.ts';
import { failure } from '../failure.ts';
import { remove, unlessChanged } from '../kubernetes/writes.ts';
import { permit } from '../permit.ts';
import { describe, namedUses } from './clusters.ts';
import type { ApplicationsDependencies, LookContext, ReadCell } from './dependencies.ts';
import { leftOn, readArgoCD } from './deployments.ts';
import { findRevisions } from './revisions.ts';

/** Reads the cluster secrets that are a Cell's, or that stand in the place of one of its clusters. */
export async function findSecrets(
  kubernetes: KubernetesClient,
  { namespace, name }: ReadCell['key'],
  clusters: readonly ResolvedCluster[],
): Promise<readonly { readonly observed: ObservedSecret; readonly found: FoundSecret }[]> {
  const wanted = new Set(clusters.map(({ secretName }) => secretName));
  const all = await findClusterSecrets(kubernetes, namespace, [...wanted]);
  return all
    .filter((secret) => wanted.has(secret.name) || isOwn(secret, name))
    .map((found) => ({ found, observed: observedSecret(found, name) }));
}

const isOwn = ({ labels }: FoundSecret, cell: string): boolean => labels[CELL_LABEL] === cell;

/** Has the secrets of the clusters of a revision say what an application asks of them. */
export async function applySecrets(
  key: ReadCell['key'],
  revision: ObservedRevision,
  dependencies: ApplicationsDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { clusters, secretLabels, application } = revision.content;
  const known = await describedAsKept(revision, { key, dependencies, signal });
  const secrets = await findSecrets(dependencies.kubernetes, key, clusters);
  const { kubernetes } = dependencies;
  // Several entries of the Cell may be of one cluster, which has one secret.
  for (const cluster of new Map(clusters.map((one) => [one.eksName, one])).values()) {
    const eks = known.find(({ name }) => name === cluster.eksName);
    const { found, observed } = secrets.find((one) => one.found.name === cluster.secretName) ?? {};
    if (found !== undefined && observed?.isOwn !== true)
      throw failure(
        'Conflict',
        `Secret ${found.name} in namespace ${key.namespace} exists and does not belong to this Cell; it is left as it is. Delete or rename it, or have the ClusterSet that creates it select other clusters.`,
      );
    if (eks === undefined) continue;
    const of = { cell: key.name, cluster, eks };
    const asking = { ...observed?.applications, [application.name]: secretLabels };
    const before = writtenAtOf(found?.annotations ?? {});
    // When nothing changes for an application, it does not wait for Argo CD to look again.
    if (found !== undefined && isAsWanted(found, desiredSecret(of, asking, before))) continue;
    const wanted = desiredSecret(of, asking, { ...before, [application.name]: Date.now() });
    const { name, content, ...marks } = wanted;
    const data = encodeData(content);
    if (found !== undefined) {
      await change(kubernetes, key, found, { marks, data });
      continue;
    }
    const { apiVersion, kind } = SECRET;
    const metadata = { namespace: key.namespace, name, ...marks };
    const secret = { apiVersion, kind, metadata, type: 'Opaque', data };
    await unlessChanged(`Secret ${key.namespace}/${name}`, () => kubernetes.create(secret));
  }
}

/** What EKS says of the clusters of a revision: who wrote the ControllerRevision must not say where Argo CD sends its tokens. */
async function describedAsKept(
  { number, content }: ObservedRevision,
  { key, dependencies, signal }: LookContext,
): Promise<readonly EKSCluster[]> {
  const names = content.clusters.map(({ eksName }) => eksName);
  const access = await accessPolicies(dependencies.kubernetes).of(key.namespace, signal);
  permit(access, namedUses(names, dependencies));
  const { clusters, denied } = await describe(names, dependencies, signal);
  const [refused] = denied;
  if (refused !== undefined) throw refused.error;
  permit(
    access,
    clusters.map(({ arn }) => ({ of: 'Cluster', arn }) as const),
  );
  for (const kept of content.clusters) {
    const eks = clusters.find(({ name }) => name === kept.eksName);
    if (eks?.endpoint === kept.server && eks.caData === kept.certificateAuthority) continue;
    const got = eks === undefined ? 'no such cluster' : 'another';
    throw failure(
      'Conflict',
      `EKS reports another endpoint or CA for cluster ${kept.eksName} than revision ${number} has: ${got}. Edit the Cell, so that a new revision has the present one.`,
    );
  }
  return clusters;
}

async function change(
  kubernetes: KubernetesClient,
  { namespace }: ReadCell['key'],
  found: FoundSecret,
  { marks, ...patch }: { readonly marks: Marks; readonly data?: object },
): Promise<void> {
  const { name, resourceVersion } = found;
  const metadata = { ...patchMarks(found, marks), resourceVersion };
  await unlessChanged(`Secret ${namespace}/${name}`, () =>
    kubernetes.patch(SECRET, { namespace, name }, { metadata, ...patch }),
  );
}

/** Takes an application, and the labels that only it asks for, from the secrets of clusters that are not among those named. */
export async function removeLabels(
  kubernetes: KubernetesClient,
  key: ReadCell['key'],
  application: string,
  keep: readonly ResolvedCluster[],
): Promise<void> {
  const kept = new Set(keep.map(({ secretName }) => secretName));
  for (const { found, observed } of await findSecrets(kubernetes, key, [])) {
    if (kept.has(found.name) || !Object.hasOwn(observed.applications, application)) continue;
    await ask(kubernetes, key, found, omit(observed.applications, application));
  }
}

const ask = (
  kubernetes: KubernetesClient,
  key: ReadCell['key'],
  found: FoundSecret,
  asking: Asking,
): Promise<void> => change(kubernetes, key, found, { marks: marksFor(found, key.name, asking) });

/** Deletes the secrets that no application asks for, except where Argo CD still has an Application, and says which those are. */
export async function deleteUnused(kubernetes: KubernetesClient, read: ReadCell): Promise<readonly string[]> {
  const { key, spec } = read;
  const found = await findSecrets(kubernetes, key, []);
  const unused = unusedSecrets(found.map(({ observed }) => observed));
  if (unused.length === 0) return [];
  const argoCD = await readArgoCD(kubernetes, key.namespace);
  const revisions = await findRevisions(kubernetes, read);
  const left: string[] = [];
  for (const { found: secret, observed } of found.filter((one) => unused.includes(one.observed))) {
    const application = leftOn(secret, argoCD, spec.applications, revisions);
    if (application !== undefined) left.push(stillThere(`Application ${application}`, secret.name));
    else if (!observed.isIntact) {
      await ask(kubernetes, key, secret, {});
      left.push(`Secret ${secret.name} was changed by another client.`);
    } else {
      const at = { namespace: key.namespace, name: secret.name };
      await remove(kubernetes, { kind: SECRET, key: at }, secret.uid, secret.resourceVersion);
    }
  }
  return left;
}

/** Takes all labels from the secrets of a Cell, and deletes those where Argo CD has nothing left; says where it has. */
export async function deleteSecrets(
  kubernetes: KubernetesClient,
  read: ReadCell,
): Promise<readonly string[]> {
  for (const { found, observed } of await findSecrets(kubernetes, read.key, []))
    if (Object.keys(observed.applications).length > 0) await ask(kubernetes, read.key, found, {});
  return await deleteUnused(kubernetes, read);
}

import type { EKSCluster, NamedClusters } from '../../clients/aws/eks.ts';
import { digest } from '../../clients/digest.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { StoredClusterSecret } from '../../clients/kubernetes/remote-clusters.ts';
import { inBatches } from '../../clients/concurrency.ts';
import { accessPolicies } from '../../clients/kubernetes/access-policies.ts';
import type { ClusterOfCell, ApplicationOfCell } from '../../crds/application.ts';
import { refusalOf, type Use } from '../../domain/access/access.ts';
import type { ObservedCluster } from '../../domain/applications/observation.ts';
import { secretNameOf } from '../../domain/discovery/cluster-set/cluster-set.ts';
import { clusterSecretValues } from '../../domain/discovery/clusters/cluster-secret.ts';
import { SECRET_TYPE_CLUSTER, SECRET_TYPE_LABEL } from '../../domain/kubernetes/labels.ts';
import { failure, toFailure } from '../failure.ts';
import type { ApplicationsDependencies, LookContext, ReadCell } from './dependencies.ts';
import {
  boundTargetGroup,
  eksNameOf,
  type Facts,
  type FoundBinding,
} from '../../domain/applications/resolve.ts';
import type { RemoteBinding } from '../../domain/discovery/target-group-set/observed-target-group-set.ts';
import { listBindings } from '../discovery/clusters/target-group-bindings.ts';

type Listed =
  { readonly ok: true; readonly bindings: readonly RemoteBinding[] } | Extract<FoundBinding, { ok: false }>;

/** Finds what `targetgroupBindingSelector` of each application selects in each cluster; a cluster that no application asks about is left alone. */
export async function findBindings(
  applications: readonly ApplicationOfCell[],
  clusters: readonly LookedAtCluster[],
): Promise<Facts['bindings']> {
  const asking = applications.flatMap(({ name, alb }) => {
    const selector = alb?.forwardConfig.targetGroup.targetgroupBindingSelector;
    return selector === undefined ? [] : [{ name, selector }];
  });
  if (asking.length === 0) return {};
  const listed = await inBatches(
    clusters,
    AT_ONCE,
    async (cluster) => [cluster.observed.name, await listIn(cluster)] as const,
  );
  const boundIn = (selector: string) =>
    Object.fromEntries(
      listed.map(([name, found]) => [
        name,
        found.ok ? boundTargetGroup(name, selector, found.bindings) : found,
      ]),
    );
  return Object.fromEntries(asking.map(({ name, selector }) => [name, boundIn(selector)]));
}

async function listIn({ client, observed }: LookedAtCluster): Promise<Listed> {
  if (client === undefined) return { ok: false, message: observed.message, isUnanswered: true };
  try {
    const kinds = (await listBindings(client)).filter((kind) => kind !== undefined);
    if (kinds.length > 0) return { ok: true, bindings: kinds.flat() };
    const message = `Cluster ${observed.name} does not have the CRD TargetGroupBinding. Install the AWS Load Balancer Controller there.`;
    return { ok: false, message };
  } catch (error) {
    return { ok: false, message: toFailure(error).message, isUnanswered: true };
  }
}

/** A cluster of a Cell, and a way into it. */
export interface LookedAtCluster {
  readonly observed: ObservedCluster;
  readonly client?: KubernetesClient;
}

const AT_ONCE = 16;

/** Looks at all clusters of a Cell, side by side: what EKS says, and whether their API servers are ready. While EKS does not answer, nothing is known of any. */
export async function lookAtClusters(
  of: Pick<ReadCell, 'key' | 'spec'>,
  dependencies: ApplicationsDependencies,
  signal: AbortSignal,
): Promise<readonly LookedAtCluster[]> {
  const { key, spec } = of;
  const access = await accessPolicies(dependencies.kubernetes).of(key.namespace, signal);
  const names = spec.clusters.map(eksNameOf);
  // Who may not use clusters is not told whether there are any.
  const refusals = new Map(
    namedUses(names, dependencies).flatMap((use) => {
      const refusal = refusalOf(access, use);
      return refusal === undefined ? [] : [[use.name, refusal] as const];
    }),
  );
  const asked = names.filter((name) => !refusals.has(name));
  const { clusters, denied } = await describe(asked, dependencies, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    // What goes back needs no answer of EKS.
    return { clusters: [], denied: asked.map((name) => ({ name, error })) };
  });
  for (const { name, error } of denied) refusals.set(name, toFailure(error).message);
  return inBatches(spec.clusters, AT_ONCE, async (entry) => {
    const found = clusters.find(({ name }) => name === eksNameOf(entry));
    const refusal =
      refusals.get(eksNameOf(entry)) ?? (found && refusalOf(access, { of: 'Cluster', arn: found.arn }));
    return refusal === undefined ? lookAt(entry, found, { key, dependencies, signal }) : lost(entry, refusal);
  });
}

/** What is known of the clusters of a Cell that nobody has looked at. */
export const unseenClusters = ({ clusters }: ReadCell['spec']): readonly LookedAtCluster[] =>
  clusters.map((entry) => lost(entry, 'It was not observed.'));

/** What a namespace has to be allowed before EKS is asked about clusters by their names. */
export const namedUses = (
  names: readonly string[],
  { region }: Pick<ApplicationsDependencies, 'region'>,
): readonly Extract<Use, { of: 'NamedCluster' }>[] =>
  region === undefined ? [] : names.map((name) => ({ of: 'NamedCluster', region, name }));

/** What EKS says of clusters, by their names in EKS. */
export async function describe(
  names: readonly string[],
  { eks, region }: Pick<ApplicationsDependencies, 'eks' | 'region'>,
  signal: AbortSignal,
): Promise<NamedClusters> {
  if (region === undefined)
    throw failure(
      'InvalidObject',
      'The environment variable AWS_REGION, the region of the clusters of a Cell, is not set. Set it for okrad.',
    );
  return await eks({ region }).named([...new Set(names)], signal);
}

const lost = (
  entry: ClusterOfCell,
  message: string,
  tags: ObservedCluster['tags'] = {},
): LookedAtCluster => ({ observed: { name: entry.name, tags, isReady: false, message } });

async function lookAt(
  entry: ClusterOfCell,
  eks: EKSCluster | undefined,
  { key, dependencies, signal }: LookContext,
): Promise<LookedAtCluster> {
  const { name } = entry;
  const eksName = eksNameOf(entry);
  if (eks === undefined)
    return lost(
      entry,
      `EKS cluster ${eksName} not found. Create it, or correct eks.clusterName of cluster ${name}.`,
    );
  const { endpoint: server, caData: certificateAuthority, status, tags } = eks;
  const inactive = status === 'ACTIVE' ? undefined : `EKS cluster ${eksName} is ${status}, and not ACTIVE.`;
  if (server === undefined || certificateAuthority === undefined)
    return lost(entry, inactive ?? `EKS does not say yet where the API server of ${eksName} is.`, tags);
  const secret = passingSecret(key, { ...eks, endpoint: server, caData: certificateAuthority });
  const way = dependencies.clusters.reach(secret);
  const problem = inactive ?? (await findUnreadiness(way, eksName, signal));
  const found = { name, eksName, server, certificateAuthority, secretName: secretNameOf(eksName) };
  const message = problem ?? 'It is ACTIVE, and its API server is ready.';
  return {
    observed: { name, found, tags, isReady: problem === undefined, message },
    ...(way.is === 'Client' ? { client: way.client } : {}),
  };
}

/** Says why the API server of a cluster is not ready, or not known to be; undefined when it is. */
async function findUnreadiness(
  way: ReturnType<ApplicationsDependencies['clusters']['reach']>,
  eksName: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (way.is === 'Problem') return way.problem;
  try {
    if (await way.client.isReady({ signal })) return undefined;
    return `The API server of ${eksName} does not answer that it is ready (/readyz).`;
  } catch (error) {
    signal.throwIfAborted();
    return toFailure(error).message;
  }
}

/** A secret as it would be for a cluster, which is never written: the way into a cluster is the same as with one. */
function passingSecret(
  { namespace, name: cell }: ReadCell['key'],
  cluster: Pick<EKSCluster, 'name' | 'region'> & { readonly endpoint: string; readonly caData: string },
): StoredClusterSecret {
  const values = clusterSecretValues(cluster);
  const data = Object.entries(values).map(([field, value]) => [field, Buffer.from(value).toString('base64')]);
  return {
    metadata: {
      namespace,
      name: secretNameOf(cluster.name),
      uid: `${namespace}/${cell}/${cluster.name}`,
      resourceVersion: digest(JSON.stringify(values)),
      labels: { [SECRET_TYPE_LABEL]: SECRET_TYPE_CLUSTER },
    },
    data: Object.fromEntries(data),
  };
}

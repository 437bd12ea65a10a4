import { decodeBase64 } from '../../clients/kubernetes/base64.ts';
import { SECRET } from '../../clients/kubernetes/kinds.ts';
import type { StoredClusterSecret } from '../../clients/kubernetes/remote-clusters.ts';
import { readKnownCluster, type KnownCluster } from '../../domain/discovery/clusters/known-cluster.ts';
import { API_VERSION, CLUSTER_SECRETS, SECRET_TYPE_LABEL } from '../../domain/kubernetes/labels.ts';
import { matches } from '../../domain/kubernetes/selector.ts';
import { failed } from '../okractl/shell.ts';
import type { OkraSession } from './shell.ts';

type Texts = Readonly<Record<string, string>>;

/** What the command line says of an AWSTargetGroupSet of one cluster. */
export interface TargetGroupSetOptions {
  readonly clusterName?: string;
  readonly targetgroupbindingSelector?: Texts;
  readonly labels?: Texts;
}

/** A cluster by its name or that of its secret, and the secret. */
export interface NamedCluster {
  readonly cluster: KnownCluster;
  readonly secret: StoredClusterSecret;
}

/** Reads the clusters that have an Argo CD cluster secret in the namespace. */
export async function clustersIn({
  kubernetes,
  namespace,
}: Pick<OkraSession, 'kubernetes' | 'namespace'>): Promise<readonly NamedCluster[]> {
  const which = { namespace, labelSelector: CLUSTER_SECRETS };
  const secrets = await kubernetes.list<StoredClusterSecret>(SECRET, which);
  return secrets.map((secret) => ({ secret, cluster: readKnownCluster(secret, decodeBase64) }));
}

/** Finds the cluster of a name, or of whose secret it is the name, among those of a namespace; throws when several are. */
export function clusterCalled(all: readonly NamedCluster[], name: string, namespace: string): NamedCluster {
  const found = all.filter(({ cluster }) => cluster.name === name || cluster.secret === name);
  const [first, second] = found;
  if (second !== undefined) {
    const each = found
      .map(({ cluster }) => `Secret ${cluster.secret} of cluster ${cluster.name}`)
      .join(' and ');
    throw failed(
      `${name} is ambiguous in namespace ${namespace}: ${each}. Use kubectl on the right Secret, or rename the other one.`,
    );
  }
  if (first !== undefined) return first;
  const names = all.map(({ cluster }) => cluster.name).join(', ');
  throw failed(
    `Argo CD cluster secret of cluster ${name} not found in namespace ${namespace}. Existing: ${names === '' ? 'none' : names}. Create one with okra create cluster.`,
  );
}

/** Makes the AWSTargetGroupSet of one cluster, which it selects by all labels of the secret of that cluster. */
export async function setOfCluster(
  session: OkraSession,
  name: string,
  {
    clusterName,
    targetgroupbindingSelector,
    labels,
  }: TargetGroupSetOptions & { readonly clusterName: string },
): Promise<void> {
  const { kubernetes, namespace } = session;
  const all = await clustersIn(session);
  const { cluster } = clusterCalled(all, clusterName, namespace);
  const { [SECRET_TYPE_LABEL]: _type, ...matchLabels } = cluster.labels;
  const others = all.filter((one) => one.cluster !== cluster && matches({ matchLabels }, one.cluster.labels));
  if (Object.keys(matchLabels).length === 0 || others.length > 0)
    throw failed(
      `cannot select cluster ${clusterName} alone: ${others.length === 0 ? 'its secret has no labels' : `${others.map((one) => one.cluster.name).join(', ')} has the same labels`}. Label the secret ${cluster.secret}, or use okra upsert awstargetgroupset.`,
    );
  await kubernetes.apply(
    targetGroupSet(
      { namespace, name },
      { clusterSelector: matchLabels, bindingSelector: targetgroupbindingSelector, labels },
    ),
  );
}

/** An AWSTargetGroupSet as the command line says it. */
export function targetGroupSet(
  metadata: { readonly namespace: string; readonly name: string },
  {
    clusterSelector,
    bindingSelector,
    labels,
  }: {
    readonly clusterSelector: Texts;
    readonly bindingSelector: Texts | undefined;
    readonly labels: Texts | undefined;
  },
) {
  return {
    apiVersion: API_VERSION,
    kind: 'AWSTargetGroupSet',
    metadata,
    spec: {
      generators: [
        {
          awseks: {
            clusterSelector: { matchLabels: clusterSelector },
            ...(bindingSelector === undefined ? {} : { bindingSelector: { matchLabels: bindingSelector } }),
          },
        },
      ],
      ...(labels === undefined ? {} : { template: { metadata: { labels } } }),
    },
  };
}

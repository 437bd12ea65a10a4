import { decodeBase64 } from '../../../clients/kubernetes/base64.ts';
import { randomUUID } from 'node:crypto';
import { SECRET } from '../../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import type { RemoteClusters, StoredClusterSecret } from '../../../clients/kubernetes/remote-clusters.ts';
import { knownCluster, type KnownCluster } from '../../../domain/discovery/clusters/known-cluster.ts';
import { CLUSTER_SECRETS } from '../../../domain/kubernetes/labels.ts';
import { heldLists, type HeldLists } from './held-lists.ts';
import { latecomers, type Outcome, type Patience } from './latecomers.ts';
import { remoteProblem } from './problem.ts';
import { soleSyncs } from './sole-syncs.ts';

/** A cluster that has an Argo CD cluster secret. */
export interface RemoteCluster {
  readonly cluster: KnownCluster;
  readonly secret: StoredClusterSecret;
}

/** A client of a cluster, and the only namespaces that may be touched in it; none means all. */
export interface ClusterAccess {
  readonly client: KubernetesClient;
  readonly namespaces: readonly string[];
}

/** What was read in a cluster, or why it could not be. */
export type RemoteReading<T> =
  | {
      readonly ok: true;
      readonly value: T;
      /** Whether the cluster is slow, and this is what it said some seconds ago. */
      readonly isLate: boolean;
    }
  | {
      readonly ok: false;
      readonly reason: string;
      readonly message: string;
      /** Whether an answer is still waited for. */
      readonly isLate: boolean;
    };

/** Reads in clusters. */
export interface ClusterReader {
  /** This process, as a sync tells the next one of its object who has made it. */
  readonly by: string;
  /**
   * Begins a sync of an object, and says who has made the last one. When that was another process, or nobody knows, it
   * may have seen something newer than what was late here before now, and that does not count any more. What is read is
   * held until it is disposed of.
   */
  begin(object: string, last: string | undefined): ClusterReads & Disposable;
}

/** Reads in the clusters whose Argo CD cluster secrets are in a namespace, for one sync. */
export interface ClusterReads {
  /** Finds the clusters of a namespace. */
  find(namespace: string): Promise<readonly RemoteCluster[]>;
  /**
   * Reads something in a cluster. One that does not answer soon holds nobody up: what it answers later is what the next
   * reading of the same `what` finds.
   */
  read<T>(
    of: RemoteCluster,
    what: string,
    read: (access: ClusterAccess) => Promise<T>,
  ): Promise<RemoteReading<T>>;
}

/** What clusters are read with. */
export interface ClusterReaderOptions {
  readonly kubernetes: KubernetesClient;
  readonly clusters: RemoteClusters;
}

/** How long a cluster is waited for before the others go on without it, and how long a late answer counts. */
const PATIENCE = { waitMilliseconds: 1_000, keepMilliseconds: 15_000 };

/** After this time it is worth while to look again at a cluster that was late. */
const LATE_AGAIN_SECONDS = 5;

/** After this time it is worth while to look again at a cluster that could not be read. */
export const FAILED_AGAIN_SECONDS = 15;

/** When to look again, if any cluster was late or could not be read. */
export function againAfter(readings: readonly RemoteReading<unknown>[]): {
  readonly againInSeconds?: number;
} {
  if (readings.some(({ isLate }) => isLate)) return { againInSeconds: LATE_AGAIN_SECONDS };
  return readings.some(({ ok }) => !ok) ? { againInSeconds: FAILED_AGAIN_SECONDS } : {};
}

/** Makes a reader, which all activities of a process share. */
export function clusterReader(
  { kubernetes, clusters }: ClusterReaderOptions,
  patience: Patience = PATIENCE,
): ClusterReader {
  const late = latecomers(patience);
  const by = randomUUID();
  const sole = soleSyncs();
  const hold = heldLists(patience);
  const reads = (since: number, held: HeldLists): ClusterReads & Disposable => ({
    async find(namespace) {
      const which = { namespace, labelSelector: CLUSTER_SECRETS };
      const secrets = await kubernetes.list<StoredClusterSecret>(SECRET, which);
      clusters.keep(namespace, new Set(secrets.map(({ metadata }) => metadata.uid)));
      return secrets.map((secret) => ({ secret, cluster: knownCluster(secret, decodeBase64) }));
    },
    async read({ secret, cluster }, what, read) {
      const reach = clusters.reach(secret);
      if (reach.is === 'Problem') {
        return { ok: false, reason: 'InvalidSecret', message: reach.problem, isLate: false };
      }
      const { namespace, uid, resourceVersion } = secret.metadata;
      const key = `${uid} ${resourceVersion} ${what}`;
      const of = { tenant: { namespace, cluster: uid, name: cluster.name }, client: reach.client };
      const begun = () => held.read(of, (client) => read({ ...reach, client }));
      return readingOf(await late.wait(key, begun, since), cluster.name);
    },
    [Symbol.dispose]: () => held[Symbol.dispose](),
  });
  return {
    by,
    begin(object, last) {
      return reads(sole.note({ object, isSole: last === by, time: late.now() }), hold());
    },
  };
}

function readingOf<T>(outcome: Outcome<T>, cluster: string): RemoteReading<T> {
  switch (outcome.is) {
    case 'Done':
      return { ok: true, value: outcome.value, isLate: outcome.isLate };
    case 'Failed':
      return { ok: false, ...remoteProblem(outcome.error, cluster), isLate: outcome.isLate };
    case 'Waiting': {
      const seconds = PATIENCE.waitMilliseconds / 1000;
      const message = `Expected cluster ${cluster} to answer within ${seconds} s, got nothing yet. What it had before stays; look at its API server if this goes on.`;
      return { ok: false, reason: 'ClusterSlow', message, isLate: true };
    }
  }
}

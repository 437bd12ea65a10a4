import { decodeBase64 } from '../../../clients/kubernetes/base64.ts';
import { randomUUID } from 'node:crypto';
import { SECRET, type KindRef } from '../../../clients/kubernetes/kinds.ts';
import { type KubernetesClient, KubernetesError } from '../../../clients/kubernetes/kubernetes.ts';
import type { RemoteClusters, StoredClusterSecret } from '../../../clients/kubernetes/remote-clusters.ts';
import { knownCluster, type KnownCluster } from '../../../domain/discovery/clusters/known-cluster.ts';
import { CLUSTER_SECRETS } from '../../../domain/kubernetes/labels.ts';
import { latecomers, type Outcome, type Patience } from './latecomers.ts';
import { tooMuchListed } from '../../../clients/kubernetes/kubernetes-error.ts';
import type { SnapshotOptions } from '../../../clients/kubernetes/kubernetes-list.ts';
import { HELD } from '../../../clients/kubernetes/limits.ts';
import { createAccount, type Tenant } from '../../../clients/kubernetes/tenant-account.ts';
import { toFailure } from '../../failure.ts';

/** Since when this process alone has synced an object. */
interface SoleSyncs {
  /** Notes a sync; the time of it, or that of an earlier one when nobody else has synced the object since. */
  note(sync: { readonly object: string; readonly isSole: boolean; readonly time: number }): number;
  readonly size: number;
}

// An object that is synced no more is gone, or another process looks after it.
const FORGET_AFTER_MILLISECONDS = 600_000;

/** Makes it empty; those whose syncs are long ago are forgotten, and count as new. By a clock of milliseconds that never goes back. */
export function soleSyncs(now: () => number = () => performance.now()): SoleSyncs {
  // The one whose sync is longest ago comes first.
  const noted = new Map<string, { readonly since: number; readonly at: number }>();

  function forget(): void {
    for (const [object, { at }] of noted) {
      if (now() - at < FORGET_AFTER_MILLISECONDS) return;
      noted.delete(object);
    }
  }

  return {
    note({ object, isSole, time }) {
      forget();
      const since = (isSole ? noted.get(object)?.since : undefined) ?? time;
      noted.delete(object);
      noted.set(object, { since, at: now() });
      return since;
    },
    get size() {
      return noted.size;
    },
  };
}

/** Says in a word and a sentence why a cluster could not be read. */
function remoteProblem(
  error: unknown,
  cluster: string,
): { readonly reason: string; readonly message: string } {
  const { message } = toFailure(error);
  const reason = reasonOf(error);
  if (reason === 'KindNotInstalled') {
    return {
      reason,
      message: `Expected the kind that is looked for to be installed in cluster ${cluster}, got: ${message} Install it; what the cluster had before stays.`,
    };
  }
  return { reason, message: `${message} What cluster ${cluster} had before stays.` };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof KubernetesError)) return 'Unreachable';
  if (isWithheld(error.reason)) return error.reason;
  if (error.reason === 'LoginFailed' || error.status === 401 || error.status === 403) return 'AccessDenied';
  if (error.status === 404) return 'KindNotInstalled';
  return error.status === 0 ? 'Unreachable' : 'Unavailable';
}

/** Whether Okra does not show its identity to whom a secret names. */
const isWithheld = (reason: string): boolean => reason === 'ForeignEndpoint' || reason === 'NotAllowed';

/** What a sync holds of what it reads in clusters, until it is disposed of. */
export interface HeldLists extends Disposable {
  /** Reads in a cluster as long as what the clusters of its namespace have said, and is held, is not too much. */
  read<T>(
    of: { readonly tenant: Tenant; readonly client: KubernetesClient },
    read: (client: KubernetesClient) => Promise<T>,
  ): Promise<T>;
}

/** Makes the count of what all syncs of a process hold at once, so that no namespace takes up the memory of all others. */
export function heldLists({ waitMilliseconds, keepMilliseconds }: Patience, limits = HELD): () => HeldLists {
  const account = createAccount(limits);
  return () => {
    const over = Promise.withResolvers<undefined>();
    return {
      [Symbol.dispose]: () => over.resolve(undefined),
      async read({ tenant, client }, read) {
        let held = 0;
        const measured = (_: unknown, characters: number): void => {
          const size = EACH + characters;
          const full = account.full(tenant, size);
          if (full !== undefined) throw tooMuchListed(full);
          account.add(tenant, size);
          held += size;
        };
        const list = <T>(kind: KindRef, options?: SnapshotOptions<T>): Promise<T[]> =>
          client.list<T>(kind, { ...options, measured });
        const release = (): void => account.add(tenant, -held);
        const begunAt = performance.now();
        try {
          return await read({ ...client, list });
        } finally {
          // What is late is kept for the next sync.
          const isLate = performance.now() - begunAt >= waitMilliseconds;
          void over.promise.then(() =>
            isLate ? void setTimeout(release, keepMilliseconds).unref() : release(),
          );
        }
      },
    };
  };
}

// What an object takes up beside what it says.
const EACH = 500;

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

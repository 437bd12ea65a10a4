import { decodeBase64 } from '../../../clients/kubernetes/base64.ts';
import { SECRET } from '../../../clients/kubernetes/kinds.ts';
import { type KubernetesClient, KubernetesError } from '../../../clients/kubernetes/kubernetes.ts';
import type { RemoteClusters, StoredClusterSecret } from '../../../clients/kubernetes/remote-clusters.ts';
import { readKnownCluster, type KnownCluster } from '../../../domain/discovery/clusters/known-cluster.ts';
import { CLUSTER_SECRETS } from '../../../domain/kubernetes/labels.ts';
import { toFailure } from '../../failure.ts';
import { setTimeout as wait } from 'node:timers/promises';

/** The outcome of a read: its end, or that it has none within the deadline. */
type Outcome<T> =
  | { readonly is: 'Done'; readonly value: T }
  | { readonly is: 'Failed'; readonly error: unknown }
  | { readonly is: 'Waiting' };

/** A read under way, and the one that begins after it for those who ask meanwhile. */
interface Flight {
  readonly ended: Promise<Outcome<unknown>>;
  isLate: boolean;
  next?: Flight;
}

const WAITING = { is: 'Waiting' } as const;

/** How long what was read too late is kept for who asks next, who does so after FAILED_AGAIN_SECONDS. */
const KEPT_MILLISECONDS = 60_000;

/** Shares reads by key, none waited for longer than a deadline in ms: never two at once, none begun before its caller asked but one late for the caller before. */
export function createSingleFlight(deadlineMilliseconds: number) {
  const flights = new Map<string, Flight>();
  const kept = new Map<string, Outcome<unknown>>();

  function begin(key: string, read: () => Promise<unknown>, after: Promise<unknown>): Flight {
    const ended = after
      .then(() => settle(read))
      .then((outcome) => {
        if (flight.isLate && outcome.is === 'Done') keep(key, outcome);
        if (flight.next === undefined) flights.delete(key);
        else flights.set(key, flight.next);
        return outcome;
      });
    const flight: Flight = { ended, isLate: false };
    return flight;
  }

  function keep(key: string, outcome: Outcome<unknown>): void {
    kept.set(key, outcome);
    setTimeout(() => {
      if (kept.get(key) === outcome) kept.delete(key);
    }, KEPT_MILLISECONDS).unref();
  }

  return async <T>(key: string, read: () => Promise<T>): Promise<Outcome<T>> => {
    const found = kept.get(key);
    kept.delete(key);
    if (found !== undefined) return found as Outcome<T>;
    const before = flights.get(key);
    if (before?.isLate === true) return WAITING;
    const flight = before?.next ?? begin(key, read, before?.ended ?? Promise.resolve());
    if (before === undefined) flights.set(key, flight);
    else before.next = flight;
    const stop = new AbortController();
    const late = wait(deadlineMilliseconds, WAITING, { signal: stop.signal, ref: false });
    const outcome = await Promise.race([flight.ended, late]);
    stop.abort();
    late.catch(() => undefined);
    if (outcome === WAITING) (flights.get(key) ?? flight).isLate = true;
    return outcome as Outcome<T>;
  };
}

async function settle(read: () => Promise<unknown>): Promise<Outcome<unknown>> {
  try {
    return { is: 'Done', value: await read() };
  } catch (error) {
    return { is: 'Failed', error };
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof KubernetesError)) return 'Unreachable';
  // Okra does not show its identity to whom a secret names.
  if (error.reason === 'ForeignEndpoint' || error.reason === 'NotAllowed') return error.reason;
  if (error.reason === 'LoginFailed' || error.status === 401 || error.status === 403) return 'AccessDenied';
  if (error.status === 404) return 'KindNotInstalled';
  return error.status === 0 ? 'Unreachable' : 'Unavailable';
}

interface RemoteCluster {
  readonly cluster: KnownCluster;
  readonly secret: StoredClusterSecret;
}

/** A client of a cluster, and the only namespaces that may be touched in it; none means all. */
export interface ClusterAccess {
  readonly client: KubernetesClient;
  readonly namespaces: readonly string[];
}

type RemoteReading<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string; readonly message: string };

/** Reads in the clusters whose Argo CD cluster secrets are in a namespace. */
export type ClusterReader = ReturnType<typeof createClusterReader>;

/** How long to wait for a cluster before the others continue without it: less than one request may take, so that a cluster that hangs is not waited for again meanwhile. */
const DEADLINE_SECONDS = 5;

/** After this time it is worth looking again at a cluster that could not be read. */
export const FAILED_AGAIN_SECONDS = 15;

/** Says when to look again, if any cluster could not be read. */
export const retryUnreadInSeconds = (readings: readonly { readonly ok: boolean }[]): number | undefined =>
  readings.some(({ ok }) => !ok) ? FAILED_AGAIN_SECONDS : undefined;

/** Makes a reader, which all activities of a process share. */
export function createClusterReader({
  kubernetes,
  clusters,
}: {
  readonly kubernetes: KubernetesClient;
  readonly clusters: RemoteClusters;
}) {
  const share = createSingleFlight(DEADLINE_SECONDS * 1000);
  return {
    async find(namespace: string): Promise<readonly RemoteCluster[]> {
      const which = { namespace, labelSelector: CLUSTER_SECRETS };
      const secrets = await kubernetes.list<StoredClusterSecret>(SECRET, which);
      clusters.keep(namespace, new Set(secrets.map(({ metadata }) => metadata.uid)));
      return secrets.map((secret) => ({ secret, cluster: readKnownCluster(secret, decodeBase64) }));
    },
    /** Reads something in a cluster; one that does not answer within a deadline holds up no other. */
    async read<T>(
      { secret, cluster }: RemoteCluster,
      what: string,
      read: (access: ClusterAccess) => Promise<T>,
    ): Promise<RemoteReading<T>> {
      const reach = clusters.reach(secret);
      if (reach.is === 'Problem') return { ok: false, reason: 'InvalidSecret', message: reach.problem };
      const { uid, resourceVersion } = secret.metadata;
      return readingOf(await share(`${uid} ${resourceVersion} ${what}`, () => read(reach)), cluster.name);
    },
  };
}

function readingOf<T>(outcome: Outcome<T>, cluster: string): RemoteReading<T> {
  if (outcome.is === 'Done') return { ok: true, value: outcome.value };
  if (outcome.is === 'Waiting') {
    const message = `cluster ${cluster} did not answer within ${DEADLINE_SECONDS} s. What was found there before is kept; check its API server.`;
    return { ok: false, reason: 'ClusterSlow', message };
  }
  const reason = reasonOf(outcome.error);
  const { message } = toFailure(outcome.error);
  const explained =
    reason === 'KindNotInstalled'
      ? `The CRD is not installed in cluster ${cluster}: ${message} Install it; what was found there before is kept.`
      : `${message} What was found in cluster ${cluster} before is kept.`;
  return { ok: false, reason, message: explained };
}

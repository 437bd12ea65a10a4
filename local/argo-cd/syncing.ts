import { setTimeout as wait } from 'node:timers/promises';
import { APPLICATION, SECRET } from '../../clients/kubernetes/kinds.ts';
import {
  isConflict,
  isNotFound,
  KubernetesError,
  type KubernetesClient,
} from '../../clients/kubernetes/kubernetes.ts';
import { CLUSTER_SECRETS } from '../../domain/kubernetes/labels.ts';
import { watchObjects } from '../watched.ts';

/** How an Application fares: it is deployed well, gets on badly, is not looked at, or is told of as it was before. */
export type Fate = 'Healthy' | 'Degraded' | 'Ignored' | 'Stale';

interface Destination {
  readonly server?: string;
  readonly name?: string;
}

/** The secret of a cluster. */
interface ClusterSecret {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly data?: Readonly<Record<string, string>>;
}

/** What an Application asks for, as far as the play goes by it. */
interface ApplicationObject {
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly resourceVersion: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
  };
  readonly spec: { readonly source?: object; readonly destination: Destination };
  readonly status?: {
    readonly sync?: { readonly status?: string; readonly comparedTo?: { readonly destination?: object } };
    readonly health?: { readonly status?: string };
  };
}

/** What may be chosen about the play. */
export interface SyncingOptions {
  readonly namespace: string;
  /** How long a deployment takes. */
  readonly takesMs?: number;
  /** What becomes of an Application; by default it is deployed well. */
  readonly fateOf?: (application: { readonly name: string; readonly server: string }) => Fate;
}

// Long ago: before any secret of a test was written.
const BEFORE = '2020-01-01T00:00:00Z';

/** A play of the application controller. */
export interface Syncing extends AsyncDisposable {
  /** What runs on the cluster with an address: the Applications whose objects are deployed there, also where these are gone. */
  runningOn(server: string): readonly string[];
}

/**
 * Plays the application controller of Argo CD, by the status that it has published for argoproj.io/v1alpha1: it compares,
 * syncs, and deletes what an Application has deployed before it lets that go. Without the secret of the cluster it lets it go
 * at once, and what is deployed stays. There is neither Git nor an image, so that it only notes what runs.
 */
export function playSyncing(kubernetes: KubernetesClient, options: SyncingOptions): Syncing {
  const end = new AbortController();
  const running = new Map<string, Set<string>>();
  const playing = play(kubernetes, { ...options, running }, end.signal);
  return {
    runningOn: (server) => [...(running.get(server) ?? [])],
    [Symbol.asyncDispose]: async () => {
      end.abort();
      await playing;
    },
  };
}

async function play(
  kubernetes: KubernetesClient,
  options: SyncingOptions & { readonly running: Map<string, Set<string>> },
  signal: AbortSignal,
): Promise<void> {
  const { namespace, takesMs = 0, running } = options;
  const under = new Map<string, number>();
  await using watched = watchObjects<ApplicationObject>({ kubernetes, kind: APPLICATION, namespace, signal });
  const labelSelector = CLUSTER_SECRETS;
  await using secrets = watchObjects<ClusterSecret>({
    kubernetes,
    kind: SECRET,
    namespace,
    labelSelector,
    signal,
  });
  // How an Application is to fare is changed without its being changed itself, so that all are looked at again.
  for (; !signal.aborted; await wait(100, undefined, { signal }).catch(() => undefined)) {
    for (const application of watched.objects.values()) {
      const { name, resourceVersion } = application.metadata;
      const patch = answerTo(application, options);
      if (patch === undefined) continue;
      const since = under.get(name) ?? Date.now();
      under.set(name, since);
      if (Date.now() - since < takesMs) continue;
      under.delete(name);
      const server = serverOf(application.spec.destination, secrets.objects.values());
      const there = server === undefined ? undefined : (running.get(server) ?? new Set());
      if (server !== undefined && there !== undefined) running.set(server, there);
      if (patch.status === undefined) there?.delete(name);
      else there?.add(name);
      await write(kubernetes, { namespace, name }, { ...patch, ...versioned(patch, resourceVersion) });
    }
  }
}

/** The address of the cluster that an Application is for; undefined while it has no secret. */
function serverOf({ server, name }: Destination, secrets: Iterable<ClusterSecret>): string | undefined {
  const text = (base64 = ''): string => Buffer.from(base64, 'base64').toString('utf8');
  for (const { data = {} } of secrets)
    if (server === undefined ? text(data['name']) === name : text(data['server']) === server)
      return text(data['server']);
  return undefined;
}

const versioned = (patch: { readonly metadata?: object }, resourceVersion: string) => ({
  metadata: { ...patch.metadata, resourceVersion },
});

/** What is to be written of an Application; undefined when it says already what it should. */
function answerTo(
  { metadata, spec, status }: ApplicationObject,
  { fateOf = () => 'Healthy' }: SyncingOptions,
): { readonly metadata?: object; readonly status?: object } | undefined {
  const fate = fateOf({ name: metadata.name, server: spec.destination.server ?? '' });
  if (fate === 'Ignored') return undefined;
  if (metadata.deletionTimestamp !== undefined) {
    return (metadata.finalizers ?? []).length === 0 ? undefined : { metadata: { finalizers: null } };
  }
  const health = fate === 'Degraded' ? 'Degraded' : 'Healthy';
  const comparedTo = { source: spec.source, destination: spec.destination };
  const isSaid =
    status?.health?.status === health &&
    JSON.stringify(status.sync?.comparedTo?.destination) === JSON.stringify(spec.destination);
  if (isSaid) return undefined;
  const time = fate === 'Stale' ? BEFORE : new Date().toISOString();
  return {
    status: {
      sync: { status: 'Synced', revision: 'a'.repeat(40), comparedTo },
      health: { status: health },
      reconciledAt: time,
      operationState: {
        operation: { sync: {} },
        phase: 'Succeeded',
        startedAt: time,
        finishedAt: time,
      },
    },
  };
}

async function write(
  kubernetes: KubernetesClient,
  key: { readonly namespace: string; readonly name: string },
  patch: object,
): Promise<void> {
  try {
    await kubernetes.patch(APPLICATION, key, patch);
  } catch (error) {
    // The ApplicationSet controller has written meanwhile, the Application is gone, or the API server is being started again.
    const isUnreachable = error instanceof KubernetesError && error.status === 0;
    if (!isConflict(error) && !isNotFound(error) && !isUnreachable) throw error;
  }
}

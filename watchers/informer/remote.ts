import type { Log } from '../../clients/log.ts';
import type { Reach, RemoteClusters, StoredClusterSecret } from '../../clients/kubernetes/remote-clusters.ts';
import { trimRemote, type RemoteObject } from '../../domain/discovery/clusters/seen.ts';
import { runInformer, type InformerTiming } from './informer.ts';
import type { Instruction } from '../instruction.ts';
import {
  remoteKinds,
  isBindingKind,
  remoteWatches,
  routeRecovery,
  routeRemote,
  type RemoteWatch,
} from '../routes/route-remote.ts';
import type { View } from './store.ts';

/** Watches clusters: what is looked for in them, and no more. */
interface RemoteWatching {
  /** Watches from now on what has to be watched by what is known now. */
  refresh(): void;
  /** Ends when nothing is watched any more, after the signal. */
  ended(): Promise<void>;
}

/** What clusters are watched with. */
interface RemoteWatchingOptions {
  readonly clusters: RemoteClusters;
  readonly view: View;
  readonly dispatch: (instruction: Instruction) => void;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly timing?: Partial<InformerTiming>;
}

interface Running {
  readonly resourceVersion: string;
  readonly stop: AbortController;
}

// A cluster may be away for long, and there may be many.
const BACKOFF = { first: 500, longest: 15_000 };

/** Begins to watch clusters. */
export function watchRemotely(options: RemoteWatchingOptions): RemoteWatching {
  const { clusters, view, log, signal } = options;
  const running = new Map<string, Running>();
  const ending = new Set<Promise<void>>();
  let namespaces = new Set<string>();

  function start(key: string, watch: RemoteWatch, reach: Extract<Reach, { is: 'Client' }>): void {
    const stop = new AbortController();
    running.set(key, { resourceVersion: watch.secret.metadata.resourceVersion, stop });
    const until = AbortSignal.any([signal, stop.signal]);
    const ended = inform(watch, reach, { ...options, signal: until }).finally(() => ending.delete(ended));
    ending.add(ended);
  }

  /** What the secrets of a namespace have watched; nothing where this version cannot read an object there. */
  function watchesOf(namespace: string, secrets: readonly StoredClusterSecret[]): readonly Expanded[] {
    try {
      return remoteWatches(secrets, view).flatMap((watch) => expand(watch, clusters));
    } catch (error) {
      log.error({ namespace, err: error }, 'clusters of a namespace not watched');
      return [];
    }
  }

  return {
    refresh() {
      if (signal.aborted) return;
      namespaces = forget(clusters, view.Secret.list(), namespaces);
      const secrets = Map.groupBy(view.Secret.list(), ({ metadata }) => metadata.namespace);
      const wanted = new Map([...secrets].flatMap(([namespace, some]) => watchesOf(namespace, some)));
      for (const [key, { resourceVersion, stop }] of running) {
        if (wanted.get(key)?.watch.secret.metadata.resourceVersion === resourceVersion) continue;
        stop.abort();
        running.delete(key);
      }
      for (const [key, { watch, reach }] of wanted) if (!running.has(key)) start(key, watch, reach);
    },
    ended: async () => void (await Promise.all(ending)),
  };
}

/** Forgets how clusters were reached whose secrets are gone; says in which namespaces there are secrets. */
function forget(
  clusters: RemoteClusters,
  secrets: Iterable<StoredClusterSecret>,
  before: ReadonlySet<string>,
): Set<string> {
  const uids = Map.groupBy(secrets, ({ metadata }) => metadata.namespace);
  for (const namespace of new Set([...before, ...uids.keys()])) {
    clusters.keep(namespace, new Set((uids.get(namespace) ?? []).map(({ metadata }) => metadata.uid)));
  }
  return new Set(uids.keys());
}

type Expanded = readonly [
  string,
  { readonly watch: RemoteWatch; readonly reach: Extract<Reach, { is: 'Client' }> },
];

/** Splits a watch into those of the namespaces that may be touched; none when the secret cannot be followed, which its readers report. */
function expand(watch: RemoteWatch, clusters: RemoteClusters): readonly Expanded[] {
  const reach = clusters.reach(watch.secret);
  if (reach.is === 'Problem') return [];
  const { kind, namespace, secret } = watch;
  const isBounded = kind !== 'Node' && reach.namespaces.length > 0;
  const allowed = reach.namespaces.filter((one) => namespace === undefined || one === namespace);
  return (isBounded ? allowed : [namespace]).map((one) => [
    [secret.metadata.uid, kind, one ?? ''].join(' '),
    { watch: { ...watch, namespace: one }, reach },
  ]);
}

async function inform(
  watch: RemoteWatch,
  { client, name }: Extract<Reach, { is: 'Client' }>,
  { view, dispatch, log, signal, timing }: RemoteWatchingOptions,
): Promise<void> {
  // What a cluster has when it is first looked at is told at once, and not object by object.
  let isTold = false;
  const tell = (): void => {
    isTold = true;
    routeRecovery(watch, view).forEach(dispatch);
  };
  await runInformer<RemoteObject>({
    kubernetes: client,
    kind: remoteKinds[watch.kind],
    namespace: watch.namespace,
    optional: isBindingKind(watch.kind),
    log: log.child({ cluster: name }),
    signal,
    trim: trimRemote,
    onSynced: tell,
    onEvent: (event) => {
      if (isTold) routeRemote(watch, event, view).forEach(dispatch);
    },
    onRecovered: tell,
    timing: { backoff: BACKOFF, ...timing },
  });
}

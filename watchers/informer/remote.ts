import type { Log } from '../../clients/log.ts';
import type { Reach, RemoteClusters, StoredClusterSecret } from '../../clients/kubernetes/remote-clusters.ts';
import { trimRemote, type RemoteObject } from '../../domain/discovery/clusters/seen.ts';
import { createWatchSet, runInformer, type InformerTiming, type WantedWatch } from './informer.ts';
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

interface RemoteWatchingOptions {
  readonly clusters: RemoteClusters;
  readonly view: View;
  readonly dispatch: (instruction: Instruction) => void;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly timing?: Partial<InformerTiming>;
}

type ReachedCluster = Extract<Reach, { is: 'Client' }>;

// A cluster may be away for long, and there may be many.
const BACKOFF = { first: 500, longest: 15_000 };

/** Begins to watch clusters: what is looked for in them, and no more. */
export function watchRemotely(options: RemoteWatchingOptions) {
  const { clusters, view, log, signal } = options;
  const watches = createWatchSet(signal);
  let namespaces = new Set<string>();

  /** What the secrets of a namespace have watched; nothing where this version cannot read an object there. */
  function watchesOf(
    namespace: string,
    secrets: readonly StoredClusterSecret[],
  ): readonly (readonly [string, WantedWatch])[] {
    try {
      return remoteWatches(secrets, view).flatMap((watch) => expand(watch, options));
    } catch (error) {
      log.error({ namespace, err: error }, 'clusters of a namespace not watched');
      return [];
    }
  }

  return {
    refresh(): void {
      if (signal.aborted) return;
      namespaces = forget(clusters, view.Secret.list(), namespaces);
      const secrets = Map.groupBy(view.Secret.list(), ({ metadata }) => metadata.namespace);
      watches.update(new Map([...secrets].flatMap(([namespace, some]) => watchesOf(namespace, some))));
    },
    ended: watches.ended,
  };
}

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

/** Splits a watch into those of the namespaces that may be touched; none when the secret cannot be followed, which its readers report. */
function expand(
  watch: RemoteWatch,
  options: RemoteWatchingOptions,
): readonly (readonly [string, WantedWatch])[] {
  const reach = options.clusters.reach(watch.secret);
  if (reach.is === 'Problem') return [];
  const { kind, namespace, secret } = watch;
  const isBounded = kind !== 'Node' && reach.namespaces.length > 0;
  const allowed = reach.namespaces.filter((one) => namespace === undefined || one === namespace);
  return (isBounded ? allowed : [namespace]).map((one) => [
    [secret.metadata.uid, kind, one ?? ''].join(' '),
    {
      version: secret.metadata.resourceVersion,
      run: (signal) => inform({ ...watch, namespace: one }, reach, { ...options, signal }),
    },
  ]);
}

async function inform(
  watch: RemoteWatch,
  { client, name }: ReachedCluster,
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

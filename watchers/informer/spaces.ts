import { sleep as sleepByClock, waitAfter, type Sleep } from '../../clients/backoff.ts';
import { BINDING, BINDING_POLICY, COMBINED_STATUS, SECRET } from '../../clients/kubernetes/kinds.ts';
import { readKubeconfig, type StoredSecret } from '../../clients/kubernetes/kubeconfig-secret.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { RemoteClusters } from '../../clients/kubernetes/remote-clusters.ts';
import type { Log } from '../../clients/log.ts';
import type { StagedBindingPolicySpec } from '../../crds/staged-binding-policy.ts';
import { sameValue } from '../../domain/kubernetes/canonical.ts';
import { given, fieldsIn } from '../../domain/model/fields.ts';
import { STAGED_UID_LABEL } from '../../domain/staged/policy.ts';
import type { Instruction } from '../instruction.ts';
import type { ForeignObject } from '../kinds.ts';
import { routeStagedPart } from '../routes/route-staged.ts';
import { cachedFields } from './cached-fields.ts';
import { runInformer, type InformerTiming } from './informer.ts';
import { shelfOf, type View } from './store.ts';

type Space = NonNullable<StagedBindingPolicySpec['space']>;

/** Watches workload description spaces that are other API servers. */
interface SpaceWatching {
  /** Watches from now on the spaces that StagedBindingPolicies name by now. */
  refresh(): void;
  /** Ends when nothing is watched any more, after the signal. */
  ended(): Promise<void>;
}

/** What spaces are watched with. */
interface SpaceWatchingOptions {
  readonly kubernetes: Pick<KubernetesClient, 'get'>;
  readonly clusters: Pick<RemoteClusters, 'reach'>;
  readonly view: Pick<View, 'StagedBindingPolicy'>;
  readonly dispatch: (instruction: Instruction) => void;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly sleep?: Sleep;
  readonly timing?: Partial<InformerTiming>;
}

// So often it is looked whether the Secret says something else by now.
const LOOK_MILLISECONDS = 60_000;

// A space may be away for long.
const BACKOFF = { first: 500, longest: 15_000 };

const spaceKey = ({ namespace, name, key }: Space): string => `${namespace}/${name}/${key}`;

/** Begins to watch spaces; nothing is watched in the cluster that Okra is in, which the other informers do. */
export function watchSpaces(options: SpaceWatchingOptions): SpaceWatching {
  const { view, signal } = options;
  const running = new Map<string, AbortController>();
  const ending = new Set<Promise<void>>();

  function start(key: string, space: Space): void {
    const stop = new AbortController();
    running.set(key, stop);
    const until = AbortSignal.any([signal, stop.signal]);
    const ended = follow(space, { ...options, signal: until }).finally(() => ending.delete(ended));
    ending.add(ended);
  }

  return {
    refresh() {
      if (signal.aborted) return;
      const spaces = view.StagedBindingPolicy.list().flatMap(({ spec }) => spaceIn(spec) ?? []);
      const wanted = new Map(spaces.map((space) => [spaceKey(space), space]));
      for (const [key, stop] of running) {
        if (wanted.has(key)) continue;
        stop.abort();
        running.delete(key);
      }
      for (const [key, space] of wanted) if (!running.has(key)) start(key, space);
    },
    ended: async () => void (await Promise.all(ending)),
  };
}

/** The space that a policy names; none where it is of a form that no schema allows, which must not stop the others. */
function spaceIn(spec: unknown): Space | undefined {
  const { namespace, name, key } = fieldsIn(fieldsIn(spec)['space']);
  const isSpace = typeof namespace === 'string' && typeof name === 'string' && typeof key === 'string';
  return isSpace ? { namespace, name, key } : undefined;
}

/** Watches a space by what its Secret says, until the signal; with another Secret it begins again. */
async function follow(space: Space, options: SpaceWatchingOptions): Promise<void> {
  const { signal, sleep = sleepByClock, timing } = options;
  let watched: Watched | undefined;
  for (let failures = 0; !signal.aborted;) {
    const secret = await secretOf(space, options);
    // What cannot be read is taken to be as it was.
    if (secret !== 'Unknown' && secret?.metadata.resourceVersion !== watched?.version) {
      await watched?.end();
      watched = secret === undefined ? undefined : watch(space, secret, options);
    }
    failures = watched === undefined ? failures + 1 : 0;
    const backoff = timing?.backoff ?? BACKOFF;
    await sleep(failures === 0 ? LOOK_MILLISECONDS : waitAfter(failures, backoff, timing?.random), signal);
  }
  await watched?.end();
}

/** Reads the Secret of a space; undefined where there is none. */
async function secretOf(
  { namespace, name }: Space,
  { kubernetes, log, signal }: SpaceWatchingOptions,
): Promise<StoredSecret | undefined | 'Unknown'> {
  try {
    return await kubernetes.get<StoredSecret>(SECRET, { namespace, name }, { signal });
  } catch (error) {
    if (!signal.aborted)
      log.warn({ space: `${namespace}/${name}`, err: error }, 'space not read, trying again');
    return 'Unknown';
  }
}

/** A space that is watched by a version of its Secret. */
interface Watched {
  readonly version: string;
  /** Returns when nothing of it is watched any more. */
  end(): Promise<void>;
}

/** Begins to watch a space; undefined where its Secret leads nowhere, which the status of those who name it says. */
function watch(space: Space, secret: StoredSecret, options: SpaceWatchingOptions): Watched | undefined {
  const read = readKubeconfig(secret, space.key);
  const reach = read.is === 'Cluster' ? options.clusters.reach(read.secret) : undefined;
  if (reach?.is !== 'Client') return undefined;
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const ended = inform(space, reach.client, { ...options, signal });
  return {
    version: secret.metadata.resourceVersion,
    end: async () => {
      stop.abort();
      await ended;
    },
  };
}

async function inform(
  space: Space,
  kubernetes: KubernetesClient,
  options: SpaceWatchingOptions,
): Promise<void> {
  const { log, signal, timing } = options;
  const watched = [
    { kind: BINDING_POLICY, labelSelector: STAGED_UID_LABEL },
    { kind: BINDING },
    { kind: COMBINED_STATUS },
  ];
  const tell = (object: ForeignObject): void => {
    const staged = options.view.StagedBindingPolicy.list().filter(({ spec }) =>
      sameValue(spaceIn(spec), space),
    );
    routeStagedPart({ type: 'add', object }, { StagedBindingPolicy: shelfOf(staged) }).forEach(
      options.dispatch,
    );
  };
  await Promise.all(
    watched.map(async (one) => {
      const trim = cachedFields(one.kind.kind);
      await runInformer<ForeignObject>({
        ...one,
        kubernetes,
        optional: true,
        log: log.child({ space: spaceKey(space) }),
        signal,
        onSynced: () => undefined,
        onEvent: ({ object }) => tell(object),
        ...given({ trim }),
        timing: { backoff: BACKOFF, ...timing },
      });
    }),
  );
}

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
import { createWatchSet, runInformer, type InformerTiming, type WantedWatch } from './informer.ts';
import { shelfOf, type View } from './store.ts';

type Space = NonNullable<StagedBindingPolicySpec['space']>;

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

/** Begins to watch workload description spaces that are other API servers; the other informers watch Okra's own. */
export function watchSpaces(options: SpaceWatchingOptions) {
  const { view, signal } = options;
  const watches = createWatchSet(signal);
  const wantedFor = (space: Space): WantedWatch => ({
    version: '',
    run: (until) => follow(space, { ...options, signal: until }),
  });
  return {
    refresh(): void {
      if (signal.aborted) return;
      const spaces = view.StagedBindingPolicy.list().flatMap(({ spec }) => spaceIn(spec) ?? []);
      watches.update(new Map(spaces.map((space) => [spaceKey(space), wantedFor(space)])));
    },
    ended: watches.ended,
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
  const watches = createWatchSet(signal);
  let isWatched = false;
  for (let failures = 0; !signal.aborted;) {
    const secret = await secretOf(space, options);
    // What cannot be read is taken to be as it was.
    if (secret !== 'Unknown') {
      const wanted = secret === undefined ? undefined : watchOf(space, secret, options);
      isWatched = wanted !== undefined;
      watches.update(new Map(wanted === undefined ? [] : [['', wanted]]));
    }
    failures = isWatched ? 0 : failures + 1;
    const backoff = timing?.backoff ?? BACKOFF;
    await sleep(failures === 0 ? LOOK_MILLISECONDS : waitAfter(failures, backoff, timing?.random), signal);
  }
  await watches.ended();
}

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

/** How a space is watched; undefined where its Secret leads nowhere, which the status of those who name it says. */
function watchOf(space: Space, secret: StoredSecret, options: SpaceWatchingOptions): WantedWatch | undefined {
  const read = readKubeconfig(secret, space.key);
  const reach = read.is === 'Cluster' ? options.clusters.reach(read.secret) : undefined;
  if (reach?.is !== 'Client') return undefined;
  const { client } = reach;
  return {
    version: secret.metadata.resourceVersion,
    run: (signal) => inform(space, client, { ...options, signal }),
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

import pino from 'pino';
import { configViewOf, isApplied } from '../../activities/load-balancers/config-object.ts';
import { loadBalancerOf } from '../../activities/load-balancers/index.ts';
import type { ConfigObject } from '../../activities/load-balancers/port.ts';
import {
  ACCESS_POLICY,
  AWS_TARGET_GROUP,
  CELL,
  FREEZE,
  type KindRef,
  STAGED_BINDING_POLICY,
} from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Log } from '../../clients/log.ts';
import type { AccessPolicy } from '../../crds/access-policy.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { Cell } from '../../crds/cell.ts';
import type { Freeze } from '../../crds/freeze.ts';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import { isAboutNamespace } from '../../domain/gates/freeze.ts';
import {
  type LoadBalancerType,
  loadBalancerTypes,
  targetGroupsOf,
} from '../../domain/load-balancers/load-balancer.ts';
import { formatKey, keyOf } from '../../domain/model/ids.ts';
import { fieldsIn, textIn } from '../../domain/model/fields.ts';
import type { Informed, ObjectEvent } from '../../watchers/event.ts';
import { runInformer } from '../../watchers/informer/informer.ts';
import type { Asked } from './describe-cell.ts';
import type { Session } from './shell.ts';
import type { Target } from './target.ts';
import { havingAll, type Watched } from './watched.ts';
import { messageOf } from '../../domain/text.ts';

/** What is to be watched. */
export interface Followed {
  /** One object; undefined: all of the namespaces. */
  readonly target: Target | undefined;
  /** All when empty. */
  readonly namespaces: readonly string[];
  /** Whether it is to be known of which target groups the status of the Cell is. */
  readonly untilSettled?: boolean;
}

/** Who is told of what is seen. */
interface Follower {
  readonly signal: AbortSignal;
  readonly change: (by: (watched: Watched) => Watched) => void;
  /** Called when all that there is has been told, after each change from then on, and about troubles. */
  readonly seen: () => void;
}

interface Source<T extends Informed> {
  readonly kind: KindRef;
  /** Undefined: all. */
  readonly namespace?: string | undefined;
  readonly optional?: boolean;
  /** Whether nothing is known to be whole without it, also while it cannot be read. */
  readonly isMain?: boolean;
  readonly apply: (watched: Watched, news: News<T>) => Watched;
  readonly isWanted?: (object: T) => boolean;
}

/** What all sources of a watch have in common. */
interface Following extends Follower, Followed {
  readonly kubernetes: KubernetesClient;
  /** The sources that have to tell all that there is before it is whole. */
  readonly awaited: Set<object>;
  /** Ends the watch with what went wrong where it is told of. */
  readonly broken: (error: unknown) => void;
}

/** Watches what is asked for until the signal, through whatever the API server goes. */
export async function follow(
  { kubernetes }: Pick<Session, 'kubernetes'>,
  followed: Followed,
  follower: Follower,
): Promise<void> {
  const { target, namespaces, untilSettled = false } = followed;
  const { promise: ending, reject: broken } = Promise.withResolvers<never>();
  const following: Following = { ...followed, ...follower, kubernetes, awaited: new Set(), broken };
  const runs = [
    ...(target?.kind === 'StagedBindingPolicy' ? [] : cellRuns(following)),
    ...(target?.kind === 'Cell' ? [] : [runOf(following, policies(target))]),
    ...(target?.kind === 'Cell' && untilSettled ? aroundRuns(following, target.key.namespace) : []),
    runOf<Freeze>(following, {
      kind: FREEZE,
      optional: true,
      isWanted: ({ spec }) =>
        namespaces.length === 0 || namespaces.some((one) => isAboutNamespace(spec, one)),
      apply: (watched, news) => ({ ...watched, freezes: havingAll(watched.freezes, news) }),
    }),
  ];
  // Each is known to the others before the first of them tells anything.
  await Promise.race([ending, Promise.all(runs.map((run) => run()))]);
}

const isNamed =
  (target: Target | undefined) =>
  ({ metadata }: Informed): boolean =>
    target === undefined || metadata.name === target.key.name;

/** What could not be read, as people call it; of several namespaces each for itself. */
export const placeOf = (
  { kind }: KindRef,
  namespace: string | undefined,
  namespaces: readonly string[],
): string => (namespace === undefined || namespaces.length < 2 ? kind : `${kind} in ${namespace}`);

function runOf<T extends Informed>(following: Following, source: Source<T>): () => Promise<void> {
  const { kubernetes, namespaces, signal, change, seen, awaited, broken } = following;
  const { kind, namespace, optional = false, isMain = false } = source;
  awaited.add(source);
  const place = placeOf(kind, namespace, namespaces);
  const isTold = (): void => {
    awaited.delete(source);
    change((watched) => ({ ...watched, isWhole: awaited.size === 0 }));
  };
  const trouble = (why: string | undefined): void => {
    change((watched) => ({ ...watched, troubles: havingAll(watched.troubles, [[place, why]]) }));
    // The others do not wait for it; what is missing stands as a trouble.
    if (why !== undefined && !isMain) isTold();
    // Nothing may be told at all while this lasts.
    seen();
  };
  const tell = (): void => {
    if (awaited.size === 0) seen();
  };
  const take = (news: News<T>): void => {
    change((watched) => source.apply(watched, news));
    tell();
  };
  const { onEvent, flush } = gathered(source.isWanted ?? (() => true), take, broken);
  return () =>
    runInformer<T>({
      kubernetes,
      kind,
      namespace,
      optional,
      signal,
      log: troubleLog(trouble),
      onEvent,
      onSynced: () => {
        flush();
        isTold();
        tell();
      },
    });
}

const policies = (target: Target | undefined): Source<StagedBindingPolicy> => ({
  kind: STAGED_BINDING_POLICY,
  optional: true,
  isMain: target !== undefined,
  isWanted: isNamed(target),
  apply: (watched, news) => ({ ...watched, policies: havingAll(watched.policies, news) }),
});

/** What a Cell depends on besides itself; who may not read AccessPolicies goes by what the status says of them. */
const aroundRuns = (following: Following, namespace: string): readonly (() => Promise<void>)[] => [
  runOf<AWSTargetGroup>(following, {
    kind: AWS_TARGET_GROUP,
    namespace,
    isMain: true,
    apply: (watched, news) => ({ ...watched, groups: havingAll(watched.groups, news) }),
  }),
  runOf<AccessPolicy>(following, {
    kind: ACCESS_POLICY,
    optional: true,
    apply: (watched, news) => ({ ...watched, accessPolicies: havingAll(watched.accessPolicies, news) }),
  }),
];

/** Cells, and what the configurations of their load balancers ask for. */
function cellRuns(following: Following): readonly (() => Promise<void>)[] {
  const { target, namespaces } = following;
  const isWanted = isNamed(target);
  const places = target === undefined ? namespaces : [target.key.namespace];
  return (places.length === 0 ? [undefined] : places).flatMap((namespace) => [
    runOf<Cell>(following, {
      kind: CELL,
      namespace,
      isMain: true,
      isWanted,
      apply: (watched, news) => ({ ...watched, cells: havingAll(watched.cells, news) }),
    }),
    ...loadBalancerTypes.map((type) =>
      runOf<ConfigObject>(following, {
        kind: loadBalancerOf(type).kind,
        namespace,
        optional: true,
        isWanted,
        apply: (watched, news) => ({
          ...watched,
          asked: havingAll(
            watched.asked,
            news.map(([key, object]) => [key, object === undefined ? undefined : askedBy(type, object)]),
          ),
        }),
      }),
    ),
  ]);
}

function askedBy(type: LoadBalancerType, object: ConfigObject): Asked {
  try {
    const config = configViewOf({ type, key: keyOf(object) }, object);
    return { is: 'Known', targetGroups: targetGroupsOf(config.desired), isApplied: isApplied(config) };
  } catch (error) {
    // One that is not as it should be keeps nobody from the others.
    return { is: 'Unknown', why: messageOf(error) };
  }
}

/** What has become of objects that changed together; undefined: it is gone. */
type News<T> = readonly (readonly [key: string, object: T | undefined])[];

/** Gathers what is told at once, as a whole list is: each change of what is known copies it. */
function gathered<T extends Informed>(
  isWanted: (object: T) => boolean,
  take: (news: News<T>) => void,
  broken: (error: unknown) => void,
) {
  const known = new Set<string>();
  const news = new Map<string, T | undefined>();
  const flush = (): void => {
    const all = [...news];
    news.clear();
    if (all.length > 0) take(all);
  };
  const flushSoon = (): void => {
    try {
      flush();
    } catch (error) {
      broken(error);
    }
  };
  return {
    flush,
    onEvent: ({ type, object }: ObjectEvent<T>): void => {
      const key = formatKey(keyOf(object));
      const isThere = type !== 'delete' && isWanted(object);
      if (!isThere && !known.has(key)) return;
      if (isThere) known.add(key);
      else known.delete(key);
      if (news.size === 0) queueMicrotask(flushSoon);
      news.set(key, isThere ? object : undefined);
    },
  };
}

const WARN = pino.levels.values['warn'] ?? 40;

/** Takes what an informer logs: a warning is a trouble, and what comes after it says that it is over. */
export function troubleLog(trouble: (why: string | undefined) => void): Log {
  return pino(
    { base: null },
    {
      write: (line) => {
        const { level, err } = fieldsIn(JSON.parse(line));
        if (typeof level !== 'number' || level < WARN) return trouble(undefined);
        trouble(textIn(fieldsIn(err)['message']) ?? 'unknown reason');
      },
    },
  );
}

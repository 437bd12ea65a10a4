import type { AccessPolicy } from '../../crds/access-policy.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { Cell } from '../../crds/cell.ts';
import type { Freeze } from '../../crds/freeze.ts';
import type { KindRef } from '../../crds/kind.ts';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import { configViewOf, isApplied } from '../../activities/load-balancers/config-object.ts';
import { loadBalancerOf } from '../../activities/load-balancers/index.ts';
import type { ConfigObject } from '../../activities/load-balancers/port.ts';
import {
  ACCESS_POLICY,
  AWS_TARGET_GROUP,
  CELL,
  FREEZE,
  STAGED_BINDING_POLICY,
} from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import {
  loadBalancerTypes,
  targetGroupsOf,
  type LoadBalancerType,
} from '../../domain/load-balancers/load-balancer.ts';
import { isAboutNamespace } from '../../domain/gates/freeze.ts';
import { keyOf } from '../../domain/model/ids.ts';
import type { Informed } from '../../watchers/event.ts';
import { runInformer } from '../../watchers/informer/informer.ts';
import type { Asked } from './cell-view.ts';
import { gathered, type News } from './gathered.ts';
import type { Session } from './shell.ts';
import type { Target } from './target.ts';
import { troubleLog } from './trouble-log.ts';
import { havingAll, type Watched } from './watched.ts';

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
export interface Follower {
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
  /** The objects that are of interest; undefined: all. */
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
  const { onEvent, flush } = gathered<T>({
    isWanted: source.isWanted,
    take: (news) => {
      change((watched) => source.apply(watched, news));
      tell();
    },
    broken,
  });
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
    return { is: 'Unknown', why: error instanceof Error ? error.message : String(error) };
  }
}

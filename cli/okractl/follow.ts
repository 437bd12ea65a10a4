import pino from 'pino';
import type { Cell } from '../../crds/cell.ts';
import type { Freeze } from '../../crds/freeze.ts';
import type { KindRef } from '../../crds/kind.ts';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import { configViewOf, isApplied } from '../../activities/load-balancers/config-object.ts';
import { loadBalancerOf } from '../../activities/load-balancers/index.ts';
import type { ConfigObject } from '../../activities/load-balancers/port.ts';
import { CELL, FREEZE, STAGED_BINDING_POLICY } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Log } from '../../clients/log.ts';
import {
  loadBalancerTypes,
  targetGroupsOf,
  type LoadBalancerType,
} from '../../domain/load-balancers/load-balancer.ts';
import { formatKey, keyOf } from '../../domain/model/ids.ts';
import { fieldsIn, textIn } from '../../domain/model/shape.ts';
import type { Informed } from '../../watchers/event.ts';
import { runInformer } from '../../watchers/informer/informer.ts';
import type { Asked } from './cell-view.ts';
import type { Session } from './shell.ts';
import type { Target } from './target.ts';
import { having, type Watched } from './watched.ts';

/** What is to be watched. */
export interface Followed {
  /** One object; undefined: all of the namespace. */
  readonly target: Target | undefined;
  /** All namespaces when undefined. */
  readonly namespace: string | undefined;
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
  readonly optional?: boolean;
  readonly apply: (watched: Watched, key: string, object: T | undefined) => Watched;
  /** The objects that are of interest; undefined: all. */
  readonly isWanted?: (object: T) => boolean;
}

/** What all sources of a watch have in common. */
interface Following extends Follower, Followed {
  readonly kubernetes: KubernetesClient;
  /** How many sources have not told all that there is yet. */
  unsynced: number;
}

/** Watches what is asked for until the signal, through whatever the API server goes. */
export async function follow(
  { kubernetes }: Pick<Session, 'kubernetes'>,
  followed: Followed,
  follower: Follower,
): Promise<void> {
  const { target, namespace } = followed;
  const following: Following = { ...followed, ...follower, kubernetes, unsynced: 0 };
  const runs = [
    ...(target?.kind === 'StagedBindingPolicy' ? [] : cellRuns(following)),
    ...(target?.kind === 'Cell' ? [] : [runOf(following, policies(isNamed(target)))]),
    runOf<Freeze>(following, {
      kind: FREEZE,
      optional: true,
      isWanted: ({ spec }) => namespace === undefined || (spec.namespaces ?? [namespace]).includes(namespace),
      apply: (watched, key, freeze) => ({ ...watched, freezes: having(watched.freezes, key, freeze) }),
    }),
  ];
  // Each is known to the others before the first of them tells anything.
  following.unsynced = runs.length;
  await Promise.all(runs.map((run) => run()));
}

const isNamed =
  (target: Target | undefined) =>
  ({ metadata }: Informed): boolean =>
    target === undefined || metadata.name === target.key.name;

function runOf<T extends Informed>(following: Following, source: Source<T>): () => Promise<void> {
  const { kubernetes, target, namespace, signal, change, seen } = following;
  const { kind, optional = false, apply, isWanted = () => true } = source;
  const tell = (): void => {
    if (following.unsynced === 0) seen();
  };
  const trouble = (why: string | undefined): void => {
    change((watched) => ({ ...watched, troubles: having(watched.troubles, kind.kind, why) }));
    // Nothing may be told at all while this lasts.
    seen();
  };
  return () =>
    runInformer<T>({
      kubernetes,
      kind,
      namespace: target?.key.namespace || namespace,
      optional,
      signal,
      log: logOf(trouble),
      onEvent: ({ type, object }) => {
        if (!isWanted(object)) return;
        const key = formatKey(keyOf(object));
        change((watched) => apply(watched, key, type === 'delete' ? undefined : object));
        tell();
      },
      onSynced: () => {
        following.unsynced -= 1;
        change((watched) => ({ ...watched, isWhole: following.unsynced === 0 }));
        tell();
      },
    });
}

const policies = (isWanted: (object: Informed) => boolean): Source<StagedBindingPolicy> => ({
  kind: STAGED_BINDING_POLICY,
  optional: true,
  isWanted,
  apply: (watched, key, policy) => ({ ...watched, policies: having(watched.policies, key, policy) }),
});

/** Cells, and what the configurations of their load balancers ask for. */
function cellRuns(following: Following): readonly (() => Promise<void>)[] {
  const isWanted = isNamed(following.target);
  return [
    runOf<Cell>(following, {
      kind: CELL,
      isWanted,
      apply: (watched, key, cell) => ({ ...watched, cells: having(watched.cells, key, cell) }),
    }),
    ...loadBalancerTypes.map((type) =>
      runOf<ConfigObject>(following, {
        kind: loadBalancerOf(type).kind,
        optional: true,
        isWanted,
        apply: (watched, key, object) => ({
          ...watched,
          asked: having(watched.asked, key, object === undefined ? undefined : askedBy(type, object)),
        }),
      }),
    ),
  ];
}

function askedBy(type: LoadBalancerType, object: ConfigObject): Asked {
  const config = configViewOf({ type, key: keyOf(object) }, object);
  return { is: 'Known', targetGroups: targetGroupsOf(config.desired), isApplied: isApplied(config) };
}

const WARN = pino.levels.values['warn'] ?? 40;

/** Takes what an informer logs: a warning is a trouble, and what comes after it says that it is over. */
export function logOf(trouble: (why: string | undefined) => void): Log {
  return pino(
    { base: null },
    {
      write: (line) => {
        const { level, err } = fieldsIn(JSON.parse(line));
        const why = textIn(fieldsIn(err)['message']) ?? 'it is not known why';
        trouble(typeof level === 'number' && level >= WARN ? why : undefined);
      },
    },
  );
}

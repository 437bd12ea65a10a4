import { configViewOf, isApplied } from '../../activities/load-balancers/config-object.ts';
import { loadBalancerOf } from '../../activities/load-balancers/index.ts';
import type { ConfigObject } from '../../activities/load-balancers/port.ts';
import {
  ACCESS_POLICY,
  AWS_TARGET_GROUP,
  CELL,
  CLUSTER_SET,
  FREEZE,
  type KindRef,
  STAGED_BINDING_POLICY,
} from '../../clients/kubernetes/kinds.ts';
import type { Log } from '../../clients/log.ts';
import type { AccessPolicy } from '../../crds/access-policy.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { Cell } from '../../crds/cell.ts';
import type { ClusterSet } from '../../crds/cluster-set.ts';
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
import { setOrDelete, type Watched } from './watched.ts';
import { messageOf } from '../../domain/text.ts';

export interface Followed {
  /** One object; undefined: all of the namespaces. */
  readonly target: Target | undefined;
  /** All when empty. */
  readonly namespaces: readonly string[];
  /** Whether it is to be known of which target groups the status of the Cell is. */
  readonly untilSettled?: boolean;
  /** Whether the target groups of all clusters are watched as well. */
  readonly withClusters?: boolean;
}

/** Who is told of what is seen. */
interface Follower {
  readonly signal: AbortSignal;
  /** What is known; each change is written into it. */
  readonly watched: Watched;
  /** Called after changes, once for those that come at once. */
  readonly changed: () => void;
}

interface Source {
  readonly kind: KindRef;
  /** Undefined: all. */
  readonly namespace?: string | undefined;
  readonly optional?: boolean;
  /** Whether nothing is known to be whole without it, also while it cannot be read. */
  readonly isMain?: boolean;
  /** Takes in what has become of an object; false when that is no news. */
  take(event: ObjectEvent<Informed>): boolean;
}

/** Watches what is asked for until the signal, through whatever the API server goes. */
export async function follow(
  { kubernetes }: Pick<Session, 'kubernetes'>,
  followed: Followed,
  { signal, watched, changed }: Follower,
): Promise<void> {
  const { promise: ending, reject: broken } = Promise.withResolvers<never>();
  const sources = sourcesOf(followed, watched);
  // Those that have to tell all that there is before it is whole.
  const awaited = new Set<Source>(sources);
  const tell = onceSoon(changed, broken);
  const run = (source: Source): Promise<void> => {
    const { kind, namespace, optional = false, isMain = false } = source;
    // What could not be read, as people call it; of several namespaces each for itself.
    const place =
      namespace === undefined || followed.namespaces.length < 2 ? kind.kind : `${kind.kind} in ${namespace}`;
    const isTold = (): void => {
      awaited.delete(source);
      watched.isWhole = awaited.size === 0;
    };
    return runInformer<Informed>({
      kubernetes,
      kind,
      namespace,
      optional,
      signal,
      log: troubleLog((why) => {
        setOrDelete(watched.troubles, place, why);
        // The others do not wait for it; what is missing stands as a trouble.
        if (why !== undefined && !isMain) isTold();
        tell();
      }),
      onEvent: (event) => {
        if (source.take(event)) tell();
      },
      onSynced: () => {
        isTold();
        tell();
      },
    });
  };
  await Promise.race([ending, Promise.all(sources.map(run))]);
}

/** Calls back once for all that is told at once, as a whole list is. */
function onceSoon(call: () => void, broken: (error: unknown) => void): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    queueMicrotask(() => {
      isDue = false;
      try {
        call();
      } catch (error) {
        broken(error);
      }
    });
  };
}

function sourcesOf(
  { target, namespaces, untilSettled = false, withClusters = false }: Followed,
  watched: Watched,
): readonly Source[] {
  const isNamed = ({ metadata }: Informed): boolean =>
    target === undefined || metadata.name === target.key.name;
  const named = target === undefined ? namespaces : [target.key.namespace];
  const places = named.length === 0 ? [{}] : named.map((namespace) => ({ namespace }));
  const inPlaces = (source: Source): readonly Source[] => places.map((place) => ({ ...source, ...place }));
  const cells: readonly Source[] = [
    { kind: CELL, isMain: true, take: into<Cell>(watched.cells, isNamed) },
    ...loadBalancerTypes.map((type) => ({
      kind: loadBalancerOf(type).kind,
      optional: true,
      take: into(watched.asked, isNamed, (object: ConfigObject) => askedBy(type, object)),
    })),
  ];
  const policies: Source = {
    kind: STAGED_BINDING_POLICY,
    optional: true,
    isMain: target !== undefined,
    take: into<StagedBindingPolicy>(watched.policies, isNamed),
  };
  const take = into<AWSTargetGroup>(watched.groups);
  const groups: Source = { kind: AWS_TARGET_GROUP, optional: withClusters, isMain: untilSettled, take };
  const sets: Source = { kind: CLUSTER_SET, optional: true, take: into<ClusterSet>(watched.sets) };
  // Who may not read AccessPolicies goes by what the status says of them.
  const access = { kind: ACCESS_POLICY, optional: true, take: into<AccessPolicy>(watched.accessPolicies) };
  const isAbout = ({ spec }: Freeze): boolean =>
    namespaces.length === 0 || namespaces.some((one) => isAboutNamespace(spec, one));
  return [
    ...(target?.kind === 'StagedBindingPolicy' ? [] : cells.flatMap(inPlaces)),
    ...(target?.kind === 'Cell' ? [] : [policies]),
    ...(target?.kind === 'Cell' && untilSettled ? [...inPlaces(groups), access] : []),
    ...(withClusters ? [groups, sets].flatMap(inPlaces) : []),
    { kind: FREEZE, optional: true, take: into(watched.freezes, isAbout) },
  ];
}

/** Keeps what is wanted of the objects that are told of, by their keys. */
const into =
  <T extends Informed, Value = T>(
    map: Map<string, Value>,
    isWanted: (object: T) => boolean = () => true,
    valueOf: (object: T) => Value = (object) => object as T & Value,
  ) =>
  ({ type, object }: ObjectEvent<T>): boolean => {
    const key = formatKey(keyOf(object));
    if (type === 'delete' || !isWanted(object)) return map.delete(key);
    map.set(key, valueOf(object));
    return true;
  };

function askedBy(type: LoadBalancerType, object: ConfigObject): Asked {
  try {
    const config = configViewOf({ type, key: keyOf(object) }, object);
    return { is: 'Known', targetGroups: targetGroupsOf(config.desired), isApplied: isApplied(config) };
  } catch (error) {
    // One that is not as it should be keeps nobody from the others.
    return { is: 'Unknown', why: messageOf(error) };
  }
}

/** Takes what an informer logs: an error is a trouble, whatever its level, and what comes after it says that it is over. */
export const troubleLog = (trouble: (why: string | undefined) => void): Pick<Log, 'info' | 'warn'> => {
  const take = (fields: unknown): void => {
    const { err } = fieldsIn(fields);
    trouble(err === undefined ? undefined : (textIn(fieldsIn(err)['message']) ?? 'unknown reason'));
  };
  return { info: take, warn: take };
};

import { decodeBase64 } from '../../clients/kubernetes/base64.ts';
import type { StoredClusterSecret } from '../../clients/kubernetes/remote-clusters.ts';
import type { AWSTargetGroupBinding, BindingTarget } from '../../crds/aws-target-group-binding.ts';
import { keyOf } from '../../domain/model/ids.ts';
import { readKnownCluster, type KnownCluster } from '../../domain/discovery/clusters/known-cluster.ts';
import { setLooksInto, targetLooksInto } from '../../domain/discovery/target-group-set/looks-into.ts';
import { matches } from '../../domain/kubernetes/selector.ts';
import type { ObjectEvent } from '../event.ts';
import { isSpecNews } from './route-synced.ts';
import { start, type Instruction } from '../instruction.ts';
import type { RemoteObject } from '../../domain/discovery/clusters/seen.ts';
import type { KindEvent } from '../kinds.ts';
import type { View } from '../informer/store.ts';
import {
  EKS_TARGET_GROUP_BINDING,
  NODE,
  POD,
  TARGET_GROUP_BINDING,
  type KindRef,
} from '../../clients/kubernetes/kinds.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';

export interface RemoteWatch {
  readonly secret: StoredClusterSecret;
  readonly kind: RemoteKind;
  /** The namespace in the cluster; all when undefined. */
  readonly namespace?: string | undefined;
}

// A cluster may have either, both or none, and get another while it is watched.
const bindingKinds = ['TargetGroupBinding', 'EKSTargetGroupBinding'] as const;

/** Whether a kind is one of those of TargetGroupBindings. */
export const isBindingKind = (kind: RemoteKind): boolean => bindingKinds.some((one) => one === kind);

/** Says what has to be watched in the clusters of secrets: what the sets and bindings of each secret's namespace look for. */
export function remoteWatches(secrets: readonly StoredClusterSecret[], view: View): readonly RemoteWatch[] {
  return secrets.flatMap((secret) => {
    const { namespace: home } = keyOf(secret);
    const cluster = readKnownCluster(secret, decodeBase64);
    const isLookedInto = view.AWSTargetGroupSet.list(home).some(({ spec }) => setLooksInto(spec, cluster));
    const targets = view.AWSTargetGroupBinding.list(home).flatMap((one) => targetsIn(one, cluster));
    const podNamespaces = targets.flatMap(({ target, namespace }) =>
      target.podSelector === undefined ? [] : [target.podNamespace ?? namespace],
    );
    return [
      ...(isLookedInto ? bindingKinds.map((kind) => ({ secret, kind })) : []),
      ...(targets.some(({ target }) => looksForNodes(target)) ? [{ secret, kind: 'Node' as const }] : []),
      ...[...new Set(podNamespaces)].map((namespace) => ({ secret, kind: 'Pod' as const, namespace })),
    ];
  });
}

/** Whether an event may change what has to be watched; the many writes of a status do not. */
export function decidesWatches({ kind, event }: KindEvent): boolean {
  switch (kind) {
    case 'Secret':
      return true;
    case 'AWSTargetGroupSet':
    case 'AWSTargetGroupBinding':
      return isSpecNews(event);
    default:
      return false;
  }
}

/** Says who has to hear of an event in a cluster. */
export function routeRemote(
  { secret, kind }: RemoteWatch,
  event: ObjectEvent<RemoteObject>,
  view: View,
): readonly Instruction[] {
  if (event.type === 'update' && isSame(event.object, event.old)) return [];
  const objects = event.type === 'update' ? [event.object, event.old] : [event.object];
  return tell({ secret, kind }, view, (target, namespace) => isAbout(kind, objects, { target, namespace }));
}

/** Says who has to hear that a cluster is watched again after a while in which it was not. */
export const routeRecovery = ({ secret, kind }: RemoteWatch, view: View): readonly Instruction[] =>
  tell({ secret, kind }, view, () => true);

function tell(
  { secret, kind }: RemoteWatch,
  view: View,
  isFor: (target: BindingTarget, namespace: string) => boolean,
): readonly Instruction[] {
  const { namespace: home } = keyOf(secret);
  const cluster = readKnownCluster(secret, decodeBase64);
  if (isBindingKind(kind)) {
    return view.AWSTargetGroupSet.list(home)
      .filter(({ spec }) => setLooksInto(spec, cluster))
      .map((set) => start('AWSTargetGroupSet', keyOf(set)));
  }
  return view.AWSTargetGroupBinding.list(home)
    .filter((binding) => targetsIn(binding, cluster).some(({ target }) => isFor(target, home)))
    .map((binding) => start('AWSTargetGroupBinding', keyOf(binding)));
}

function isAbout(
  kind: RemoteKind,
  objects: readonly RemoteObject[],
  { target, namespace }: { readonly target: BindingTarget; readonly namespace: string },
): boolean {
  const { podSelector, podNamespace = namespace, nodeName } = target;
  return objects.some(({ metadata }) =>
    kind === 'Node'
      ? looksForNodes(target) && (nodeName === undefined || metadata.name === nodeName)
      : podSelector !== undefined &&
        metadata.namespace === podNamespace &&
        matches(podSelector, metadata.labels),
  );
}

const looksForNodes = ({ nodeName, nodeSelector }: BindingTarget): boolean =>
  nodeName !== undefined || nodeSelector !== undefined;

const targetsIn = (binding: AWSTargetGroupBinding, cluster: KnownCluster) =>
  binding.spec.targets
    .filter((target) => targetLooksInto(target, cluster))
    .map((target) => ({ target, namespace: keyOf(binding).namespace }));

/** The kinds that are watched in clusters. */
export const remoteKinds = {
  TargetGroupBinding: TARGET_GROUP_BINDING,
  EKSTargetGroupBinding: EKS_TARGET_GROUP_BINDING,
  Node: NODE,
  Pod: POD,
} as const satisfies Record<string, KindRef>;

type RemoteKind = keyof typeof remoteKinds;

/** Whether two states of an object make no difference to targets. */
export const isSame = (a: RemoteObject, b: RemoteObject): boolean => textOf(a) === textOf(b);

const textOf = ({ metadata, spec, status }: RemoteObject): string =>
  canonical([
    metadata.labels ?? {},
    metadata.deletionTimestamp ?? '',
    spec ?? {},
    // JSON, because it has lists of objects.
    JSON.stringify(status ?? {}),
  ]);

import { decodeBase64 } from '../../clients/kubernetes/base64.ts';
import type { StoredClusterSecret } from '../../clients/kubernetes/remote-clusters.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';
import { controllerOf } from '../../domain/kubernetes/controller.ts';
import { keyOf } from '../../domain/model/ids.ts';
import { knownCluster } from '../../domain/discovery/clusters/known-cluster.ts';
import { setLooksInto, targetLooksInto } from '../../domain/discovery/target-group-set/looks-into.ts';
import type { ObjectEvent } from '../event.ts';
import { ignore, type Instruction } from '../instruction.ts';
import type { View } from '../informer/store.ts';

/** Says who has to hear that the secret of a cluster came, changed or went: whoever looks into the cluster, or did. */
export function routeSecret(event: ObjectEvent<StoredClusterSecret>, view: View): readonly Instruction[] {
  const { object } = event;
  if (event.type === 'update' && saysOf(object) === saysOf(event.old)) return ignore('unchanged');
  const { namespace } = keyOf(object);
  const clusters = (event.type === 'update' ? [object, event.old] : [object]).map((one) =>
    knownCluster(one, decodeBase64),
  );
  const sets = view.AWSTargetGroupSet.list(namespace).filter(({ spec }) =>
    clusters.some((cluster) => setLooksInto(spec, cluster)),
  );
  const bindings = view.AWSTargetGroupBinding.list(namespace).filter(({ spec }) =>
    spec.targets.some((target) => clusters.some((cluster) => targetLooksInto(target, cluster))),
  );
  const instructions: Instruction[] = [
    ...sets.map((set): Instruction => ({ do: 'Start', kind: 'AWSTargetGroupSet', key: keyOf(set) })),
    ...bindings.map((one): Instruction => ({ do: 'Start', kind: 'AWSTargetGroupBinding', key: keyOf(one) })),
    ...(event.type === 'delete' ? makersOf(object, view) : []),
  ];
  return instructions.length > 0 ? instructions : ignore('nobody looks into the cluster');
}

const saysOf = ({ metadata, data }: StoredClusterSecret): string =>
  canonical([data ?? {}, metadata.labels ?? {}, metadata.annotations ?? {}]);

/** Starts the workflows of the ClusterSets that may make a deleted secret: its own, and any that it stood in the way of. */
function makersOf(object: StoredClusterSecret, view: View): readonly Instruction[] {
  const { namespace } = object.metadata;
  const owner = controllerOf(object.metadata);
  const own = owner?.kind === 'ClusterSet' ? [owner.name] : [];
  const others = view.ClusterSet.list(namespace).map(({ metadata }) => metadata.name);
  return [...new Set([...own, ...others])].map((name) => ({
    do: 'Start',
    kind: 'ClusterSet',
    key: { namespace, name },
  }));
}

import type { StoredClusterSecret } from '../clients/remote-clusters.ts';
import { canonical } from '../domain/canonical.ts';
import { controllerOf } from '../domain/controller.ts';
import { keyOf } from '../domain/ids.ts';
import { knownCluster } from '../domain/discovery/known-cluster.ts';
import { setLooksInto, targetLooksInto } from '../domain/discovery/looks-into.ts';
import type { ObjectEvent } from './event.ts';
import { ignore } from './instruction.ts';
import type { Instruction } from './instruction.ts';
import type { View } from './store.ts';

/** Says who has to hear that the secret of a cluster came, changed or went: whoever looks into the cluster, or did. */
export function routeSecret(event: ObjectEvent<StoredClusterSecret>, view: View): readonly Instruction[] {
  const { object } = event;
  if (event.type === 'update' && saysOf(object) === saysOf(event.old)) return ignore('unchanged');
  const { namespace } = keyOf(object);
  const clusters = (event.type === 'update' ? [object, event.old] : [object]).map(knownCluster);
  const sets = view.targetGroupSets
    .list(namespace)
    .filter(({ spec }) => clusters.some((cluster) => setLooksInto(spec, cluster)));
  const bindings = view.bindings
    .list(namespace)
    .filter(({ spec }) =>
      spec.targets.some((target) => clusters.some((cluster) => targetLooksInto(target, cluster))),
    );
  const instructions: Instruction[] = [
    ...sets.map((set): Instruction => ({ do: 'Start', workflow: 'targetGroupSet', key: keyOf(set) })),
    ...bindings.map((one): Instruction => ({ do: 'Start', workflow: 'targetGroupBinding', key: keyOf(one) })),
    ...(event.type === 'delete' ? makerOf(object) : []),
  ];
  return instructions.length > 0 ? instructions : ignore('nobody looks into the cluster');
}

const saysOf = ({ metadata, data }: StoredClusterSecret): string =>
  canonical([data ?? {}, metadata.labels ?? {}, metadata.annotations ?? {}]);

/** Starts the workflow of the ClusterSet whose secret was deleted. */
function makerOf(object: StoredClusterSecret): readonly Instruction[] {
  const owner = controllerOf(object.metadata);
  if (owner?.kind !== 'ClusterSet') return [];
  return [
    {
      do: 'Start',
      workflow: 'clusterSet',
      key: { namespace: object.metadata.namespace, name: owner.name },
    },
  ];
}

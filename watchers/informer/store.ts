import type { AWSApplicationLoadBalancerConfig } from '../../crds/aws-application-load-balancer-config.ts';
import type { AWSNetworkLoadBalancerConfig } from '../../crds/aws-network-load-balancer-config.ts';
import type { StoredClusterSecret } from '../../clients/kubernetes/remote-clusters.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { AWSTargetGroupBinding } from '../../crds/aws-target-group-binding.ts';
import type { ClusterSet } from '../../crds/cluster-set.ts';
import type { AWSTargetGroupSet } from '../../crds/aws-target-group-set.ts';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import type { Cell } from '../../crds/cell.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import type { LoadBalancerType } from '../../domain/load-balancers/load-balancer.ts';
import type { AccessPolicy } from '../../crds/access-policy.ts';
import type { Informed, ObjectEvent } from '../event.ts';

/** An object that configures a load balancer. */
export type LoadBalancerConfig = AWSApplicationLoadBalancerConfig | AWSNetworkLoadBalancerConfig;

/** What is known of the objects that decide where a message goes. */
export interface View {
  readonly cells: Shelf<Cell>;
  readonly groups: Shelf<AWSTargetGroup>;
  readonly configs: Readonly<Record<LoadBalancerType, Shelf<LoadBalancerConfig>>>;
  readonly clusterSets: Shelf<ClusterSet>;
  readonly targetGroupSets: Shelf<AWSTargetGroupSet>;
  readonly bindings: Shelf<AWSTargetGroupBinding>;
  readonly policies: Shelf<AccessPolicy>;
  readonly staged: Shelf<StagedBindingPolicy>;
  /** The secrets of clusters. */
  readonly secrets: Shelf<StoredClusterSecret>;
}

/** The objects of one kind. */
export interface Shelf<T> {
  get(key: ObjectKey): T | undefined;
  /** The objects of a namespace, or all. */
  list(namespace?: string): readonly T[];
}

/** Objects of one kind that events keep current. */
export interface Store<T> extends Shelf<T> {
  apply(event: ObjectEvent<T>): void;
}

/** A shelf with these objects, which stays as it is. */
export function shelfOf<T extends Informed>(objects: readonly T[]): Shelf<T> {
  const store = createStore<T>();
  for (const object of objects) store.apply({ type: 'add', object });
  return store;
}

/** Makes an empty store. */
export function createStore<T extends Informed>(): Store<T> {
  const namespaces = new Map<string, Map<string, T>>();
  return {
    get: ({ namespace, name }) => namespaces.get(namespace)?.get(name),
    list: (namespace) => {
      if (namespace !== undefined) return [...(namespaces.get(namespace)?.values() ?? [])];
      return [...namespaces.values()].flatMap((objects) => [...objects.values()]);
    },
    apply: ({ type, object }) => {
      const { namespace = 'default', name } = object.metadata;
      const objects = namespaces.get(namespace) ?? new Map<string, T>();
      if (type === 'delete') objects.delete(name);
      else objects.set(name, object);
      if (objects.size === 0) namespaces.delete(namespace);
      else namespaces.set(namespace, objects);
    },
  };
}

import { keyOf, type ObjectKey } from '../../domain/model/ids.ts';
import type { LoadBalancerType } from '../../domain/load-balancers/load-balancer.ts';
import type { Informed, ObjectEvent } from '../event.ts';
import { storedKinds, type Objects, type Stored } from '../kinds.ts';

/** An object that configures a load balancer. */
export type LoadBalancerConfig = Objects[`${LoadBalancerType}Config`];

/** What is known of the objects that decide where a message goes. */
export type View = { readonly [Kind in Stored]: Shelf<Objects[Kind]> };

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
      const { namespace, name } = keyOf(object);
      const objects = namespaces.get(namespace) ?? new Map<string, T>();
      if (type === 'delete') objects.delete(name);
      else objects.set(name, object);
      if (objects.size === 0) namespaces.delete(namespace);
      else namespaces.set(namespace, objects);
    },
  };
}

/** A shelf with these objects, which stays as it is. */
export function shelfOf<T extends Informed>(objects: readonly T[]): Shelf<T> {
  const store = createStore<T>();
  for (const object of objects) store.apply({ type: 'add', object });
  return store;
}

/** The stores of all kinds whose objects are remembered. */
export type Stores = { readonly [Kind in Stored]: Store<Objects[Kind]> };

/** Makes an empty store for each kind whose objects are remembered. */
export const createStores = (): Stores =>
  // An empty store is one of any kind.
  Object.fromEntries(storedKinds.map((kind) => [kind, createStore()])) as Stores;

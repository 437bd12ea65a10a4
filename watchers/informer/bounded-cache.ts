import type { Informed, ObjectEvent } from '../event.ts';
import type { Snapshot, SnapshotOptions } from '../../clients/kubernetes/kubernetes.ts';
import type { MemoryBudget } from './memory-budget.ts';

/** What an informer knows of the objects of its kind. */
interface Cache<T> {
  /** Learns how an object is now, and says what of that is news. */
  put(object: T): readonly ObjectEvent<T>[];
  /** Learns that an object is gone. */
  remove(object: T): readonly ObjectEvent<T>[];
  /** Learns what there is, and with that also what is gone. */
  replace(objects: readonly T[]): readonly ObjectEvent<T>[];
}

/** Begins to know objects. */
export function createCache<T extends Informed>(): Cache<T> {
  const known = new Map<string, T>();

  function put(object: T): readonly ObjectEvent<T>[] {
    const old = known.get(cacheKeyOf(object));
    known.set(cacheKeyOf(object), object);
    if (old === undefined) return [{ type: 'add', object }];
    if (old.metadata.resourceVersion === object.metadata.resourceVersion) return [];
    // Deleted and made again while nobody looked: another object of the same name.
    if (old.metadata.uid !== object.metadata.uid)
      return [
        { type: 'delete', object: old },
        { type: 'add', object },
      ];
    return [{ type: 'update', object, old }];
  }

  function remove(object: T): readonly ObjectEvent<T>[] {
    return known.delete(cacheKeyOf(object)) ? [{ type: 'delete', object }] : [];
  }

  function replace(objects: readonly T[]): readonly ObjectEvent<T>[] {
    const kept = new Set(objects.map(cacheKeyOf));
    const gone = [...known.values()].filter((object) => !kept.has(cacheKeyOf(object)));
    return [...gone.flatMap(remove), ...objects.flatMap(put)];
  }

  return { put, remove, replace };
}

/** The name by which a cache knows an object. */
const cacheKeyOf = ({ metadata }: Informed): string => `${metadata.namespace ?? ''}/${metadata.name}`;

/** A cache that is filled by lists, and keeps no more than it may. */
export interface BoundedCache<T> extends Cache<T> {
  /** Lists as long as what of it is to be kept is not too much. */
  list(read: (measured: SnapshotOptions<T>['measured']) => Promise<Snapshot<T>>): Promise<Snapshot<T>>;
}

/** Makes a cache of what a budget allows; what would be too much is refused, and leaves it as it was. */
export function cacheWithin<T extends Informed>(budget: MemoryBudget | undefined): BoundedCache<T> {
  const cache = createCache<T>();
  if (budget === undefined) return { ...cache, list: (read) => read(undefined) };
  const measured = new WeakMap<T, number>();
  let sizes = new Map<string, number>();
  let kept = 0;
  const hold = (next: number): void => {
    budget.keep(next);
    kept = next;
  };
  return {
    list: async (read) => {
      let listed = 0;
      try {
        return await read((object, characters) => {
          measured.set(object, EACH + characters);
          listed += EACH + characters;
          budget.list(listed);
        });
      } finally {
        budget.list(0);
      }
    },
    put: (object) => {
      const [key, size] = [cacheKeyOf(object), sizeOf(object)];
      hold(kept - (sizes.get(key) ?? 0) + size);
      sizes.set(key, size);
      return cache.put(object);
    },
    remove: (object) => {
      const key = cacheKeyOf(object);
      hold(kept - (sizes.get(key) ?? 0));
      sizes.delete(key);
      return cache.remove(object);
    },
    replace: (objects) => {
      const next = new Map(
        objects.map((object) => [cacheKeyOf(object), measured.get(object) ?? sizeOf(object)]),
      );
      hold([...next.values()].reduce((sum, size) => sum + size, 0));
      sizes = next;
      return cache.replace(objects);
    },
  };
}

// What an object takes up beside what it says.
const EACH = 500;

const sizeOf = (object: Informed): number => EACH + JSON.stringify(object).length;

import type { Informed } from '../event.ts';
import type { Snapshot, SnapshotOptions } from '../../clients/kubernetes/kubernetes.ts';
import { cacheKeyOf, createCache, type Cache } from './cache.ts';
import type { MemoryBudget } from './memory-budget.ts';

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

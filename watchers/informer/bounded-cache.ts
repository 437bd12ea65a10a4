import type { Informed } from '../event.ts';
import type { Snapshot } from '../../clients/kubernetes/kubernetes.ts';
import { cacheKeyOf, createCache, type Cache } from './cache.ts';
import type { Room } from './room.ts';

/** Makes a cache that keeps no more than there is room for; what would be too much is refused, and leaves it as it was. */
export function cacheWithin<T extends Informed>(room: Pick<Room, 'keep'> | undefined): Cache<T> {
  const cache = createCache<T>();
  if (room === undefined) return cache;
  let sizes = new Map<string, number>();
  let kept = 0;
  const hold = (next: number): void => {
    room.keep(next);
    kept = next;
  };
  return {
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
      const next = new Map(objects.map((object) => [cacheKeyOf(object), sizeOf(object)]));
      hold([...next.values()].reduce((sum, size) => sum + size, 0));
      sizes = next;
      return cache.replace(objects);
    },
  };
}

/** Lists as long as there is room for what of it is to be kept. */
export async function listWithin<T extends Informed>(
  room: Pick<Room, 'list'> | undefined,
  trim: (object: T) => T,
  list: (trim: (object: T) => T) => Promise<Snapshot<T>>,
): Promise<Snapshot<T>> {
  if (room === undefined) return await list(trim);
  let listed = 0;
  try {
    return await list((object) => {
      const trimmed = trim(object);
      listed += sizeOf(trimmed);
      room.list(listed);
      return trimmed;
    });
  } finally {
    room.list(0);
  }
}

// What an object takes up beside what it says.
const EACH = 500;

const sizeOf = (object: Informed): number => EACH + JSON.stringify(object).length;

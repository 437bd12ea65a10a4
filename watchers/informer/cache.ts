import type { Informed, ObjectEvent } from '../event.ts';

/** What an informer knows of the objects of its kind. */
export interface Cache<T> {
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
export const cacheKeyOf = ({ metadata }: Informed): string => `${metadata.namespace ?? ''}/${metadata.name}`;

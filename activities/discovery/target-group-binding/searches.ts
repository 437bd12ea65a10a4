import { keepNewest } from '../../../clients/newest.ts';
import type { RegisteredTarget } from '../../../domain/discovery/target-group-binding/registered-target.ts';

/** The searches for targets that AWS refuses, of all syncs of a process: each takes many calls, and waits for each of them. */
export interface Searches {
  /** What a sync of a namespace may search with; where it registers targets, what searches have found there is remembered, and with which spec. */
  of(namespace: string, where?: string): Search;
}

/** The searches of one sync, until it is disposed of. */
export interface Search extends Disposable {
  /** Says whether it may search now; others of its namespace may do so already, and then it has to do without. */
  begin(): boolean;
  /** The targets that AWS has refused by themselves, spelt as text, by this sync or those before. */
  readonly found: Set<string>;
  /** What is registered though it is to go, as it was found before, since a record says that no more. */
  held: readonly RegisteredTarget[];
  /** The generation of the object at which this process has last looked for all targets that it records there; undefined when nobody knows. */
  generation?: number | undefined;
}

/** So many syncs of one namespace search at once: together with what waits for them they would take all slots of a worker. */
const MOST_OF_ONE = 8;

/** In so many places at most it is remembered what was found: in those that were searched last. What is forgotten is searched again. */
const MOST_PLACES = 1000;

/** Of so many places at most the generation is known. */
const MOST_GENERATIONS = 10_000;

/** Makes them, with nothing searched yet. */
export function searches(mostOfOne = MOST_OF_ONE, mostPlaces = MOST_PLACES): Searches {
  const underWay = new Map<string, number>();
  const places = new Map<string, Set<string>>();
  const generations = new Map<string, number>();
  const leaving = new Map<string, readonly RegisteredTarget[]>();
  const remember = (where: string, { found, held, generation }: Search): void => {
    renew(places, where, found.size > 0 ? found : undefined, mostPlaces);
    renew(leaving, where, held.length > 0 ? held : undefined, mostPlaces);
    renew(generations, where, generation, MOST_GENERATIONS);
  };
  const change = (namespace: string, by: number): void => {
    const now = (underWay.get(namespace) ?? 0) + by;
    if (now === 0) underWay.delete(namespace);
    else underWay.set(namespace, now);
  };
  return {
    of: (namespace, where) => {
      let isBegun = false;
      const search: Search = {
        found: (where === undefined ? undefined : places.get(where)) ?? new Set<string>(),
        held: (where === undefined ? undefined : leaving.get(where)) ?? [],
        generation: where === undefined ? undefined : generations.get(where),
        begin: () => {
          if (isBegun) return true;
          if ((underWay.get(namespace) ?? 0) >= mostOfOne) return false;
          isBegun = true;
          change(namespace, 1);
          return true;
        },
        [Symbol.dispose]: () => {
          if (isBegun) change(namespace, -1);
          isBegun = false;
          if (where !== undefined) remember(where, search);
        },
      };
      return search;
    },
  };
}

/** Has a map know a value by its key as the newest one, of so many. */
function renew<T>(all: Map<string, T>, key: string, value: T | undefined, most: number): void {
  all.delete(key);
  if (value !== undefined) all.set(key, value);
  keepNewest(all, most);
}

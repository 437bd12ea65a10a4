/** The searches for targets that AWS refuses, of all syncs of a process: each takes many calls, and waits for each of them. */
export interface Searches {
  /** What a sync of a namespace may search with; where it registers targets, what searches have found there is remembered. */
  of(namespace: string, where?: string): Search;
}

/** The searches of one sync, until it is disposed of. */
export interface Search extends Disposable {
  /** Says whether it may search now; others of its namespace may do so already, and then it has to do without. */
  begin(): boolean;
  /** The targets that AWS has refused by themselves, spelt as text, by this sync or those before. */
  readonly found: Set<string>;
}

/** So many syncs of one namespace search at once: together with what waits for them they would take all slots of a worker. */
const MOST_OF_ONE = 8;

/** In so many places at most it is remembered what was found: in those that were searched last. What is forgotten is searched again. */
const MOST_PLACES = 1000;

/** Makes them, with nothing searched yet. */
export function searches(mostOfOne = MOST_OF_ONE, mostPlaces = MOST_PLACES): Searches {
  const underWay = new Map<string, number>();
  const places = new Map<string, Set<string>>();
  const remember = (where: string, found: Set<string>): void => {
    places.delete(where);
    if (found.size > 0) places.set(where, found);
    const [first] = places.keys();
    if (places.size > mostPlaces && first !== undefined) places.delete(first);
  };
  const change = (namespace: string, by: number): void => {
    const now = (underWay.get(namespace) ?? 0) + by;
    if (now === 0) underWay.delete(namespace);
    else underWay.set(namespace, now);
  };
  return {
    of: (namespace, where) => {
      let isBegun = false;
      const found = (where === undefined ? undefined : places.get(where)) ?? new Set<string>();
      return {
        found,
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
          if (where !== undefined) remember(where, found);
        },
      };
    },
  };
}

/** The searches for targets that AWS refuses, of all syncs of a process: each takes many calls, and waits for each of them. */
export interface Searches {
  /** What a sync of a namespace may search with. */
  of(namespace: string): Search;
}

/** The searches of one sync, until it is disposed of. */
export interface Search extends Disposable {
  /** Says whether it may search now; others of its namespace may do so already, and then it has to do without. */
  begin(): boolean;
}

/** So many syncs of one namespace search at once: together with what waits for them they would take all slots of a worker. */
const MOST_OF_ONE = 8;

/** Makes them, with nothing searched yet. */
export function searches(mostOfOne = MOST_OF_ONE): Searches {
  const underWay = new Map<string, number>();
  const change = (namespace: string, by: number): void => {
    const now = (underWay.get(namespace) ?? 0) + by;
    if (now === 0) underWay.delete(namespace);
    else underWay.set(namespace, now);
  };
  return {
    of: (namespace) => {
      let isBegun = false;
      return {
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
        },
      };
    },
  };
}

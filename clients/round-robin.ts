/** What waits for its turn; those for whom it waits take turns, so that none has to wait for all that another asks for. */
export interface RoundRobin<T> {
  add(whose: string, what: T): void;
  /** Takes out what is not waited for any more. */
  remove(whose: string, what: T): void;
  /** Takes out what comes next; undefined when nothing waits. */
  next(): T | undefined;
}

/** Makes it empty. */
export function roundRobin<T>(): RoundRobin<T> {
  // In the order of their turns.
  const lines = new Map<string, Set<T>>();
  const remove = (whose: string, what: T): void => {
    const line = lines.get(whose);
    line?.delete(what);
    if (line?.size === 0) lines.delete(whose);
  };
  return {
    add: (whose, what) => {
      const line = lines.get(whose) ?? new Set<T>();
      lines.set(whose, line.add(what));
    },
    remove,
    next: () => {
      for (const [whose, line] of lines) {
        lines.delete(whose);
        lines.set(whose, line);
        for (const what of line) {
          remove(whose, what);
          return what;
        }
      }
      return undefined;
    },
  };
}

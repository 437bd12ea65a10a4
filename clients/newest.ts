/** Makes something for a name when it is asked for first; of all names those are kept that were asked for last, since anybody may think of more. */
export function newest<T extends object>(most: number): (name: string, make: () => T) => T {
  const kept = new Map<string, T>();
  return (name, make) => {
    const found = kept.get(name) ?? make();
    kept.delete(name);
    kept.set(name, found);
    keepNewest(kept, most);
    return found;
  };
}

/** Forgets what was added first, until so many are left. */
export function keepNewest(from: Map<string, unknown>, most: number): void {
  for (const name of from.keys()) {
    if (from.size <= most) return;
    from.delete(name);
  }
}

/** What is remembered about names, for each who has written them. */
export interface OfEach<Value> {
  readonly get: (whose: string, name: string) => Value | undefined;
  readonly set: (whose: string, name: string, value: Value) => void;
}

/** Remembers values for so many names. When there are more, whoever has the most loses the oldest, so that nobody crowds out another. */
export function newestOfEach<Value>(most: number): OfEach<Value> {
  const all = new Map<string, Map<string, Value>>();
  let size = 0;

  function forgetOne(): void {
    const [whose, names] = [...all].reduce((a, b) => (b[1].size > a[1].size ? b : a));
    keepNewest(names, names.size - 1);
    size -= 1;
    if (names.size === 0) all.delete(whose);
  }

  return {
    get: (whose, name) => all.get(whose)?.get(name),
    set: (whose, name, value) => {
      const names = all.get(whose) ?? new Map<string, Value>();
      size -= names.size;
      names.delete(name);
      all.set(whose, names.set(name, value));
      size += names.size;
      if (size > most) forgetOne();
    },
  };
}

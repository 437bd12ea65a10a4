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

import type { World } from './world.ts';

/** How a stale read looks back: by time, by a number of reads after each write, or past the last write. */
export type Staleness = { readonly ms: number } | { readonly calls: number } | { readonly lastWrite: true };

interface Entry {
  readonly at: number;
  readonly touched: ReadonlySet<string>;
  readonly before: World;
  staleReads: number;
}

/** What the world was before each of the last writes. */
export interface History {
  record(entry: { readonly at: number; readonly touched: Iterable<string>; readonly before: World }): void;
  /** Finds the world that a stale read of these ARNs sees, or nothing when the present one is seen. */
  past(subjects: readonly string[], staleness: Staleness, now: number): World | undefined;
}

const kept = 200;

/** Remembers the last writes of an account and region. */
export function createHistory(): History {
  const entries: Entry[] = [];
  return {
    record: ({ at, touched, before }) => {
      entries.push({ at, touched: new Set(touched), before, staleReads: 0 });
      if (entries.length > kept) entries.shift();
    },
    past: (subjects, staleness, now) => {
      const relevant = entries.filter((entry) => subjects.some((arn) => entry.touched.has(arn)));
      if ('ms' in staleness) return relevant.find((entry) => entry.at > now - staleness.ms)?.before;
      const last = relevant.at(-1);
      if (last === undefined || 'lastWrite' in staleness) return last?.before;
      if (last.staleReads >= staleness.calls) return undefined;
      last.staleReads += 1;
      return last.before;
    },
  };
}

import { compareText } from '../kubernetes/canonical.ts';
import { parseTime } from '../time.ts';
import type { Problem } from './sync-status.ts';

/** A cluster that was there, and when it was first missed. */
export interface Missing {
  readonly name: string;
  readonly since: string;
}

/** How long what is missed keeps what it had. */
export interface Grace {
  readonly before: readonly Missing[];
  /** In milliseconds since the epoch. */
  readonly now: number;
  readonly seconds: number;
}

/** What is missed and still has time to come back. */
export type Missed = ReturnType<typeof awaitMissing>;

// As many as the schema takes (crds/sets.ts); what is beyond is missed later, and goes later.
const MOST_MISSING = 1000;

/** When the time of something that is missed since then is over. */
export const endOf = (since: number, { seconds }: Pick<Grace, 'seconds'>): number => since + seconds * 1000;

const secondsUntil = (time: number, { now }: Pick<Grace, 'now'>): number =>
  Math.max(1, Math.ceil((time - now) / 1000));

/** The earlier of two times, if there is any. */
export const earlierOf = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);

/** Says which of those that are gone are waited for: it may be that someone replaces them, or hands them over. */
export function awaitMissing(gone: readonly string[], { before, now, seconds }: Grace) {
  const known = new Map(before.map(({ name, since }) => [name, parseTime(since) ?? now]));
  const all = [...new Set(gone)].map((name) => ({ name, since: Math.min(known.get(name) ?? now, now) }));
  const awaited = all.filter(({ since }) => now < endOf(since, { seconds }));
  const names = new Set(awaited.map(({ name }) => name));
  const first = Math.min(...awaited.map(({ since }) => endOf(since, { seconds })));
  return {
    missing: awaited
      .toSorted((a, b) => a.since - b.since || compareText(a.name, b.name))
      .slice(0, MOST_MISSING)
      .map(({ name, since }) => ({ name, since: new Date(since).toISOString() })),
    isAwaited: (name: string): boolean => names.has(name),
    againInSeconds: awaited.length === 0 ? undefined : secondsUntil(first, { now }),
  };
}

/** Says what is missed, since when, and until when what it had stays. */
export const missingProblems = (
  { missing }: Missed,
  { now, seconds }: Grace,
  texts: {
    readonly expected: (name: string) => string;
    readonly stays: (name: string) => string;
    readonly advice: string;
  },
): readonly Problem[] =>
  missing.map(({ name, since }) => {
    const until = new Date(endOf(parseTime(since) ?? now, { seconds })).toISOString();
    return {
      cluster: name,
      reason: 'ClusterMissing',
      message: `${texts.expected(name)} since ${since}. ${texts.stays(name)} until ${until}; ${texts.advice}`,
    };
  });

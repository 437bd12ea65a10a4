import type { LookupAddress, LookupAllOptions } from 'node:dns';
import { fairTurns, type FairTurns, type Threads, type Turn } from '../fair-turns.ts';
import { newestOfEach } from '../newest.ts';

/** Told the addresses of a name, or why there are none. */
export type Found = (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void;

/** Gives all addresses of a name, as `dns.lookup` does. */
export type Lookup = (
  hostname: string,
  options: LookupAllOptions,
  found: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** A name that someone has written, and whose it is: the namespace, say. */
export interface AskedName {
  readonly hostname: string;
  readonly whose: string;
  readonly options: LookupAllOptions;
}

/** Looks up names that others have written; the answer, or a word that there is none, comes in time. */
export type NameLookups = (name: AskedName, found: Found) => void;

/** Says that a name is not looked up yet. */
export class LateNameError extends Error {
  override readonly name = 'LateNameError';
  readonly code = 'OKRA_LATE_NAME';
}

/** How long things take; in milliseconds. */
export interface LookupTiming {
  /** For so long one who asks waits; less than a connection, or a request, may take. */
  readonly wait: number;
  /** A name that takes longer is late. */
  readonly inTime: number;
  readonly now: () => number;
}

const usual: LookupTiming = { wait: 5_000, inTime: 500, now: () => performance.now() };

/** How a name was answered the last time: it is looked up beside others of which the same holds. */
type Before = 'InTime' | 'Never' | 'Late';

// Each kind of name has threads that no other takes, and no namespace takes all of a kind.
const THREADS: Readonly<Record<Before, Threads>> = {
  InTime: { all: 4, ofOne: 2 },
  Never: { all: 4, ofOne: 2 },
  Late: { all: 2, ofOne: 1 },
};

/** How many names that others have written are looked up at once, at most. */
export const LOOKUPS_AT_ONCE = THREADS.InTime.all + THREADS.Never.all + THREADS.Late.all;

/** A name that is looked up, or waits for that, for all who ask for it meanwhile. */
interface Search extends AskedName {
  readonly key: string;
  readonly before: Before;
  readonly waiting: Set<Found>;
  begun: boolean;
}

// Anybody who can write secrets can name hosts.
const MOST_REMEMBERED = 10_000;

/**
 * Makes what looks up names that others have written, so that none of them holds up another for long. The system does it, since it alone
 * heeds /etc/hosts, search domains and nsswitch.conf (dns.Resolver does not), in threads of which it has a few (UV_THREADPOOL_SIZE). A name
 * whose server does not answer keeps one for many seconds, and cannot be given up.
 */
export function nameLookups(look: Lookup, timing: Partial<LookupTiming> = {}): NameLookups {
  const { wait, inTime, now } = { ...usual, ...timing };
  const searches = new Map<string, Search>();
  const remembered = newestOfEach<Before>(MOST_REMEMBERED);
  const turnsOf = (before: Before): FairTurns<Search> => fairTurns(THREADS[before], now);
  const turns = { InTime: turnsOf('InTime'), Never: turnsOf('Never'), Late: turnsOf('Late') };

  function proceed(before: Before): void {
    for (let turn = turns[before].begin(); turn !== undefined; turn = turns[before].begin()) take(turn);
  }

  function take({ what: search, end }: Turn<Search>): void {
    search.begun = true;
    lookUp(look, search, (error, addresses) => {
      const took = end();
      searches.delete(search.key);
      remembered.set(search.whose, search.key, took > inTime ? 'Late' : 'InTime');
      for (const found of search.waiting) found(error, addresses);
      proceed(search.before);
    });
  }

  function searchFor(name: AskedName): Search {
    const { hostname, whose, options } = name;
    const key = JSON.stringify([whose, hostname, options.family, options.hints]);
    const underWay = searches.get(key);
    if (underWay !== undefined) return underWay;
    const before = remembered.get(whose, key) ?? 'Never';
    const search: Search = { ...name, key, before, waiting: new Set(), begun: false };
    searches.set(key, search);
    turns[before].add(whose, search);
    return search;
  }

  function leave(search: Search, found: Found): void {
    search.waiting.delete(found);
    if (search.begun || search.waiting.size > 0) return;
    turns[search.before].remove(search.whose, search);
    searches.delete(search.key);
  }

  return (name, found) => {
    const search = searchFor(name);
    const told: Found = (error, addresses) => {
      clearTimeout(timer);
      found(error, addresses);
    };
    const timer = setTimeout(() => {
      leave(search, told);
      found(late(search, wait), []);
    }, wait);
    search.waiting.add(told);
    proceed(search.before);
  };
}

function lookUp(look: Lookup, { hostname, options }: Search, found: Found): void {
  try {
    look(hostname, options, found);
  } catch (error) {
    found(error instanceof Error ? error : new Error('no address'), []);
  }
}

const late = ({ begun }: Search, wait: number): LateNameError =>
  new LateNameError(
    begun
      ? `no answer within ${wait / 1000} s when its name was looked up; look at the DNS server of the name`
      : `no turn within ${wait / 1000} s to have its name looked up, because other names take long; it is tried again`,
  );

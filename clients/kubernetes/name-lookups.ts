import type { LookupAddress, LookupAllOptions } from 'node:dns';
import { roundRobin, type RoundRobin } from '../round-robin.ts';

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

/** A name that is looked up, or waits for that, for all who ask for it meanwhile. */
interface Search extends AskedName {
  readonly key: string;
  readonly before: Before;
  readonly waiting: Set<Found>;
  begun: boolean;
}

/** What one thread does; of its lines those that come later wait for all of those before. */
interface Thread {
  readonly lines: readonly RoundRobin<Search>[];
  isBusy: boolean;
}

// Anybody who can write secrets can name hosts.
const MOST_REMEMBERED = 10_000;

/**
 * Makes what looks up names that others have written, so that none of them holds up another for long. The system does it, since it alone
 * heeds /etc/hosts, search domains and nsswitch.conf (dns.Resolver does not), in two threads that Okra's own names need too. A name whose
 * server does not answer keeps one for many seconds, and cannot be given up. So names that were in time have a thread for themselves.
 */
export function nameLookups(look: Lookup, timing: Partial<LookupTiming> = {}): NameLookups {
  const { wait, inTime, now } = { ...usual, ...timing };
  const searches = new Map<string, Search>();
  const remembered = new Map<string, Before>();
  const lines = { InTime: roundRobin<Search>(), Never: roundRobin<Search>(), Late: roundRobin<Search>() };
  const known: Thread = { lines: [lines.InTime], isBusy: false };
  const others: Thread = { lines: [lines.Never, lines.Late], isBusy: false };

  function remember(key: string, how: Before): void {
    remembered.delete(key);
    remembered.set(key, how);
    for (const oldest of remembered.keys()) {
      if (remembered.size <= MOST_REMEMBERED) return;
      remembered.delete(oldest);
    }
  }

  function proceed(thread: Thread): void {
    const search = thread.isBusy ? undefined : nextOf(thread);
    if (search === undefined) return;
    thread.isBusy = true;
    search.begun = true;
    const since = now();
    lookUp(look, search, (error, addresses) => {
      thread.isBusy = false;
      searches.delete(search.key);
      remember(search.key, now() - since > inTime ? 'Late' : 'InTime');
      for (const found of search.waiting) found(error, addresses);
      proceed(thread);
    });
  }

  function searchFor(name: AskedName): Search {
    const { hostname, whose, options } = name;
    const key = JSON.stringify([whose, hostname, options.family, options.hints]);
    const underWay = searches.get(key);
    if (underWay !== undefined) return underWay;
    const before = remembered.get(key) ?? 'Never';
    const search: Search = { ...name, key, before, waiting: new Set(), begun: false };
    searches.set(key, search);
    lines[before].add(whose, search);
    return search;
  }

  function leave(search: Search, found: Found): void {
    search.waiting.delete(found);
    if (search.begun || search.waiting.size > 0) return;
    lines[search.before].remove(search.whose, search);
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
    proceed(search.before === 'InTime' ? known : others);
  };
}

function nextOf({ lines }: Thread): Search | undefined {
  for (const line of lines) {
    const next = line.next();
    if (next !== undefined) return next;
  }
  return undefined;
}

function lookUp(look: Lookup, { hostname, options }: Search, found: Found): void {
  try {
    look(hostname, options, found);
  } catch (error) {
    found(error instanceof Error ? error : new Error('no address'), []);
  }
}

const late = ({ begun, before }: Search, wait: number): LateNameError =>
  new LateNameError(
    begun || before === 'Late'
      ? `no answer within ${wait / 1000} s when its name was looked up; look at the DNS server of the name`
      : `no turn within ${wait / 1000} s to have its name looked up, because other names take long; it is tried again`,
  );

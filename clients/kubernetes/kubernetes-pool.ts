import type { Dispatcher } from 'undici';

/** The connections that requests share. */
export interface Pool {
  /** Gives the connections, and makes them where there are none, or old ones. */
  get(): Dispatcher;
  /** Makes the next request open a new connection; those under way keep theirs. */
  drop(): void;
}

// After this time certificates are read again, as they are rotated while the process runs.
const KEEP_MILLISECONDS = 300_000;

/** Keeps one pool of connections for all requests. */
export function keepPool(make: () => Dispatcher, now: () => number = () => performance.now()): Pool {
  let kept: { readonly dispatcher: Dispatcher; readonly since: number } | undefined;
  return {
    get: () => {
      if (kept === undefined || now() - kept.since > KEEP_MILLISECONDS)
        kept = { dispatcher: make(), since: now() };
      return kept.dispatcher;
    },
    drop: () => {
      kept = undefined;
    },
  };
}

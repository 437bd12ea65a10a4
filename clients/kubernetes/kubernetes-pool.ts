import type { RequestContext } from '@kubernetes/client-node';

type Dispatcher = NonNullable<ReturnType<RequestContext['getDispatcher']>>;

/** What of a request has to do with connections. */
export type Pooled = Pick<RequestContext, 'getDispatcher' | 'setDispatcher'>;

/** The connections that requests share. */
export interface Pool {
  /** Lets a request share the connections; without it each would make, and leave behind, its own. */
  use(context: Pooled): void;
  /** Makes the next request open a new connection; those under way keep theirs. */
  drop(): void;
}

// After this time certificates are read again, as they are rotated while the process runs.
const KEEP_MILLISECONDS = 300_000;

/** Keeps one pool of connections instead of the one that client-node makes for every request. */
export function keepPool(now: () => number = () => performance.now()): Pool {
  let kept: { readonly dispatcher: Dispatcher; readonly since: number } | undefined;
  return {
    use: (context) => {
      const fresh = context.getDispatcher();
      if (fresh === undefined) return;
      if (kept === undefined || now() - kept.since > KEEP_MILLISECONDS)
        kept = { dispatcher: fresh, since: now() };
      context.setDispatcher(kept.dispatcher);
    },
    drop: () => {
      kept = undefined;
    },
  };
}

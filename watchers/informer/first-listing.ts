import { sleep as sleepByClock, type Sleep, type Waiting } from '../../clients/backoff.ts';
import type { Log } from '../../clients/log.ts';

interface Listed {
  readonly kind: { readonly kind: string };
  readonly namespace?: string;
  /** Whether Okra can do without the kind. */
  readonly optional: boolean;
}

interface FirstListingOptions {
  readonly begin: () => void;
  readonly waiting: Waiting;
  readonly log: Pick<Log, 'info'>;
  readonly signal: AbortSignal;
  readonly sleep?: Sleep;
}

// An object that cannot be decrypted, or a conversion webhook that does not answer, makes every list of its kind fail until someone repairs that.
// And who deletes a namespace deletes the right to read it.
const PATIENCE_MILLISECONDS = 30_000;

/** Begins once every kind is listed, or some time after those that Okra needs. The objects of the others follow when they can be read. */
export function firstListing<Each extends Listed>(
  sources: readonly Each[],
  { begin, waiting, log, signal, sleep = sleepByClock }: FirstListingOptions,
) {
  const missing = new Set(sources);
  const known = new Set<string>();
  let isWaitedFor = false;
  let hasBegun = false;

  const names = (): string[] =>
    [...missing].map(({ kind, namespace }) =>
      namespace === undefined ? kind.kind : `${kind.kind} in ${namespace}`,
    );

  /** Whether nothing can begin without it: a kind that Okra needs, and that was listed in no other namespace either. */
  const isNeeded = ({ kind, optional }: Each): boolean => !optional && !known.has(kind.kind);

  function tell(): void {
    waiting(missing.size === 0 ? undefined : `not listed yet: ${names().join(', ')}`);
  }

  function beginOnce(): void {
    if (hasBegun) return;
    hasBegun = true;
    begin();
  }

  async function waitForOthers(): Promise<void> {
    isWaitedFor = true;
    await sleep(PATIENCE_MILLISECONDS, signal);
    if (hasBegun || signal.aborted) return;
    log.info({ kinds: names() }, 'kinds not listed, starting without them');
    beginOnce();
  }

  tell();
  return {
    hasBegun: (): boolean => hasBegun,
    listed: (source: Each): void => {
      missing.delete(source);
      known.add(source.kind.kind);
      tell();
      if (missing.size === 0) beginOnce();
      else if (!isWaitedFor && ![...missing].some(isNeeded)) void waitForOthers();
    },
  };
}

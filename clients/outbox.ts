import { ProviderError } from './provider-error.ts';
import { sleep, waitAfter } from './backoff.ts';

/** What is sent later, and what it is called in the log. */
export interface Letter {
  /** By which it is sent once, however often it is given. */
  readonly id: string;
  readonly title: string;
}

interface OutboxOptions<One extends Letter> {
  /** Sends it; throws a ProviderError when it was not taken. */
  readonly send: (letter: One) => Promise<unknown>;
  readonly onDropped: (letter: One, error: unknown) => void;
  readonly signal: AbortSignal;
  /** How long a letter waits at most for its next attempt, in milliseconds. */
  readonly longestWaitMs?: number;
}

const ATTEMPTS = 5;
const MOST_WAITING = 500;
const MOST_KNOWN = 2_000;
const FIRST_WAIT_MS = 1_000;

/** Makes what takes letters at once, and sends them one after another in the background. What is refused is not sent again. */
export function openOutbox<One extends Letter>(options: OutboxOptions<One>): (letter: One) => void {
  const { send, onDropped, signal, longestWaitMs = 60_000 } = options;
  const waiting: One[] = [];
  const known = new Set<string>();
  let isBusy = false;

  async function deliver(letter: One): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await send(letter);
        return;
      } catch (error) {
        const trouble = error instanceof ProviderError ? error.trouble : undefined;
        if (signal.aborted) return;
        if (attempt === ATTEMPTS || trouble === undefined || trouble.is === 'Refused')
          return onDropped(letter, error);
        const wait =
          trouble.is === 'RateLimited'
            ? trouble.retryAfterMs
            : waitAfter(attempt, { first: FIRST_WAIT_MS, longest: longestWaitMs });
        await sleep(Math.min(longestWaitMs, wait), signal);
      }
    }
  }

  async function workOff(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    for (let letter = waiting.shift(); letter !== undefined && !signal.aborted; letter = waiting.shift())
      await deliver(letter);
    isBusy = false;
  }

  return (letter) => {
    if (known.has(letter.id)) return;
    known.add(letter.id);
    if (known.size > MOST_KNOWN) known.delete(known.values().next().value ?? '');
    waiting.push(letter);
    const oldest = waiting.length > MOST_WAITING ? waiting.shift() : undefined;
    if (oldest !== undefined) onDropped(oldest, new Error(`more than ${MOST_WAITING} are waiting`));
    void workOff();
  };
}

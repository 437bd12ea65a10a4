import { limitConcurrency } from '../../clients/concurrency.ts';
import { sleep as sleepByClock, waitAfter, type Backoff, type Sleep } from '../../clients/backoff.ts';

/** How a queue works. */
export interface QueueOptions<T> {
  readonly keyOf: (item: T) => string;
  /** Does what an item asks for; it is called again, later, when it throws. */
  readonly perform: (item: T) => Promise<void>;
  readonly onFailure: (item: T, error: unknown, failures: number) => void;
  readonly signal: AbortSignal;
  readonly concurrency?: number;
  readonly backoff?: (error: unknown) => Backoff;
  readonly sleep?: Sleep;
  readonly random?: () => number;
}

interface Entry<T> {
  item: T;
  /** Whether an item came since the last attempt began, which may have been too early for it. */
  again: boolean;
}

const usual: Backoff = { first: 200, longest: 5_000 };

/** Makes an empty queue, which performs each item at least once after it was put in, until the signal is given. */
export function createQueue<T>(options: QueueOptions<T>) {
  const { backoff = () => usual, sleep = sleepByClock, signal } = options;
  const entries = new Map<string, Entry<T>>();
  const inSlot = limitConcurrency(options.concurrency ?? 16);
  let idlers: (() => void)[] = [];

  async function work(key: string, entry: Entry<T>): Promise<void> {
    for (let failures = 0; !signal.aborted;) {
      const error = await inSlot(() => attempt(entry));
      if (error === undefined && !entry.again) break;
      failures = error === undefined ? 0 : failures + 1;
      if (error === undefined) continue;
      options.onFailure(entry.item, error.cause, failures);
      await sleep(waitAfter(failures, backoff(error.cause), options.random), signal);
    }
    entries.delete(key);
    if (entries.size > 0) return;
    for (const wake of idlers.splice(0)) wake();
  }

  async function attempt(entry: Entry<T>): Promise<{ readonly cause: unknown } | undefined> {
    if (signal.aborted) return undefined;
    entry.again = false;
    try {
      await options.perform(entry.item);
      return undefined;
    } catch (cause) {
      return { cause };
    }
  }

  /** Puts an item in; one that waits already under the same key stands for both. */
  function put(item: T): void {
    const key = options.keyOf(item);
    const waiting = entries.get(key);
    if (waiting !== undefined) {
      waiting.item = item;
      waiting.again = true;
      return;
    }
    const entry = { item, again: false };
    entries.set(key, entry);
    void work(key, entry);
  }

  return {
    put,
    size: (): number => entries.size,
    idle: async (): Promise<void> => {
      if (entries.size > 0) await new Promise<void>((resolve) => idlers.push(resolve));
    },
  };
}

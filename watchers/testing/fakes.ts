import pino from 'pino';
import type { Sleep } from '../../clients/backoff.ts';
import type { Log } from '../../clients/log.ts';

/** A log that nobody reads. */
export const noLog: Log = pino({ level: 'silent' });

/** A clock that continues only when someone sleeps, or when it is told to. */
export interface FakeClock {
  readonly now: () => number;
  readonly sleep: Sleep;
  readonly slept: readonly number[];
  /** Lets time pass, and wakes those whose sleep is over. */
  advance(milliseconds: number): Promise<void>;
}

/** Makes a clock that stands still; with `automatic` a sleep is over at once, and time has passed. */
export function fakeClock({ automatic = false } = {}): FakeClock {
  let time = 0;
  const slept: number[] = [];
  let sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  return {
    now: () => time,
    slept,
    sleep: async (milliseconds, signal) => {
      slept.push(milliseconds);
      if (signal.aborted) return;
      if (automatic) {
        time += milliseconds;
        // Lets everything else have its turn, as a real sleep does.
        await turn();
        return;
      }
      await new Promise<void>((wake) => {
        sleepers.push({ at: time + milliseconds, wake });
        signal.addEventListener('abort', () => wake(), { once: true });
      });
    },
    advance: async (milliseconds) => {
      await turn();
      const until = time + milliseconds;
      for (;;) {
        const next = sleepers.filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        sleepers = sleepers.filter((sleeper) => sleeper !== next);
        // A little late, and not a whole number, as it is with a real clock.
        time = Math.max(time, next.at + 0.125);
        next.wake();
        await turn();
      }
      time = Math.max(time, until);
    },
  };
}

/** Lets everything that is ready to continue do so. */
export const turn = async (): Promise<void> => {
  await new Promise<void>((resolve) => setImmediate(resolve));
};

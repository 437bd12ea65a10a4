import { setTimeout } from 'node:timers/promises';

/** Told what a part of the process waits for, in a sentence; undefined when that is there. */
export type Waiting = (reason: string | undefined) => void;

/** Takes the word for those who do not want to know. */
export const unheard: Waiting = () => undefined;

/** Waits; ends early and without an error when the signal is given. */
export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** Waits by the clock of the process. */
export const sleep: Sleep = async (milliseconds, signal) => {
  // The only error is the abort, and the caller asks the signal for it.
  await setTimeout(milliseconds, undefined, { signal }).catch(() => undefined);
};

/** How long to wait between attempts, in milliseconds. */
export interface Backoff {
  readonly first: number;
  readonly longest: number;
}

/** The wait after a number of failures in a row, from 1: doubled each time, less up to a half at random to spread processes. */
export function waitAfter(failures: number, backoff: Backoff, random: () => number = Math.random): number {
  const whole = Math.min(backoff.longest, backoff.first * 2 ** Math.min(failures - 1, 30));
  return Math.round(whole * (1 - random() / 2));
}

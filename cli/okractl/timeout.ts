import { InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../../domain/duration.ts';
import { badUsage, failed, type Shell } from './shell.ts';

/** How long a command waits, as it was written and in milliseconds. */
export interface Timeout {
  readonly text: string;
  readonly milliseconds: number;
}

// A timer of Node takes no more.
const LONGEST_MS = 2 ** 31 - 1;

function timeoutIn(text: string): Timeout {
  try {
    const milliseconds = parseDuration(text) * 1000;
    if (milliseconds > 0) return { text, milliseconds: Math.min(milliseconds, LONGEST_MS) };
  } catch {
    // Neither is a duration that one can wait for.
  }
  throw new InvalidArgumentError('It must be a duration such as 90s, 10m or 1h.');
}

export const timeoutOption = (otherwise = 'no limit'): Option =>
  new Option('--timeout <duration>', `how long to wait, such as 10m; default: ${otherwise}`).argParser(
    timeoutIn,
  );

/** Refuses a timeout where nothing is waited for. */
export function mustWaitFor(timeout: Timeout | undefined, isWaiting: boolean, option: string): void {
  if (timeout !== undefined && !isWaiting) throw badUsage(`--timeout needs ${option}.`);
}

/** Runs what waits until it ends, the person interrupts it, or the time is over, which is a failure. */
export async function within<Result>(
  { signal }: Pick<Shell, 'signal'>,
  { timeout, what }: { readonly timeout: Timeout | undefined; readonly what: string },
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  if (timeout === undefined) return run(signal);
  const limit = AbortSignal.timeout(timeout.milliseconds);
  const isOver = (): boolean => limit.aborted && !signal.aborted;
  const timedOut = (): Error => failed(`timed out after ${timeout.text} waiting for ${what}.`);
  try {
    const result = await run(AbortSignal.any([signal, limit]));
    if (isOver()) throw timedOut();
    return result;
  } catch (error) {
    throw isOver() ? timedOut() : error;
  }
}

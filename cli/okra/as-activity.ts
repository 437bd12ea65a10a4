import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { sleep } from '../../clients/backoff.ts';

/**
 * Runs a function of an activity outside of Temporal: it is its only attempt, its heartbeats go nowhere, and the signal
 * cancels it.
 */
export function asActivity<Value>(signal: AbortSignal, run: () => Promise<Value>): Promise<Value> {
  const context = {
    info: { attempt: 1, taskQueue: 'okra' },
    cancellationSignal: signal,
    sleep: (ms: number) => sleep(ms, signal),
    heartbeat: () => undefined,
  };
  // The context is a class that only a worker makes; these are the parts that the activities use.
  return asyncLocalStorage.run(context as unknown as Context, run);
}

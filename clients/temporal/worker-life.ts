import type { Worker } from '@temporalio/worker';
import { sleep as sleepByClock, type Sleep } from '../backoff.ts';

/** A worker as far as its life is concerned. */
export type LivingWorker = Pick<Worker, 'run' | 'shutdown' | 'getState'>;

// How often a worker is asked whether it has failed, and how long one that has may take to say so itself.
const ASK_MILLISECONDS = 1_000;
const SAY_MILLISECONDS = 5_000;
// Longer than a worker is given to end.
const END_MILLISECONDS = 15_000;

/** Runs workers until the signal; when one of them fails, ends all, and throws. */
export async function runUntil(
  workers: readonly LivingWorker[],
  signal: AbortSignal,
  sleep: Sleep = sleepByClock,
): Promise<void> {
  const stop = (): void => workers.forEach((worker) => worker.getState() === 'RUNNING' && worker.shutdown());
  const ended = new AbortController();
  signal.addEventListener('abort', stop, { once: true });
  const running = workers.map((worker) => worker.run());
  if (signal.aborted) stop();
  try {
    await Promise.race([Promise.all(running), failure(workers, ended.signal, sleep)]);
  } finally {
    stop();
    await Promise.race([Promise.allSettled(running), sleep(END_MILLISECONDS, ended.signal)]);
    ended.abort();
    signal.removeEventListener('abort', stop);
  }
}

// A worker whose polls Temporal has refused for a while fails, and then may wait for ever for polls that it does not make
// any more: its run does not end, and nothing is done.
async function failure(workers: readonly LivingWorker[], ended: AbortSignal, sleep: Sleep): Promise<void> {
  while (workers.every((worker) => worker.getState() !== 'FAILED')) {
    await sleep(ASK_MILLISECONDS, ended);
    if (ended.aborted) return;
  }
  await sleep(SAY_MILLISECONDS, ended);
  if (ended.aborted) return;
  throw new Error(
    'Expected each worker to poll, got one that has failed and does not end. The log says why; mostly Temporal has refused its polls for more than a minute.',
  );
}

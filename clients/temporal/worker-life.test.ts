import { describe, expect, it } from 'vitest';
import type { Sleep } from '../backoff.ts';
import { runUntil, type LivingWorker } from './worker-life.ts';

type State = ReturnType<LivingWorker['getState']>;

/** A worker that runs until it is told to end, or to fail. */
function aWorker({ endsOnFailure = true } = {}) {
  let state: State = 'INITIALIZED';
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  return {
    run: (): Promise<void> => {
      state = 'RUNNING';
      return promise;
    },
    shutdown: (): void => {
      state = 'STOPPED';
      resolve();
    },
    getState: (): State => state,
    fail: (): void => {
      state = 'FAILED';
      if (endsOnFailure) reject(new Error('polls refused'));
    },
  };
}

const atOnce: Sleep = () => new Promise((resolve) => void setImmediate(resolve));

describe('workers', () => {
  it('run until they are told to end', async () => {
    const workers = [aWorker(), aWorker()];
    const stop = new AbortController();
    const running = runUntil(workers, stop.signal, atOnce);
    stop.abort();
    await running;
    expect(workers.map((worker) => worker.getState())).toEqual(['STOPPED', 'STOPPED']);
  });

  it('do not begin to run for long when they are told to end before', async () => {
    const worker = aWorker();
    await runUntil([worker], AbortSignal.abort(), atOnce);
    expect(worker.getState()).toBe('STOPPED');
  });

  it('all end when one fails, with what it says', async () => {
    const [one, other] = [aWorker(), aWorker()];
    const running = runUntil([one, other], new AbortController().signal, atOnce);
    one.fail();
    await expect(running).rejects.toThrow('polls refused');
    expect(other.getState()).toBe('STOPPED');
  });

  it('all end when one has failed and never says so', async () => {
    const [one, other] = [aWorker({ endsOnFailure: false }), aWorker()];
    const running = runUntil([one, other], new AbortController().signal, atOnce);
    one.fail();
    await expect(running).rejects.toThrow('got one that has failed and does not end');
    expect(other.getState()).toBe('STOPPED');
  });
});

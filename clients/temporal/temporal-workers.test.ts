import { describe, expect, it } from 'vitest';
import type { Sleep } from '../backoff.ts';
import { runUntil, type LivingWorker, upgradesRuns, versioned } from './temporal-workers.ts';

const version = { deploymentName: 'okra', buildId: 'v2' };
const server = (serverVersion: string) =>
  ({ workflowService: { getSystemInfo: () => Promise.resolve({ serverVersion }) } }) as never;

describe('the version of a worker', () => {
  it('keeps runs on the version on which they began, where they can continue on another', async () => {
    expect(await versioned(version, server('1.30.4'))).toEqual({
      workerDeploymentOptions: { useWorkerVersioning: true, version, defaultVersioningBehavior: 'PINNED' },
    });
  });

  it('moves runs as they stand where they could never leave', async () => {
    expect(await versioned(version, server('1.29.1'))).toMatchObject({
      workerDeploymentOptions: { defaultVersioningBehavior: 'AUTO_UPGRADE' },
    });
  });

  it('is none unless it is asked for, and the server is not asked', async () => {
    expect(await versioned(undefined, {} as never)).toEqual({});
  });

  it.each([
    ['1.30.2', true],
    ['1.31.0-150.3', true],
    ['1.30.1', false],
    ['1.29.1', false],
    ['', false],
    [undefined, false],
    [null, false],
  ])('a server of version %s lets runs change the version: %s', (text, want) =>
    expect(upgradesRuns(text)).toBe(want),
  );
});

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
    await expect(running).rejects.toThrow('a worker has failed and does not end');
    expect(other.getState()).toBe('STOPPED');
  });
});

import { NativeConnection, type Worker, type WorkerOptions } from '@temporalio/worker';
import type { Config, TemporalConfig } from '../../config/config.ts';
import { sleep as sleepByClock, waitAfter, type Sleep, unheard, type Waiting } from '../backoff.ts';
import { detailsOf } from './grpc-status.ts';
import type { Log } from '../log.ts';
import { unpolled, type Poller } from './polls.ts';
import { readCredentials } from './temporal-connection.ts';
import semver from 'semver';

/** A worker as far as its life is concerned. */
export type LivingWorker = Pick<Worker, 'run' | 'shutdown' | 'getState'>;

// How often a worker is asked whether it has failed, and how long one that has may take to say so itself.
const LOOK_MILLISECONDS = 1_000;
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
    await sleep(LOOK_MILLISECONDS, ended);
    if (ended.aborted) return;
  }
  await sleep(SAY_MILLISECONDS, ended);
  if (ended.aborted) return;
  throw new Error(
    'a worker has failed and does not end. The log says why; mostly Temporal has refused its polls for more than a minute.',
  );
}

type Asked = {
  readonly workflowService: Pick<NativeConnection['workflowService'], 'getSystemInfo'>;
};

/** The first server that lets a run continue as new on another version than its own. */
const UPGRADES_RUNS = '1.30.2';

/** What a worker needs to be one version of a deployment; nothing when it is none. */
export async function versioned(
  version: Config['deployment'],
  connection: Asked,
): Promise<Pick<WorkerOptions, 'workerDeploymentOptions'>> {
  if (version === undefined) return {};
  const { serverVersion } = await connection.workflowService.getSystemInfo({});
  const defaultVersioningBehavior = upgradesRuns(serverVersion) ? 'PINNED' : 'AUTO_UPGRADE';
  return { workerDeploymentOptions: { useWorkerVersioning: true, version, defaultVersioningBehavior } };
}

/** Whether runs may stay on the version on which they began; an older server cannot move those that live as long as their object. */
export const upgradesRuns = (serverVersion: string | null | undefined): boolean => {
  const known = semver.coerce(serverVersion);
  return known !== null && semver.gte(known, UPGRADES_RUNS);
};

interface RunWorkersOptions {
  readonly temporal: TemporalConfig;
  readonly poller: Poller;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly waiting?: Waiting | undefined;
}

/** Makes workers of one connection and runs them until the signal; throws when one of them fails. */
export async function runWorkers(
  make: (connection: NativeConnection) => Promise<readonly Worker[]>,
  options: RunWorkersOptions,
): Promise<void> {
  const { poller, log, signal, waiting = unheard } = options;
  const connection = await connect(options);
  const ended = new AbortController();
  try {
    const workers = await make(connection);
    void watchPolls({ connection, workers, poller }, waiting, ended.signal);
    log.info({ taskQueues: poller.queues.map(({ taskQueue }) => taskQueue) }, 'worker started');
    await runUntil(workers, signal);
  } finally {
    ended.abort();
    await close(connection, log);
  }
}

const backoff = { first: 500, longest: 10_000 };

async function connect({
  temporal,
  log,
  signal,
  waiting = unheard,
}: RunWorkersOptions): Promise<NativeConnection> {
  const { address } = temporal;
  for (let failures = 1; ; failures += 1) {
    signal.throwIfAborted();
    try {
      return await NativeConnection.connect({ address, ...(await readCredentials(temporal)) });
    } catch (error) {
      waiting(`cannot connect the worker to Temporal at ${address}: ${detailsOf(error)}.`);
      log.warn({ address, err: error }, 'temporal not reached yet');
      await sleepByClock(waitAfter(failures, backoff), signal);
    }
  }
}

// A worker that does not end holds on to its connection, and the connection must not hide why.
async function close(connection: NativeConnection, log: Log): Promise<void> {
  try {
    await connection.close();
  } catch (error) {
    log.warn({ err: error }, 'connection not closed');
  }
}

const ASK_MILLISECONDS = 5_000;
const ASK_AT_FIRST_MILLISECONDS = 500;

interface Watched {
  readonly connection: NativeConnection;
  readonly workers: readonly Worker[];
  readonly poller: Poller;
}

async function watchPolls(watched: Watched, waiting: Waiting, signal: AbortSignal): Promise<void> {
  for (let polled = false; !signal.aborted;) {
    await sleepByClock(polled ? ASK_MILLISECONDS : ASK_AT_FIRST_MILLISECONDS, signal);
    const reason = await problemWith(watched);
    polled = reason === undefined;
    if (!signal.aborted) waiting(reason);
  }
}

async function problemWith({ connection, workers, poller }: Watched): Promise<string | undefined> {
  const state = workers.map((worker) => worker.getState()).find((one) => one !== 'RUNNING');
  if (state !== undefined) return `a worker is ${state.toLowerCase()}.`;
  try {
    const missing = await unpolled(connection, poller);
    if (missing.length === 0) return undefined;
    return `Temporal does not see ${poller.identity} poll ${missing.join(', ')}.`;
  } catch (error) {
    return `cannot read who polls: ${detailsOf(error)}.`;
  }
}

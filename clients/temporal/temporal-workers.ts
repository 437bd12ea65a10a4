import { NativeConnection, type Worker } from '@temporalio/worker';
import type { TemporalConfig } from '../../config/config.ts';
import { sleep, waitAfter } from '../backoff.ts';
import { detailsOf } from './grpc-status.ts';
import type { Log } from '../log.ts';
import { createPollWatch, readPolls, type Poller, type PollWatch } from './polls.ts';
import { followCredentials, readCredentials, type TemporalCredentials } from './temporal-credentials.ts';
import { unheard, type Waiting } from '../waiting.ts';
import { runUntil } from './worker-life.ts';

/** How workers run. */
export interface RunWorkersOptions {
  readonly temporal: TemporalConfig;
  /** What the workers poll. */
  readonly poller: Poller;
  readonly log: Log;
  /** Ends the workers: what runs is given time to end, and is taken up elsewhere otherwise. */
  readonly signal: AbortSignal;
  /** Told what is waited for, until Temporal has seen all polls, and whenever it sees one no more. */
  readonly waiting?: Waiting | undefined;
  /** How often the files of credentials are read. */
  readonly followMilliseconds?: number | undefined;
}

/** Makes workers of one connection and runs them until the signal; throws when one of them fails. */
export async function runWorkers(
  make: (connection: NativeConnection) => Promise<readonly Worker[]>,
  options: RunWorkersOptions,
): Promise<void> {
  const { temporal, poller, log, signal, waiting = unheard, followMilliseconds } = options;
  const { connection, shown } = await connect(options);
  const link = { connection };
  const ended = new AbortController();
  try {
    const workers = await make(connection);
    // Without it polls of an earlier worker may count for a while; it is no reason not to run.
    const before = await readPolls(connection, poller, 'all partitions').catch(
      () => new Map<string, number>(),
    );
    const watch = createPollWatch(poller.queues, before);
    void watchPolls({ link, workers, poller, watch }, waiting, ended.signal);
    void followCredentials(temporal, useOf(link, workers, options), {
      shown,
      log,
      signal: ended.signal,
      everyMilliseconds: followMilliseconds,
    });
    log.info({ taskQueues: poller.queues.map(({ taskQueue }) => taskQueue) }, 'worker started');
    await runUntil(workers, signal);
  } finally {
    ended.abort();
    await close(link.connection, log);
  }
}

/** The connection that is in use now. */
interface Link {
  connection: NativeConnection;
}

const backoff = { first: 500, longest: 10_000 };

async function connect({ temporal, log, signal, waiting = unheard }: RunWorkersOptions): Promise<{
  readonly connection: NativeConnection;
  readonly shown: TemporalCredentials;
}> {
  const { address } = temporal;
  for (let failures = 1; ; failures += 1) {
    signal.throwIfAborted();
    try {
      const shown = await readCredentials(temporal);
      return { connection: await NativeConnection.connect({ address, ...shown }), shown };
    } catch (error) {
      waiting(`Expected Temporal at ${address} to take the worker's connection, got: ${detailsOf(error)}.`);
      log.warn({ address, err: error }, 'temporal not reached yet');
      await sleep(waitAfter(failures, backoff), signal);
    }
  }
}

function useOf(link: Link, workers: readonly Worker[], { temporal, log }: RunWorkersOptions) {
  const { address } = temporal;
  return {
    showApiKey: (apiKey: string) => link.connection.setApiKey(apiKey),
    reconnect: async (credentials: TemporalCredentials): Promise<void> => {
      const old = link.connection;
      const next = await NativeConnection.connect({ address, ...credentials });
      // What runs is not disturbed: a poll that is being held ends on the old connection, and the next one is made on this.
      for (const worker of workers) worker.connection = next;
      link.connection = next;
      await close(old, log);
    },
  };
}

// A worker that does not end holds on to its connection, and the connection must not hide why.
async function close(connection: NativeConnection, log: Log): Promise<void> {
  try {
    await connection.close();
  } catch (error) {
    log.warn({ err: error }, 'connection not closed');
  }
}

/** How often Temporal is asked what it has seen. */
const ASK_MILLISECONDS = 5_000;
/** How often, until it has seen all. */
const ASK_AT_FIRST_MILLISECONDS = 500;

interface Watched {
  readonly link: Link;
  readonly workers: readonly Worker[];
  readonly poller: Poller;
  readonly watch: PollWatch;
}

async function watchPolls(watched: Watched, waiting: Waiting, signal: AbortSignal): Promise<void> {
  for (let polled = false; !signal.aborted;) {
    await sleep(polled ? ASK_MILLISECONDS : ASK_AT_FIRST_MILLISECONDS, signal);
    const reason = await unpolled(watched);
    polled = reason === undefined;
    if (!signal.aborted) waiting(reason);
  }
}

async function unpolled({ link, workers, poller, watch }: Watched): Promise<string | undefined> {
  const state = workers.map((worker) => worker.getState()).find((one) => one !== 'RUNNING');
  if (state !== undefined) return `Expected each worker to run, got one that is ${state.toLowerCase()}.`;
  try {
    let missing = watch.see(await readPolls(link.connection, poller, 'root partition'));
    if (missing.length > 0) missing = watch.see(await readPolls(link.connection, poller, 'all partitions'));
    if (missing.length === 0) return undefined;
    return `Expected Temporal to see ${poller.identity} poll ${missing.join(', ')}, it does not.`;
  } catch (error) {
    return `Expected Temporal to say who polls, got: ${detailsOf(error)}.`;
  }
}

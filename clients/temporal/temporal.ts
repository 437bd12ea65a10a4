import { Client, type Connection, type ConnectionLike } from '@temporalio/client';
import type { Config, TemporalConfig } from '../../config/config.ts';
import { sleep, waitAfter, unheard, type Waiting } from '../backoff.ts';
import { detailsOf, isRefusal } from './grpc-status.ts';
import type { Log } from '../log.ts';
import { connect, payloadConverter } from './temporal-connection.ts';
import { untilRegistered } from './search-attributes.ts';

/** A connection to Temporal, and the client over it. */
export interface Temporal {
  readonly connection: ConnectionLike;
  readonly client: Client;
}

interface ConnectOptions {
  readonly log: Log;
  readonly signal?: AbortSignal;
  readonly waiting?: Waiting;
}

const backoff = { first: 500, longest: 10_000 };

const ASK_MILLISECONDS = 5_000;
const ANSWER_MILLISECONDS = 4_000;

/**
 * Connects to Temporal, and registers Okra's search attributes; waits for a server that is not there yet, that does not
 * let this process in, or that lacks the attributes. Who is told of that is told until the signal.
 */
export async function connectTemporal(
  config: Pick<Config, 'temporal' | 'identity'>,
  { log, signal = never, waiting }: ConnectOptions,
): Promise<Temporal> {
  const { namespace, codec } = config.temporal;
  const dataConverter = await payloadConverter(codec);
  const means = { log, signal, waiting: waiting ?? unheard };
  const connection = await reach(config.temporal, means);
  try {
    await untilRegistered(connection, { namespace, ...means });
  } catch (error) {
    await connection.close();
    throw error;
  }
  waiting?.(undefined);
  if (waiting !== undefined) void watch(connection, config.temporal, { signal, waiting });
  return {
    connection,
    client: new Client({ connection, namespace, dataConverter, identity: config.identity }),
  };
}

const never = new AbortController().signal;

type Means = Required<Pick<ConnectOptions, 'log' | 'signal' | 'waiting'>>;

async function reach(config: TemporalConfig, { log, signal, waiting }: Means): Promise<Connection> {
  const { address, namespace } = config;
  for (let failures = 1; ; failures += 1) {
    signal.throwIfAborted();
    try {
      const connection = await connect(config);
      try {
        await ask(connection, namespace);
        return connection;
      } catch (error) {
        await connection.close();
        throw error;
      }
    } catch (error) {
      waiting(unanswered(config, error));
      log.warn({ address, namespace, err: error }, 'temporal not reached yet');
      await sleep(waitAfter(failures, backoff), signal);
    }
  }
}

async function watch(
  connection: ConnectionLike,
  config: TemporalConfig,
  { signal, waiting }: Pick<Means, 'signal' | 'waiting'>,
): Promise<void> {
  for (;;) {
    await sleep(ASK_MILLISECONDS, signal);
    if (signal.aborted) return;
    const reason = await ask(connection, config.namespace).then(
      () => undefined,
      (error: unknown) => unanswered(config, error),
    );
    if (!signal.aborted) waiting(reason);
  }
}

const ask = (connection: ConnectionLike, namespace: string): Promise<unknown> =>
  connection.withDeadline(Date.now() + ANSWER_MILLISECONDS, () =>
    connection.workflowService.describeNamespace({ namespace }),
  );

function unanswered({ address, namespace }: TemporalConfig, error: unknown): string {
  const what = `cannot reach namespace ${namespace} of Temporal at ${address}: ${detailsOf(error)}.`;
  return isRefusal(error)
    ? `${what} Check TEMPORAL_NAMESPACE, TEMPORAL_API_KEY and TEMPORAL_TLS_CLIENT_CERT_PATH.`
    : what;
}

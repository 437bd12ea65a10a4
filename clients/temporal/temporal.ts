import { Client, type ConnectionLike } from '@temporalio/client';
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
  /** The id of the namespace, as it was seen last: another one when Temporal has lost its database. */
  readonly namespaceId: () => string | undefined;
}

interface ConnectOptions {
  readonly log: Log;
  readonly signal?: AbortSignal;
  readonly waiting?: Waiting;
}

const backoff = { first: 500, longest: 10_000 };

const ASK_MILLISECONDS = 5_000;
const ANSWER_MILLISECONDS = 4_000;

/** Connects to Temporal and registers Okra's search attributes; until the signal it waits for a server that is away or refuses. */
export async function connectTemporal(
  config: Pick<Config, 'temporal' | 'identity'>,
  { log, signal = never, waiting }: ConnectOptions,
): Promise<Temporal> {
  const { namespace, codec } = config.temporal;
  const dataConverter = await payloadConverter(codec);
  const means = { log, signal, waiting: waiting ?? unheard };
  const { connection, id } = await reach(config.temporal, means);
  const register = (): Promise<void> => untilRegistered(connection, { namespace, ...means });
  try {
    await register();
  } catch (error) {
    await connection.close();
    throw error;
  }
  let known = id;
  async function look(): Promise<string | undefined> {
    try {
      const found = (await ask(connection, namespace)).namespaceInfo?.id || known;
      // Another database lacks the attributes as well.
      if (known !== undefined && found !== known) await register();
      known = found;
      return undefined;
    } catch (error) {
      return unanswered(config.temporal, error);
    }
  }
  async function watch(tell: Waiting): Promise<void> {
    tell(undefined);
    for (;;) {
      await sleep(ASK_MILLISECONDS, signal);
      const reason = signal.aborted ? undefined : await look();
      if (signal.aborted) return;
      tell(reason);
    }
  }
  if (waiting !== undefined) void watch(waiting);
  return {
    connection,
    client: new Client({ connection, namespace, dataConverter, identity: config.identity }),
    namespaceId: () => known,
  };
}

const never = new AbortController().signal;

type Means = Required<Pick<ConnectOptions, 'log' | 'signal' | 'waiting'>>;

async function reach(config: TemporalConfig, { log, signal, waiting }: Means) {
  const { address, namespace } = config;
  for (let failures = 1; ; failures += 1) {
    signal.throwIfAborted();
    try {
      const connection = await connect(config);
      try {
        const { namespaceInfo } = await ask(connection, namespace);
        return { connection, id: namespaceInfo?.id || undefined };
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

const ask = (connection: ConnectionLike, namespace: string) =>
  connection.withDeadline(Date.now() + ANSWER_MILLISECONDS, () =>
    connection.workflowService.describeNamespace({ namespace }),
  );

function unanswered({ address, namespace }: TemporalConfig, error: unknown): string {
  const what = `cannot reach namespace ${namespace} of Temporal at ${address}: ${detailsOf(error)}.`;
  return isRefusal(error)
    ? `${what} Check TEMPORAL_NAMESPACE, TEMPORAL_API_KEY and TEMPORAL_TLS_CLIENT_CERT_PATH.`
    : what;
}

import { AsyncLocalStorage } from 'node:async_hooks';
import { Connection, type ConnectionLike } from '@temporalio/client';
import type { TemporalCredentials } from './temporal-credentials.ts';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DataConverter, PayloadCodec } from '@temporalio/common';
import { given } from '../../domain/model/fields.ts';
import { messageOf } from '../../domain/text.ts';

/** What encodes all that Temporal is told, by the module that someone names; nothing when nobody does. */
export async function payloadConverter(path: string | undefined): Promise<DataConverter> {
  return path === undefined ? {} : { payloadCodecs: [await codecIn(path)] };
}

/** Loads the codec of a module; one that cannot be used ends the process rather than that plain text is sent. */
async function codecIn(path: string): Promise<PayloadCodec> {
  const loaded = (await import(pathToFileURL(resolve(path)).href).catch((error: unknown) => {
    const said = messageOf(error);
    throw new Error(`cannot load the module ${path} of OKRA_PAYLOAD_CODEC: ${said}`, { cause: error });
  })) as { readonly payloadCodec?: unknown };
  if (isCodec(loaded.payloadCodec)) return loaded.payloadCodec;
  throw new Error(
    `invalid exports of ${path}, ${Object.keys(loaded).join(', ') || 'none'}: must have payloadCodec with the functions encode and decode. See docs/operations.md.`,
  );
}

const isCodec = (value: unknown): value is PayloadCodec =>
  typeof value === 'object' &&
  value !== null &&
  ['encode', 'decode'].every((name) => typeof Reflect.get(value, name) === 'function');

/** A connection to Temporal for calls, which may show other credentials after a while. */
export type RenewableConnection = Awaited<ReturnType<typeof connectRenewably>>;

// By default gRPC waits up to two minutes before it tries a server again that was away.
const channelArgs = { 'grpc.initial_reconnect_backoff_ms': 500, 'grpc.max_reconnect_backoff_ms': 5_000 };

// So long a call may take that goes over a connection which has been replaced.
const LINGER_MILLISECONDS = 120_000;

/** Connects to Temporal. */
export async function connectRenewably(address: string, credentials: TemporalCredentials) {
  const key = { shown: credentials.apiKey };
  const connect = async ({ apiKey, tls }: TemporalCredentials): Promise<Connection> => {
    const connection = Connection.lazy({
      address,
      tls,
      ...given({ apiKey: apiKey === undefined ? undefined : () => key.shown ?? apiKey }),
      connectTimeout: '5s',
      channelArgs,
    });
    try {
      await connection.ensureConnected();
    } catch (error) {
      // Otherwise its channel would go on to try.
      await connection.close();
      throw error;
    }
    return connection;
  };
  const closed = new AbortController();
  const open = new Set<Connection>();
  let newest = await connect(credentials);
  open.add(newest);
  const close = async (connection: Connection): Promise<void> => {
    if (open.delete(connection)) await connection.close();
  };
  const closeAll = async (): Promise<void> => {
    closed.abort();
    await Promise.all([...open].map(close));
  };
  return {
    /** Stays the same for those who call, whatever connection is behind it. */
    connection: delegating(() => newest, closeAll),
    /** Given when the connection is closed for good. */
    closed: closed.signal,
    /** Shows another API key from the next call on. */
    showApiKey: (apiKey: string): Promise<void> => {
      key.shown = apiKey;
      return Promise.resolve();
    },
    /** Connects with other credentials, and has every call from then on go that way. */
    reconnect: async (next: TemporalCredentials): Promise<void> => {
      const old = newest;
      const connection = await connect(next);
      open.add(connection);
      newest = connection;
      setTimeout(() => void close(old), LINGER_MILLISECONDS).unref();
    },
  };
}

function delegating(newest: () => Connection, close: () => Promise<void>): ConnectionLike {
  const chosen = new AsyncLocalStorage<Connection>();
  const current = (): Connection => chosen.getStore() ?? newest();
  // What is done within a deadline stays on the connection that knows of the deadline.
  const staying = <R>(call: (connection: Connection) => Promise<R>): Promise<R> => {
    const connection = current();
    return chosen.run(connection, () => call(connection));
  };
  return {
    get workflowService() {
      return current().workflowService;
    },
    get operatorService() {
      return current().operatorService;
    },
    plugins: [],
    ensureConnected: () => current().ensureConnected(),
    withDeadline: (deadline, call) => staying((one) => one.withDeadline(deadline, call)),
    withMetadata: (metadata, call) => staying((one) => one.withMetadata(metadata, call)),
    withAbortSignal: (signal, call) => staying((one) => one.withAbortSignal(signal, call)),
    close,
  };
}

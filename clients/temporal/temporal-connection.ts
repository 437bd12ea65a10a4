import { AsyncLocalStorage } from 'node:async_hooks';
import { Connection, type ConnectionLike } from '@temporalio/client';
import type { TemporalCredentials } from './temporal-credentials.ts';

/** A connection to Temporal for calls, which may show other credentials after a while. */
export interface RenewableConnection {
  /** Stays the same for those who call, whatever connection is behind it. */
  readonly connection: ConnectionLike;
  /** Given when the connection is closed for good. */
  readonly closed: AbortSignal;
  /** Shows another API key from the next call on. */
  readonly showApiKey: (apiKey: string) => Promise<void>;
  /** Connects with other credentials, and has every call from then on go that way. */
  readonly reconnect: (credentials: TemporalCredentials) => Promise<void>;
}

// By default gRPC waits up to two minutes before it tries a server again that was away.
const channelArgs = { 'grpc.initial_reconnect_backoff_ms': 500, 'grpc.max_reconnect_backoff_ms': 5_000 };

// So long a call may take that goes over a connection which has been replaced.
const LINGER_MILLISECONDS = 120_000;

/** Connects to Temporal. */
export async function connectRenewably(
  address: string,
  credentials: TemporalCredentials,
): Promise<RenewableConnection> {
  const key = { shown: credentials.apiKey };
  const connect = async ({ apiKey, tls }: TemporalCredentials): Promise<Connection> => {
    const connection = Connection.lazy({
      address,
      tls,
      ...(apiKey === undefined ? {} : { apiKey: () => key.shown ?? apiKey }),
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
    connection: delegating(() => newest, closeAll),
    closed: closed.signal,
    showApiKey: (apiKey) => {
      key.shown = apiKey;
      return Promise.resolve();
    },
    reconnect: async (next) => {
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

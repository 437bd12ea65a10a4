import { readFile } from 'node:fs/promises';
import { Client, Connection } from '@temporalio/client';
import type { TLSConfig } from '@temporalio/client';
import type { Config, Pem, TemporalConfig } from '../config.ts';
import { sleep, waitAfter } from './backoff.ts';
import type { Log } from './log.ts';
import { isRefusal, registerSearchAttributes } from './search-attributes.ts';

/** A connection to Temporal, and the client over it. */
export interface Temporal {
  readonly connection: Connection;
  readonly client: Client;
}

/** What a connection to Temporal is made with; a worker's connection takes the same. */
export interface TemporalOptions {
  readonly address: string;
  readonly apiKey?: string;
  readonly tls?: TLSConfig;
}

// By default gRPC waits up to two minutes before it tries a server again that was away.
const channelArgs = { 'grpc.initial_reconnect_backoff_ms': 500, 'grpc.max_reconnect_backoff_ms': 5_000 };

const backoff = { first: 500, longest: 10_000 };

/** Reads the certificates that the configuration names. */
export async function temporalOptions(config: TemporalConfig): Promise<TemporalOptions> {
  const { address, apiKey, tls } = config;
  return {
    address,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(tls === undefined ? {} : { tls: await tlsOptions(tls) }),
  };
}

/** Connects to Temporal and registers Okra's search attributes; waits for a server that is not there yet. */
export async function connectTemporal(
  config: Pick<Config, 'temporal' | 'identity'>,
  options: { readonly log: Log; readonly signal?: AbortSignal },
): Promise<Temporal> {
  const { log, signal = new AbortController().signal } = options;
  const { address, namespace } = config.temporal;
  const connectionOptions = await temporalOptions(config.temporal);
  for (let failures = 1; ; failures += 1) {
    signal.throwIfAborted();
    try {
      return await connect(connectionOptions, config, log);
    } catch (error) {
      if (isRefusal(error)) throw refusal(address, namespace, error);
      log.warn({ address, namespace, err: error }, 'temporal not reached yet');
      await sleep(waitAfter(failures, backoff), signal);
    }
  }
}

async function connect(
  options: TemporalOptions,
  config: Pick<Config, 'temporal' | 'identity'>,
  log: Log,
): Promise<Temporal> {
  const { namespace } = config.temporal;
  const connection = await Connection.connect({ ...options, connectTimeout: '5s', channelArgs });
  try {
    await registerSearchAttributes(connection, namespace, log);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return { connection, client: new Client({ connection, namespace, identity: config.identity }) };
}

function refusal(address: string, namespace: string, cause: unknown): Error {
  return new Error(
    `Expected Temporal at ${address} to let this process into namespace ${namespace}, got a refusal: ${String(cause)}. Check TEMPORAL_NAMESPACE, TEMPORAL_API_KEY and TEMPORAL_TLS_CLIENT_CERT_PATH.`,
    { cause },
  );
}

async function tlsOptions(tls: NonNullable<TemporalConfig['tls']>): Promise<TLSConfig> {
  const { serverName, serverCa, client } = tls;
  return {
    ...(serverName === undefined ? {} : { serverNameOverride: serverName }),
    ...(serverCa === undefined ? {} : { serverRootCACertificate: await read(serverCa) }),
    ...(client === undefined
      ? {}
      : { clientCertPair: { crt: await read(client.certificate), key: await read(client.key) } }),
  };
}

const read = async (pem: Pem): Promise<Uint8Array> =>
  'path' in pem ? await readFile(pem.path) : Buffer.from(pem.data);

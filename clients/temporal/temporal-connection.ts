import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { Connection, type TLSConfig } from '@temporalio/client';
import type { DataConverter, PayloadCodec } from '@temporalio/common';
import type { Credential, TemporalConfig } from '../../config/config.ts';
import { given } from '../../domain/model/fields.ts';
import { isKey, messageOf } from '../../domain/text.ts';
import { sleep } from '../backoff.ts';
import type { Log } from '../log.ts';

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

interface TemporalCredentials {
  readonly apiKey?: string;
  readonly tls: TLSConfig | false;
}

/** Reads the API key and the certificates that the configuration names. */
export async function readCredentials({ apiKey, tls }: TemporalConfig): Promise<TemporalCredentials> {
  return {
    ...(apiKey === undefined ? {} : { apiKey: await readKey(apiKey) }),
    tls: tls === undefined ? false : await readTls(tls),
  };
}

async function readKey(key: Credential): Promise<string> {
  const text = 'path' in key ? (await readFile(key.path, 'utf8')).trim() : key.data;
  if (isKey(text) || !('path' in key)) return text;
  const got = text === '' ? 'an empty file' : 'more than a line of printable ASCII';
  throw new Error(`invalid API key in ${key.path}: ${got}. Write the key into it, and nothing else.`);
}

async function readTls(tls: NonNullable<TemporalConfig['tls']>): Promise<TLSConfig> {
  const { serverName, serverCa, client } = tls;
  return given({
    serverNameOverride: serverName,
    serverRootCACertificate: serverCa && (await readPem(serverCa)),
    clientCertPair: client && {
      crt: await readPem(client.certificate),
      key: await readPem(client.key),
    },
  });
}

const readPem = async (pem: Credential): Promise<Uint8Array> =>
  'path' in pem ? await readFile(pem.path) : Buffer.from(pem.data);

// By default gRPC waits up to two minutes before it tries a server again that was away.
const channelArgs = { 'grpc.initial_reconnect_backoff_ms': 500, 'grpc.max_reconnect_backoff_ms': 5_000 };

/** Connects to Temporal for calls, with the credentials that the variables and the files have now. */
export async function connect(config: TemporalConfig): Promise<Connection> {
  const { address } = config;
  const credentials = await readCredentials(config);
  const connection = Connection.lazy({ address, ...credentials, connectTimeout: '5s', channelArgs });
  try {
    await connection.ensureConnected();
    return connection;
  } catch (error) {
    // Otherwise its channel would continue to try.
    await connection.close();
    throw error;
  }
}

/** How often the files are read. Kubernetes takes about a minute to bring a new Secret into a pod. */
const LOOK_MILLISECONDS = 10_000;

interface FollowOptions {
  readonly log: Pick<Log, 'warn'>;
  readonly signal: AbortSignal;
  readonly everyMilliseconds?: number;
}

/** Waits until the files of the credentials have changed, and Temporal accepts the new ones; false: the signal came first. */
export async function credentialsChanged(
  config: TemporalConfig,
  { log, signal, everyMilliseconds = LOOK_MILLISECONDS }: FollowOptions,
): Promise<boolean> {
  let first: TemporalCredentials | undefined;
  for (; isInFiles(config) && !signal.aborted; await sleep(everyMilliseconds, signal)) {
    try {
      const found = await readCredentials(config);
      first ??= found;
      if (isDeepStrictEqual(found, first)) continue;
      await (await connect(config)).close();
      return true;
    } catch (error) {
      // A file may be half written, and the two of a pair change one after the other.
      log.warn({ err: error }, 'cannot reload temporal credentials, retrying');
    }
  }
  return false;
}

const isInFiles = ({ apiKey, tls }: TemporalConfig): boolean =>
  [apiKey, tls?.serverCa, tls?.client?.certificate, tls?.client?.key].some(
    (one) => one !== undefined && 'path' in one,
  );

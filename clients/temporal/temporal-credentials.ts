import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { TLSConfig } from '@temporalio/client';
import type { Credential, TemporalConfig } from '../../config/config.ts';
import { given } from '../../domain/model/fields.ts';
import { isKey } from '../../domain/text.ts';
import { sleep } from '../backoff.ts';
import type { Log } from '../log.ts';

/** What lets a process into Temporal, as the variables and the files say it now. */
export interface TemporalCredentials {
  readonly apiKey?: string;
  /** False: not encrypted. */
  readonly tls: TLSConfig | false;
}

/** Reads the API key and the certificates that the configuration names. */
export async function readCredentials({ apiKey, tls }: TemporalConfig): Promise<TemporalCredentials> {
  return {
    ...(apiKey === undefined ? {} : { apiKey: await readKey(apiKey) }),
    tls: tls === undefined ? false : await readTls(tls),
  };
}

/** Whether what a configuration names may change while the process runs, because some of it is in files. */
function mayChange({ apiKey, tls }: TemporalConfig): boolean {
  const all = [apiKey, tls?.serverCa, tls?.client?.certificate, tls?.client?.key];
  return all.some((one) => one !== undefined && 'path' in one);
}

/** A connection that shows other credentials; one that cannot reconnect throws, and goes on as it was. */
interface CredentialUse {
  readonly showApiKey: (apiKey: string) => Promise<void>;
  readonly reconnect: (credentials: TemporalCredentials) => Promise<void>;
}

/** How files are looked after. */
export interface FollowOptions {
  readonly shown: TemporalCredentials;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly everyMilliseconds?: number | undefined;
}

/** How often the files are read. Kubernetes takes about a minute to bring a new Secret into a pod. */
const LOOK_MILLISECONDS = 10_000;

/** Reads the files now and then, until the signal, and has what has changed in them used. */
export async function followCredentials(
  config: TemporalConfig,
  use: CredentialUse,
  { shown, log, signal, everyMilliseconds = LOOK_MILLISECONDS }: FollowOptions,
): Promise<void> {
  if (!mayChange(config)) return;
  for (let last = shown; ;) {
    await sleep(everyMilliseconds, signal);
    if (signal.aborted) return;
    try {
      const found = await readCredentials(config);
      if (found.apiKey !== undefined && found.apiKey !== last.apiKey) {
        await use.showApiKey(found.apiKey);
        last = { ...last, apiKey: found.apiKey };
        log.info('api key of temporal taken up');
      }
      if (!isDeepStrictEqual(found.tls, last.tls)) {
        await use.reconnect(found);
        last = found;
        log.info('certificates of temporal taken up');
      }
    } catch (error) {
      // A file may be half written, and the two of a pair change one after the other.
      if (!signal.aborted) log.warn({ err: error }, 'credentials of temporal not taken up, trying again');
    }
  }
}

async function readKey(key: Credential): Promise<string> {
  const text = 'path' in key ? (await readFile(key.path, 'utf8')).trim() : key.data;
  if (isKey(text) || !('path' in key)) return text;
  const got = text === '' ? 'an empty file' : 'more than a line of printable ASCII';
  throw new Error(`invalid API key in ${key.path}: ${got}. Write the key into it, and nothing else.`);
}

async function readTls(tls: NonNullable<TemporalConfig['tls']>): Promise<TLSConfig> {
  const { serverName, serverCa, client } = tls;
  return {
    ...given({
      serverNameOverride: serverName,
      serverRootCACertificate: serverCa && (await readPem(serverCa)),
      clientCertPair: client && {
        crt: await readPem(client.certificate),
        key: await readPem(client.key),
      },
    }),
  };
}

const readPem = async (pem: Credential): Promise<Uint8Array> =>
  'path' in pem ? await readFile(pem.path) : Buffer.from(pem.data);

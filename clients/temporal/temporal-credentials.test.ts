import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TemporalConfig } from '../../config/config.ts';
import { createLog } from '../log.ts';
import { followCredentials, readCredentials, type TemporalCredentials } from './temporal-credentials.ts';

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'okra-credentials-'))));
afterEach(() => rmSync(dir, { recursive: true }));

const write = (name: string, text: string): string => {
  // As a kubelet does it: nobody reads half of it.
  writeFileSync(join(dir, `${name}.new`), text);
  renameSync(join(dir, `${name}.new`), join(dir, name));
  return join(dir, name);
};

const server = { address: '127.0.0.1:7233', namespace: 'default' };
const withKey = (path: string): TemporalConfig => ({ ...server, apiKey: { path } });

describe('what lets a process into Temporal', () => {
  it('is nothing where nothing is asked for', async () => {
    expect(await readCredentials(server)).toEqual({ tls: false });
  });

  it('is the key of a file, without what an editor has put after it', async () => {
    expect(await readCredentials(withKey(write('key', 'secret\n')))).toEqual({
      apiKey: 'secret',
      tls: false,
    });
  });

  it('is not an empty file, and the message says which', async () => {
    await expect(readCredentials(withKey(write('key', '\n')))).rejects.toThrow(
      `invalid API key in ${join(dir, 'key')}: an empty file.`,
    );
  });

  it('is not what no header takes, and the message does not repeat it', async () => {
    const path = write('key', 'first-secret\nsecond-secret\n');
    await expect(readCredentials(withKey(path))).rejects.toThrow(
      `invalid API key in ${path}: more than a line of printable ASCII. Write the key into it, and nothing else.`,
    );
  });

  it('is a certificate with its key', async () => {
    const client = { certificate: { path: write('crt', 'CRT') }, key: { data: 'KEY' } };
    const { tls } = await readCredentials({ ...server, tls: { serverName: 'temporal', client } });
    expect(tls).toEqual({
      serverNameOverride: 'temporal',
      clientCertPair: { crt: Buffer.from('CRT'), key: Buffer.from('KEY') },
    });
  });
});

/** Follows the files of a configuration, and keeps what was made of it. */
async function following(config: TemporalConfig) {
  const stop = new AbortController();
  const keys: string[] = [];
  const connected: TemporalCredentials[] = [];
  const faults: Error[] = [];
  const ended = followCredentials(
    config,
    {
      showApiKey: (key) => {
        keys.push(key);
        return Promise.resolve();
      },
      reconnect: (credentials) => {
        const fault = faults.shift();
        if (fault !== undefined) return Promise.reject(fault);
        connected.push(credentials);
        return Promise.resolve();
      },
    },
    {
      shown: await readCredentials(config),
      log: createLog('silent'),
      signal: stop.signal,
      everyMilliseconds: 1,
    },
  );
  const end = async (): Promise<void> => {
    stop.abort();
    await ended;
  };
  return { keys, connected, faults, end, ended };
}

describe('files of credentials', () => {
  it('are not looked after where there are none', async () => {
    const { ended } = await following({ ...server, apiKey: { data: 'secret' } });
    await ended;
  });

  it('have another key shown once it is written', async () => {
    const config = withKey(write('key', 'old'));
    const { keys, connected, end } = await following(config);
    write('key', '');
    write('key', 'new\n');
    await vi.waitFor(() => expect(keys).toEqual(['new']));
    write('key', 'newer');
    await vi.waitFor(() => expect(keys).toEqual(['new', 'newer']));
    await end();
    expect(connected).toEqual([]);
  });

  it('have a new connection made with other certificates, and again until that works', async () => {
    const client = { certificate: { path: write('crt', 'OLD') }, key: { path: write('key', 'OLD') } };
    const { connected, faults, end } = await following({ ...server, tls: { client } });
    faults.push(new Error('key values mismatch'), new Error('key values mismatch'));
    write('crt', 'NEW');
    write('key', 'NEW');
    await vi.waitFor(() => expect(faults).toEqual([]));
    await vi.waitFor(() =>
      expect(connected.at(-1)?.tls).toEqual({
        clientCertPair: { crt: Buffer.from('NEW'), key: Buffer.from('NEW') },
      }),
    );
    await end();
  });

  it('may be gone for a while', async () => {
    const path = write('key', 'old');
    const { keys, end } = await following(withKey(path));
    rmSync(path);
    write('key', 'new');
    await vi.waitFor(() => expect(keys).toEqual(['new']));
    await end();
  });
});

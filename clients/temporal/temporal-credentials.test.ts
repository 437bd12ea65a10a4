import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TemporalConfig } from '../../config/config.ts';
import { createLog } from '../log.ts';
import { credentialsChanged, readCredentials } from './temporal-connection.ts';

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

describe('files of credentials', () => {
  const changed = (config: TemporalConfig, signal: AbortSignal): Promise<boolean> =>
    credentialsChanged(config, { log: createLog('silent'), signal, everyMilliseconds: 1 });

  it('are not looked after where there are none', async () => {
    const config = { ...server, apiKey: { data: 'secret' } };
    expect(await changed(config, new AbortController().signal)).toBe(false);
  });

  it('have not changed as long as they say the same, or nothing', async () => {
    const path = write('key', 'old');
    const stop = new AbortController();
    const waiting = changed(withKey(path), stop.signal);
    write('key', '');
    await setTimeout(10);
    write('key', 'old\n');
    await setTimeout(10);
    stop.abort();
    expect(await waiting).toBe(false);
  });
});

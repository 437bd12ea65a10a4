import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeExecTokens } from './cluster-tokens.ts';

/** A login by a program of Node. */
const aLogin = (program: string, environment: Readonly<Record<string, string>> = {}) => ({
  command: process.execPath,
  args: ['-e', program],
  environment,
  apiVersion: 'client.authentication.k8s.io/v1',
});

const printing = (status: string) => aLogin(`console.log(JSON.stringify({ status: ${status} }))`);
const options = { timeoutMilliseconds: 30_000 };

afterEach(() => void vi.unstubAllEnvs());

describe('makeExecTokens', () => {
  it('shows the command no more of what okrad has been given than it needs', async () => {
    vi.stubEnv('TEMPORAL_API_KEY', 'super-secret');
    vi.stubEnv('AWS_WEB_IDENTITY_TOKEN_FILE', '/super-secret');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'super-secret');
    vi.stubEnv('TZ', 'Europe/Berlin');
    vi.stubEnv('TEAM', 'web');
    const seen = printing('{ token: Object.keys(process.env).toSorted().join() }');
    const token = makeExecTokens(
      { ...seen, environment: { AWS_REGION: 'x' } },
      { ...options, environment: ['TEAM'] },
    );
    const names = (await token()).split(',');
    expect(names).toEqual(
      expect.arrayContaining(['AWS_REGION', 'KUBERNETES_EXEC_INFO', 'PATH', 'TEAM', 'TZ']),
    );
    expect(names.filter((name) => /^(TEMPORAL|OKRA|VITEST|NODE|npm|AWS_[^R])/.test(name))).toEqual([]);
  });

  it('gives what the command prints, and tells it what is wanted', async () => {
    const asked = 'JSON.parse(process.env.KUBERNETES_EXEC_INFO)';
    const token = makeExecTokens(
      printing(`{ token: ${asked}.kind + ${asked}.apiVersion + process.env.AWS_REGION }`),
      options,
    );
    expect(await token()).toMatch(/^ExecCredentialclient\.authentication\.k8s\.io\/v1/);
  });

  it('keeps a token until shortly before it expires, and for all who ask at once', async () => {
    let now = 0;
    const login = printing('{ token: String(process.pid), expirationTimestamp: new Date(60_000) }');
    const token = makeExecTokens(login, { ...options, now: () => now });
    const [first, second] = await Promise.all([token(), token()]);
    expect(second).toBe(first);
    now = 49_999;
    expect(await token()).toBe(first);
    now = 50_000;
    const [third, fourth] = await Promise.all([token(), token()]);
    expect(third).not.toBe(first);
    expect(fourth).toBe(third);
  });

  it('runs a few commands at once', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'okra-commands-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const log = join(folder, 'log');
    const script = `echo 1 >> ${log}; sleep 0.2; echo -1 >> ${log}; echo '{"status":{"token":"t"}}'`;
    const marked = { ...printing(''), command: '/bin/sh', args: ['-c', script] };
    await Promise.all(Array.from({ length: 10 }, () => makeExecTokens(marked, options)()));
    let [now, most] = [0, 0];
    for (const change of (await readFile(log, 'utf8')).trim().split('\n')) {
      now += Number(change);
      most = Math.max(most, now);
    }
    expect(most).toBeLessThanOrEqual(4);
    expect(now).toBe(0);
  });

  it('runs the command again when its token was refused', async () => {
    const token = makeExecTokens(printing('{ token: String(process.pid) }'), options);
    const first = await token();
    expect(await token(first)).not.toBe(first);
  });

  it('keeps a token that names no end for five minutes', async () => {
    let now = 0;
    const token = makeExecTokens(printing('{ token: String(process.pid) }'), { ...options, now: () => now });
    const first = await token();
    now = 300_000;
    expect(await token()).not.toBe(first);
  });

  it.each([
    ['fails', aLogin('console.error("super-secret"); process.exit(3)'), 'exit status 3'],
    ['is not there', { ...aLogin(''), command: '/nowhere/command' }, 'ENOENT'],
    ['prints text', aLogin('console.log("super-secret")'), 'an ExecCredential with a token'],
    ['prints no token', printing('{ clientKeyData: "super-secret" }'), 'an ExecCredential with a token'],
    ['prints two lines', printing('{ token: "super\\nsecret" }'), 'an ExecCredential with a token'],
  ])('says so when the command %s, but not what it printed', async (_, login, want) => {
    const failure: unknown = await makeExecTokens(login, options)().catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'ExecError', message: expect.stringContaining(want) });
    expect(JSON.stringify(failure) + String(failure)).not.toContain('super');
  });

  it('ends a command that does not end', async () => {
    const token = makeExecTokens(aLogin('setInterval(() => {}, 1000)'), { timeoutMilliseconds: 300 });
    await expect(token()).rejects.toThrow('no end within 0.3 s');
  });
});

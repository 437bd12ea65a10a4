import { describe, expect, it } from 'vitest';
import { execTokens, refusalOf } from './exec-login.ts';

/** A login by a program of Node. */
const aLogin = (program: string, environment: Readonly<Record<string, string>> = {}) => ({
  command: process.execPath,
  args: ['-e', program],
  environment,
  apiVersion: 'client.authentication.k8s.io/v1',
});

const printing = (status: string) => aLogin(`console.log(JSON.stringify({ status: ${status} }))`);
const options = { timeoutMilliseconds: 30_000 };

describe('refusalOf', () => {
  it.each([
    ['a command while none is listed', aLogin(''), [], 'which lists none'],
    ['another command than those listed', aLogin(''), ['aws'], 'which lists aws'],
    [
      'a variable that could make the command another',
      aLogin('', { LD_PRELOAD: '/tmp/super-secret' }),
      [process.execPath],
      'got another variable',
    ],
  ])('refuses %s', (_, login, allowed, want) => {
    expect(refusalOf(login, allowed)).toContain(want);
    expect(refusalOf(login, allowed)).not.toContain('super-secret');
  });

  it('lets a listed command run, with the region of AWS', () => {
    expect(refusalOf(aLogin('', { AWS_REGION: 'eu-central-1' }), [process.execPath])).toBeUndefined();
  });
});

describe('execTokens', () => {
  it('gives what the command prints, and tells it what is wanted', async () => {
    const asked = 'JSON.parse(process.env.KUBERNETES_EXEC_INFO)';
    const token = execTokens(
      printing(`{ token: ${asked}.kind + ${asked}.apiVersion + process.env.AWS_REGION }`),
      options,
    );
    expect(await token()).toMatch(/^ExecCredentialclient\.authentication\.k8s\.io\/v1/);
  });

  it('keeps a token until shortly before it expires, and for all who ask at once', async () => {
    let now = 0;
    const login = printing('{ token: String(process.pid), expirationTimestamp: new Date(60_000) }');
    const token = execTokens(login, { ...options, now: () => now });
    const [first, second] = await Promise.all([token(), token()]);
    expect(second).toBe(first);
    now = 49_999;
    expect(await token()).toBe(first);
    now = 50_000;
    const [third, fourth] = await Promise.all([token(), token()]);
    expect(third).not.toBe(first);
    expect(fourth).toBe(third);
  });

  it('runs the command again when its token was refused', async () => {
    const token = execTokens(printing('{ token: String(process.pid) }'), options);
    const first = await token();
    expect(await token(first)).not.toBe(first);
  });

  it('keeps a token that names no end for five minutes', async () => {
    let now = 0;
    const token = execTokens(printing('{ token: String(process.pid) }'), { ...options, now: () => now });
    const first = await token();
    now = 300_000;
    expect(await token()).not.toBe(first);
  });

  it.each([
    ['fails', aLogin('console.error("super-secret"); process.exit(3)'), 'exit status 3'],
    ['is not there', { ...aLogin(''), command: '/nowhere/command' }, 'ENOENT'],
    ['prints text', aLogin('console.log("super-secret")'), 'with a token, got something else'],
    ['prints no token', printing('{ clientKeyData: "super-secret" }'), 'with a token, got something else'],
    ['prints two lines', printing('{ token: "super\\nsecret" }'), 'with a token, got something else'],
  ])('says so when the command %s, but not what it printed', async (_, login, want) => {
    const failure: unknown = await execTokens(login, options)().catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'ExecError', message: expect.stringContaining(want) });
    expect(JSON.stringify(failure) + String(failure)).not.toContain('super');
  });

  it('ends a command that does not end', async () => {
    const token = execTokens(aLogin('setInterval(() => {}, 1000)'), { timeoutMilliseconds: 300 });
    await expect(token()).rejects.toThrow('got no end within 0.3 s');
  });
});

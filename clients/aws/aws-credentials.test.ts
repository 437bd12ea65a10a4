import dns from 'node:dns';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { credentialsFor } from './aws-credentials.ts';

const roleARN = 'arn:aws:iam::123456789012:role/okra';
const soon = new Date(Date.now() + 60_000).toISOString();

let dir = '';
let file = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'okra-web-identity-'));
  file = join(dir, 'token');
  await writeFile(file, 'first-token');
  const nothing = [
    'ACCESS_KEY_ID',
    'SECRET_ACCESS_KEY',
    'SESSION_TOKEN',
    'PROFILE',
    'REGION',
    'ENDPOINT_URL',
  ];
  for (const name of nothing) vi.stubEnv(`AWS_${name}`, '');
  vi.stubEnv('AWS_CONFIG_FILE', join(dir, 'none'));
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(dir, 'none'));
  vi.stubEnv('AWS_ROLE_ARN', roleARN);
  vi.stubEnv('AWS_WEB_IDENTITY_TOKEN_FILE', file);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await rm(dir, { recursive: true });
});

/** An STS that the environment names. */
async function serveSTS(answer: RequestListener): Promise<void> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  vi.stubEnv('AWS_ENDPOINT_URL_STS', `http://127.0.0.1:${port}`);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
}

/** What STS answers who shows a token: credentials that bear its name. */
const assumed = (token: string): string => `<AssumeRoleWithWebIdentityResponse>
  <AssumeRoleWithWebIdentityResult><Credentials>
    <AccessKeyId>ASIA</AccessKeyId><SecretAccessKey>secret</SecretAccessKey>
    <SessionToken>session-of-${token}</SessionToken><Expiration>${soon}</Expiration>
  </Credentials></AssumeRoleWithWebIdentityResult>
</AssumeRoleWithWebIdentityResponse>`;

describe("the credentials of a service account's role", () => {
  it('are asked for with its token, and again with the one that took its place', async () => {
    const asked: URLSearchParams[] = [];
    await serveSTS((request, response) => {
      void (async () => {
        const body = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
        asked.push(body);
        response.end(assumed(body.get('WebIdentityToken') ?? ''));
      })();
    });
    const credentials = credentialsFor({ region: 'eu-central-1' });
    expect(await credentials()).toMatchObject({ sessionToken: 'session-of-first-token' });
    expect(Object.fromEntries(asked[0] ?? [])).toMatchObject({
      Action: 'AssumeRoleWithWebIdentity',
      RoleArn: roleARN,
    });
    await writeFile(file, 'second-token');
    // What is about to expire is given once more, while it is renewed.
    await vi.waitUntil(async () => (await credentials()).sessionToken === 'session-of-second-token');
  });

  it('are asked for in the region of the scope when no other is set', async () => {
    const hosts: string[] = [];
    const unknown = Object.assign(new Error('unknown host'), { code: 'ENOTFOUND' });
    vi.spyOn(dns, 'lookup').mockImplementation(((host: string, _: unknown, done: (error: Error) => void) => {
      hosts.push(host);
      done(unknown);
    }) as typeof dns.lookup);
    await expect(credentialsFor({ region: 'cn-north-1' })()).rejects.toThrow('unknown host');
    expect(new Set(hosts)).toEqual(new Set(['sts.cn-north-1.amazonaws.com.cn']));
  });

  it('are not waited for without an end', async () => {
    await serveSTS(() => undefined);
    const credentials = credentialsFor({ region: 'eu-central-1' }, { requestTimeoutMs: 50 });
    await expect(credentials()).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('are missed, and nothing else, when the token cannot be read', async () => {
    await rm(file);
    await expect(credentialsFor({ region: 'eu-central-1' })()).rejects.toMatchObject({
      name: 'CredentialsProviderError',
      message: expect.stringContaining(file),
    });
  });
});

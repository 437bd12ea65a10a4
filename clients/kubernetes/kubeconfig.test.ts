import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { inspect } from 'node:util';
import { KubeConfig } from '@kubernetes/client-node';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { currentOf, parseKubeconfig } from './kubeconfig.ts';
import { loadKubeconfig } from './kubeconfig-files.ts';
import { loginBy, type Opened } from './kubernetes-login.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const CA = base64('-----BEGIN CERTIFICATE-----');
const written = ({
  name = 'a',
  user = {},
  cluster = {},
}: {
  name?: string;
  user?: object | null;
  cluster?: object;
}) =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'other', cluster: { server: 'https://other' } },
      { name, cluster: { server: 'https://a.example:6443/', ...cluster } },
    ],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: 'okra' } }],
    'current-context': name,
  });

const cases = [
  ['a token', { user: { token: 't' } }],
  ['a name and a password', { user: { username: 'u', password: 'p' } }],
  ['certificates', { user: { 'client-certificate-data': CA, 'client-key-data': CA } }],
  [
    'files',
    {
      user: { 'client-certificate': 'c.pem', 'client-key': '/k.pem' },
      cluster: { 'certificate-authority': 'ca.pem' },
    },
  ],
  ['another server name', { cluster: { 'tls-server-name': 's', 'certificate-authority-data': CA } }],
  ['no verification', { cluster: { 'insecure-skip-tls-verify': true } }],
  ['a proxy', { cluster: { 'proxy-url': 'http://proxy' } }],
  ['a program', { user: { exec: { command: 'aws', args: ['eks'] } } }],
  ['a provider', { user: { 'auth-provider': { name: 'oidc', config: { 'id-token': 'x' } } } }],
  ['another user', { user: { token: 't', as: 'someone' } }],
  ['no user', { user: null }],
] as const;

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'okra-kubeconfig-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function fileWith(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

/** Without what has no value, and without what client-node may write down about itself. */
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, one: unknown) => (one === null ? undefined : one)));

describe('a kubeconfig', () => {
  it.each(cases)('with %s is read as client-node reads it', async (_, parts) => {
    const file = await fileWith('config', written(parts));
    const theirs = new KubeConfig();
    theirs.loadFromFile(file);
    const { clusters, users, contexts, currentContext } = loadKubeconfig(file);
    expect(plain({ clusters, users, contexts, currentContext })).toEqual(
      plain({
        clusters: theirs.clusters,
        users: theirs.users,
        contexts: theirs.contexts,
        currentContext: theirs.currentContext,
      }),
    );
  });

  it('of several files is that of the first where they disagree', async () => {
    const files = [
      await fileWith('one', written({ name: 'a', user: { token: 'one' } })),
      await fileWith('two', written({ name: 'a', user: { token: 'two' } })),
      await fileWith('three', written({ name: 'b', user: { token: 'three' } })),
    ];
    const loaded = loadKubeconfig(files.join(delimiter));
    expect(currentOf(loaded)).toMatchObject({
      user: { token: 'one' },
      context: { name: 'a', namespace: 'okra' },
    });
    expect(currentOf({ ...loaded, currentContext: 'b' })).toMatchObject({ user: { token: 'three' } });
  });

  it.each([
    ['text', 'a: [', 'line 1'],
    ['a number', '1', 'not a kubeconfig'],
    ['a cluster without a server', 'clusters: [{name: a, cluster: {}}]', 'lacks its server'],
    ['a context without a cluster', 'contexts: [{name: a, context: {}}]', 'lacks its cluster'],
    ['a user without a name', 'users: [{user: {token: t}}]', 'lacks its name'],
  ])('is not read of %s', (_, text, want) => {
    expect(() => parseKubeconfig(text)).toThrow(want);
  });

  it.each([
    ['an error', 'users:\n- name: a\n  user: {token: hunter2', 'line 3 (BAD_INDENT)'],
    ['a word for another', 'users: *hunter2', 'something other than YAML'],
    ['something that is no YAML', 'token hunter2\na: b', 'line 1'],
  ])('with %s beside a token is said without the token', async (_, text, want) => {
    const file = await fileWith('config', text);
    let said: unknown;
    try {
      loadKubeconfig(file);
    } catch (error) {
      said = error;
    }
    expect(inspect(said)).toContain(want);
    expect(inspect(said)).not.toContain('hunter2');
  });

  it('with what YAML warns of beside a token warns of nothing', async () => {
    const file = await fileWith('config', 'users:\n- name: a\n  user:\n    token: !unknown hunter2\n');
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const { users } = loadKubeconfig(file);
    expect([users[0]?.token, warned.mock.calls]).toEqual(['hunter2', []]);
    warned.mockRestore();
  });

  it('that is not there is said, with what to do', () => {
    expect(() => loadKubeconfig(join(folder, 'none'))).toThrow(
      /Expected a readable kubeconfig at .*none, got: .*ENOENT.*Set KUBECONFIG/,
    );
  });
});

describe('a login', () => {
  const open = async (parts: Parameters<typeof written>[0]): Promise<Opened> => {
    const kubeconfig = parseKubeconfig(written(parts));
    const { cluster } = currentOf(kubeconfig);
    if (cluster === undefined) throw new Error('Expected a cluster, got none.');
    return loginBy(kubeconfig, cluster).open();
  };

  it.each([
    ['a token', { token: 't' }, { Authorization: 'Bearer t' }],
    ['a name and a password', { username: 'u', password: 'p' }, { Authorization: `Basic ${base64('u:p')}` }],
    [
      'a token for another user',
      { token: 't', as: 's' },
      { Authorization: 'Bearer t', 'Impersonate-User': 's' },
    ],
    ['nothing', {}, {}],
  ])('by %s shows it', async (_, user, headers) => {
    expect((await open({ user })).headers).toEqual(headers);
  });

  it('by a program shows what it prints', async () => {
    const said = {
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status: { token: 'made' },
    };
    const exec = {
      command: process.execPath,
      args: ['-e', `console.log(${JSON.stringify(JSON.stringify(said))})`],
    };
    expect((await open({ user: { exec } })).headers).toEqual({ Authorization: 'Bearer made' });
  });

  it('goes out unverified by nobody who has not asked for it', async () => {
    await expect(open({ cluster: { server: 'http://a.example' } })).rejects.toThrow(
      'insecure-skip-tls-verify',
    );
  });
});

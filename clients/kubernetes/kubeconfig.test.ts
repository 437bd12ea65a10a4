import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { inspect } from 'node:util';
import { KubeConfig } from '@kubernetes/client-node';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { NAMESPACE } from './kinds.ts';
import { openKubeconfig, loadKubeconfig } from './kubeconfig.ts';
import { clientOver } from './kubernetes.ts';
import { makeSend } from './kubernetes-transport.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const written = ({
  name = 'a',
  user = {},
  cluster = {},
}: {
  name?: string;
  user?: object;
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

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'okra-kubeconfig-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

async function fileWith(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

describe('a kubeconfig', () => {
  it('of several files is that of the first where they disagree', async () => {
    const files = [
      await fileWith('one', written({ name: 'a', user: { token: 'one' } })),
      await fileWith('two', written({ name: 'a', user: { token: 'two' } })),
      await fileWith('three', written({ name: 'b', user: { token: 'three' } })),
    ];
    const loaded = loadKubeconfig(files.join(delimiter));
    expect(loaded.getCurrentUser()).toMatchObject({ token: 'one' });
    expect(loaded.getContextObject('a')).toMatchObject({ namespace: 'okra' });
    loaded.setCurrentContext('b');
    expect(loaded.getCurrentUser()).toMatchObject({ token: 'three' });
  });

  it('of a machine is that of its user, and without one that of nobody', async () => {
    vi.stubEnv('HOME', folder);
    vi.stubEnv('KUBECONFIG', '');
    expect(() => openKubeconfig(loadKubeconfig())).toThrow('no current context in the kubeconfig');
    await mkdir(join(folder, '.kube'));
    await fileWith('.kube/config', written({ user: { token: 't' } }));
    expect(openKubeconfig(loadKubeconfig()).server).toBe('https://a.example:6443');
  });

  it.each([
    ['an error', 'users:\n- name: a\n  user: {token: hunter2', 'invalid YAML'],
    ['a word for another', 'users: *hunter2', 'invalid YAML'],
    ['something that is no YAML', 'token hunter2\na: b', 'invalid YAML'],
    ['a tag', 'users:\n- name: a\n  user:\n    token: !unknown hunter2\n', 'invalid YAML'],
    ['a cluster without a server', 'a: hunter2\nclusters: [{name: a, cluster: {}}]', 'server is missing'],
  ])('with %s beside a token is refused without the token', async (_, text, want) => {
    const file = await fileWith('config', text);
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
    let refusal: unknown;
    try {
      loadKubeconfig(file);
    } catch (error) {
      refusal = error;
    }
    expect(inspect(refusal)).toContain(want);
    expect(inspect([refusal, warned.mock.calls])).not.toContain('hunter2');
    warned.mockRestore();
  });

  it('that is not there is reported, with what to do', () => {
    expect(() => loadKubeconfig(join(folder, 'none'))).toThrow(
      /cannot read kubeconfig .*none: ENOENT.*Set KUBECONFIG/,
    );
  });
});

describe('a login', () => {
  const open = async (parts: Parameters<typeof written>[0]) =>
    openKubeconfig(loadKubeconfig(await fileWith('config', written(parts)))).open();

  it.each([
    ['a token', { token: 't' }, { Authorization: 'Bearer t' }],
    ['a name and a password', { username: 'u', password: 'p' }, { Authorization: `Basic ${base64('u:p')}` }],
    [
      'a token for another user',
      { token: 't', as: 's' },
      { Authorization: 'Bearer t', 'Impersonate-User': 's' },
    ],
    ['a provider', { 'auth-provider': { name: 'oidc', config: { 'id-token': 'x' } } }, {}],
    ['nothing', {}, {}],
  ])('by %s shows it', async (_, user, headers) => {
    expect((await open({ user })).headers).toMatchObject(headers);
  });

  it('by a file shows the token in it', async () => {
    await fileWith('token', 'in-the-file\n');
    expect((await open({ user: { tokenFile: 'token' } })).headers).toEqual({
      Authorization: 'Bearer in-the-file',
    });
  });

  it('by a program shows what it prints', async () => {
    const status = { token: 'made' };
    const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status };
    const args = ['-e', `console.log(${JSON.stringify(JSON.stringify(credential))})`];
    const exec = { command: process.execPath, args };
    expect((await open({ user: { exec } })).headers).toEqual({ Authorization: 'Bearer made' });
  });

  it('goes out unverified by nobody who has not asked for it', async () => {
    await expect(open({ cluster: { server: 'http://a.example' } })).rejects.toThrow('skipTLSVerify');
  });

  it('is given up in time when its program hangs, which is run once for all who wait', async () => {
    const runs = join(folder, 'runs');
    const exec = { command: 'sh', args: ['-c', `echo run >> ${runs}; exec sleep 4`] };
    const file = await fileWith('config', written({ user: { exec } }));
    const client = clientOver(makeSend(openKubeconfig(loadKubeconfig(file))), 1_000);
    const late = { name: 'KubernetesError', status: 0, reason: 'Timeout' };
    const all = await Promise.allSettled([client.list(NAMESPACE), client.list(NAMESPACE)]);
    expect(all).toMatchObject([
      { status: 'rejected', reason: late },
      { status: 'rejected', reason: late },
    ]);
    expect(await readFile(runs, 'utf8')).toBe('run\n');
  });

  it('shares its connections, until one gets no answer or certificates may have been rotated', async () => {
    const file = await fileWith('config', written({ user: { token: 't' } }));
    const endpoint = openKubeconfig(loadKubeconfig(file));
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    const dispatcherAt = async (time: number) => {
      now.mockReturnValue(time);
      return (await endpoint.open()).dispatcher;
    };
    const first = await dispatcherAt(0);
    expect(await dispatcherAt(300_000)).toBe(first);
    const second = await dispatcherAt(300_001);
    expect(second).not.toBe(first);
    endpoint.renew();
    expect(await dispatcherAt(300_001)).not.toBe(second);
    now.mockRestore();
  });
});

describe('a pod', () => {
  const inCluster = async (token?: string): Promise<KubeConfig> => {
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '127.0.0.1');
    vi.stubEnv('KUBERNETES_SERVICE_PORT', '2');
    const file = join(folder, 'var/run/secrets/kubernetes.io/serviceaccount/token');
    await mkdir(dirname(file), { recursive: true });
    if (token !== undefined) await writeFile(file, token);
    const kubeconfig = new KubeConfig();
    kubeconfig.loadFromCluster(folder);
    return kubeconfig;
  };

  it.each([
    ['its certificate', 'first', 'ca.crt'],
    ['its certificate and its token', undefined, 'ENOENT'],
  ])('without %s sends nothing, and says what is missing', async (_, token, missing) => {
    const client = clientOver(makeSend(openKubeconfig(await inCluster(token))));
    await expect(client.list(NAMESPACE)).rejects.toMatchObject({
      name: 'KubernetesError',
      status: 0,
      reason: 'LoginFailed',
      message: expect.stringMatching(
        new RegExp(`^cannot log in to https://127.0.0.1:2: .*${missing}.*Correct the kubeconfig`),
      ),
    });
  });
});

import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { parseClusterSecret } from './cluster-secret.ts';
import { readKubeconfig } from './kubeconfig-secret.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const CA = base64('-----BEGIN CERTIFICATE-----\n');

const kubeconfig = (user: object, cluster: object = { 'certificate-authority-data': CA }): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'wds1', cluster: { server: 'https://wds1.example:6443', ...cluster } }],
    users: [{ name: 'admin', user }],
    contexts: [{ name: 'wds1', context: { cluster: 'wds1', user: 'admin' } }],
    'current-context': 'wds1',
  });
const secret = (text: string) => ({
  metadata: { name: 'wds1', namespace: 'spaces', uid: 'u', resourceVersion: '1' },
  data: { kubeconfig: base64(text) },
});

describe('a kubeconfig in a Secret', () => {
  it('is read as the secret of a cluster', () => {
    const read = readKubeconfig(secret(kubeconfig({ token: 'secret-token' })), 'kubeconfig');
    const parsed = read.is === 'Cluster' ? parseClusterSecret(read.secret) : read;
    expect(parsed).toMatchObject({
      is: 'Connection',
      connection: {
        server: 'https://wds1.example:6443',
        tls: { caData: CA },
        login: { by: 'Token', token: 'secret-token' },
      },
    });
  });

  it('holds nobody up, however long it is and whatever it refers to', { timeout: 20_000 }, () => {
    const keys = `{${Array.from({ length: 40_000 }, (_, index) => index + 100_000).join(',')}}`;
    const aliases = `a: &a b\nc: [${'*a,'.repeat(90_000)}]`;
    for (const text of [keys, aliases]) {
      const began = process.cpuUsage();
      expect(readKubeconfig(secret(text), 'kubeconfig')).toMatchObject({ is: 'Problem' });
      // 7.6 s and more than a minute once; 0.3 s and 0.5 s now.
      expect(process.cpuUsage(began).user / 1e6).toBeLessThan(3);
    }
  });

  it.each([
    ['no such key', {}, 'other', 'invalid other in Secret spaces/wds1: not found'],
    ['no kubeconfig', 'a: [', 'kubeconfig', 'must be a kubeconfig'],
    ['no context', 'apiVersion: v1\nkind: Config\n', 'kubeconfig', 'current context'],
    [
      'a program',
      kubeconfig({ exec: { command: 'sh', args: ['-c', 'id'] } }),
      'kubeconfig',
      'names a file, a program',
    ],
    ['a provider', kubeconfig({ 'auth-provider': { name: 'gcp' } }), 'kubeconfig', 'names a file, a program'],
    [
      'a key in a file',
      kubeconfig({ 'client-certificate': '/etc/a', 'client-key': '/etc/b' }),
      'kubeconfig',
      'names a file',
    ],
    [
      'a CA in a file',
      kubeconfig({ token: 't' }, { 'certificate-authority': '/etc/ca' }),
      'kubeconfig',
      'names a file',
    ],
    ['a token in a file', kubeconfig({ tokenFile: '/etc/token' }), 'kubeconfig', 'names a file'],
    [
      'a token in a file, as others write it',
      kubeconfig({ 'token-file': '/etc/hostname' }),
      'kubeconfig',
      'names a file',
    ],
    ['groups of another user', kubeconfig({ token: 't', 'as-groups': ['g'] }), 'kubeconfig', 'another user'],
    ['a proxy', kubeconfig({ token: 't' }, { 'proxy-url': 'http://proxy' }), 'kubeconfig', 'a proxy'],
  ])('with %s is not followed', (_, text, key, want) => {
    const read = readKubeconfig(secret(typeof text === 'string' ? text : ''), key);
    expect(read).toMatchObject({ is: 'Problem', problem: expect.stringContaining(want) as string });
    expect(JSON.stringify(read)).not.toContain('secret-token');
  });
});

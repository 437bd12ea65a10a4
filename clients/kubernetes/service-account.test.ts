import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NAMESPACE } from './kinds.ts';
import { kubeconfigDoor } from './kubernetes-door.ts';
import { clientOver } from './kubernetes.ts';
import { makeSend } from './kubernetes-transport.ts';
import { takeTokenFile } from './service-account.ts';

let root = '';
let file = '';
beforeEach(async () => {
  vi.stubEnv('KUBERNETES_SERVICE_HOST', '127.0.0.1');
  vi.stubEnv('KUBERNETES_SERVICE_PORT', '2');
  root = await mkdtemp(join(tmpdir(), 'okra-service-account-'));
  file = join(root, 'var/run/secrets/kubernetes.io/serviceaccount/token');
  await mkdir(dirname(file), { recursive: true });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(root, { recursive: true });
});

/** The kubeconfig of a pod whose files lie below the root. */
function inCluster(): KubeConfig {
  const kubeconfig = new KubeConfig();
  kubeconfig.loadFromCluster(root);
  return kubeconfig;
}

describe('the token of a service account', () => {
  it('is that which is in the file now', async () => {
    const token = takeTokenFile(inCluster());
    await writeFile(file, 'first\n');
    expect(await token?.()).toBe('first');
    await writeFile(file, 'second');
    expect(await token?.()).toBe('second');
  });

  it('is taken from nobody who logs in by other means', () => {
    const kubeconfig = new KubeConfig();
    kubeconfig.loadFromClusterAndUser(
      { name: 'c', server: 'https://c', skipTLSVerify: false },
      { name: 'u', token: 't' },
    );
    expect(takeTokenFile(kubeconfig)).toBeUndefined();
    expect(kubeconfig.getCurrentUser()?.token).toBe('t');
  });

  it.each([
    ['is not there', undefined, 'ENOENT'],
    ['is empty', '\n', 'got an empty file'],
  ])('is missed when the file %s, with a word on what to do', async (_, content, got) => {
    if (content !== undefined) await writeFile(file, content);
    const failure: unknown = await takeTokenFile(inCluster())?.().catch((error: unknown) => error);
    expect(failure).toMatchObject({
      name: 'KubernetesError',
      reason: 'LoginFailed',
      message: expect.stringContaining(got),
    });
    expect(failure).toMatchObject({
      message: expect.stringMatching(/Let the pod mount it .* or set KUBECONFIG/),
    });
  });
});

describe('a request for which there is no login', () => {
  it('fails as one that nobody has answered, with a word on what is missing', async () => {
    const kubeconfig = inCluster();
    await writeFile(file, 'first');
    // The certificate of the API server is not there.
    const client = clientOver(makeSend(kubeconfigDoor(kubeconfig), takeTokenFile(kubeconfig)));
    await expect(client.list(NAMESPACE)).rejects.toMatchObject({
      name: 'KubernetesError',
      status: 0,
      reason: 'LoginFailed',
      message: expect.stringMatching(/^Expected the kubeconfig to log in .*ca\.crt.*Correct it/),
    });
  });
});

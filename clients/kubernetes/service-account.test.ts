import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NAMESPACE } from './kinds.ts';
import { kubeconfigDoor } from './kubernetes-door.ts';
import { clientOver } from './kubernetes.ts';
import { makeSend } from './kubernetes-transport.ts';
import { kubeconfigOfPod } from './kubeconfig-files.ts';
import type { Kubeconfig } from './kubeconfig.ts';
import { tokenFileOf } from './service-account.ts';

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

/** The kubeconfig of a pod whose files lie there. */
const inCluster = (): Kubeconfig => kubeconfigOfPod(dirname(file));

describe('the token of a service account', () => {
  it('is that which is in the file now', async () => {
    const token = tokenFileOf(inCluster());
    await writeFile(file, 'first\n');
    expect(await token?.()).toBe('first');
    await writeFile(file, 'second');
    expect(await token?.()).toBe('second');
  });

  it('is taken from nobody who logs in by other means', () => {
    const users = [{ name: 'u', token: 't' }];
    const contexts = [{ name: 'x', cluster: 'c', user: 'u' }];
    expect(tokenFileOf({ clusters: [], users, contexts, currentContext: 'x' })).toBeUndefined();
  });

  it.each([
    ['is not there', undefined, 'ENOENT'],
    ['is empty', '\n', 'got an empty file'],
  ])('is missed when the file %s, with a word on what to do', async (_, content, got) => {
    if (content !== undefined) await writeFile(file, content);
    const failure: unknown = await tokenFileOf(inCluster())?.().catch((error: unknown) => error);
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
    const client = clientOver(makeSend(kubeconfigDoor(kubeconfig), tokenFileOf(kubeconfig)));
    await expect(client.list(NAMESPACE)).rejects.toMatchObject({
      name: 'KubernetesError',
      status: 0,
      reason: 'LoginFailed',
      message: expect.stringMatching(/^Expected the kubeconfig to log in .*ca\.crt.*Correct it/),
    });
  });
});

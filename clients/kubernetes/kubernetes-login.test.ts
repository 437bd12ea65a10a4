import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { NAMESPACE } from './kinds.ts';
import type { Kubeconfig } from './kubeconfig.ts';
import { kubeconfigDoor } from './kubernetes-door.ts';
import { makeSend } from './kubernetes-transport.ts';
import { clientOver } from './kubernetes.ts';

/** A kubeconfig that logs in by a program. */
const byProgram = (script: string): Kubeconfig => ({
  clusters: [{ name: 'c', server: 'https://127.0.0.1:1', skipTLSVerify: false }],
  users: [
    {
      name: 'u',
      exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'sh', args: ['-c', script] },
    },
  ],
  contexts: [{ name: 'x', cluster: 'c', user: 'u' }],
  currentContext: 'x',
});

it('is given up in time when a program of the kubeconfig hangs, which is run once for all who wait', async () => {
  // It takes a moment to load, for which the program would not have begun.
  await import('@kubernetes/client-node');
  const folder = await mkdtemp(join(tmpdir(), 'okra-login-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const runs = join(folder, 'runs');
  const client = clientOver(makeSend(kubeconfigDoor(byProgram(`echo run >> ${runs}; exec sleep 4`))), 1_000);
  const late = { name: 'KubernetesError', status: 0, reason: 'Timeout' };
  const all = await Promise.allSettled([client.list(NAMESPACE), client.list(NAMESPACE)]);
  expect(all).toMatchObject([
    { status: 'rejected', reason: late },
    { status: 'rejected', reason: late },
  ]);
  expect(await readFile(runs, 'utf8')).toBe('run\n');
});

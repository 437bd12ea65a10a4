import { readFile } from 'node:fs/promises';
import type { KubeConfig } from '@kubernetes/client-node';
import { loginFailed } from './kubernetes-error.ts';
import type { TokenSource } from './kubernetes-transport.ts';

/**
 * Takes the login by a token in a file, as a pod's service account has it, out of a kubeconfig, and gives the source of
 * that token; undefined when it logs in by other means. The kubelet puts a new token in place before the old one ends.
 */
export function takeTokenFile(kubeconfig: KubeConfig): TokenSource | undefined {
  const current = kubeconfig.getCurrentUser();
  const file: unknown = current?.authProvider?.config?.tokenFile;
  if (current === null || typeof file !== 'string') return undefined;
  // client-node would keep a token for a minute, whatever the API server says of it.
  const { authProvider: _, ...user } = current;
  kubeconfig.users = kubeconfig.users.map((one) => (one === current ? user : one));
  return async () => {
    const token = (await readFile(file, 'utf8').catch((error: unknown) => missed(file, error))).trim();
    return token === '' ? missed(file, 'an empty file') : token;
  };
}

function missed(file: string, got: unknown): never {
  throw loginFailed(
    `Expected the token of the service account in ${file}, got ${got instanceof Error ? got.message : String(got)}. Let the pod mount it (automountServiceAccountToken), or set KUBECONFIG.`,
    got,
  );
}

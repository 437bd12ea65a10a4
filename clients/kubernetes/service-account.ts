import { readFile } from 'node:fs/promises';
import { currentOf, type Kubeconfig } from './kubeconfig.ts';
import { loginFailed } from './kubernetes-error.ts';
import type { TokenSource } from './kubernetes-transport.ts';

/**
 * Gives the source of the token in a file, by which a pod's service account logs in; undefined when the kubeconfig logs in
 * by other means. The kubelet puts a new token in place before the old one ends.
 */
export function tokenFileOf(kubeconfig: Kubeconfig): TokenSource | undefined {
  const file = currentOf(kubeconfig).user?.tokenFile;
  if (file === undefined) return undefined;
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

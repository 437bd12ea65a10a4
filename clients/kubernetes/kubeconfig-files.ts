import { existsSync, readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { parseKubeconfig, type Kubeconfig, type KubeconfigContext } from './kubeconfig.ts';

/** Reads a kubeconfig: the files named (as in `KUBECONFIG`), or else what is usual: `~/.kube/config`, then the pod's own account. */
export function loadKubeconfig(files = process.env['KUBECONFIG']): Kubeconfig {
  try {
    if (files === undefined || files === '') return usualKubeconfig();
    const named = files.split(delimiter).filter((file) => file !== '');
    if (named.length === 0) throw new Error('no file is named');
    return named.map(readFile).reduce(merged);
  } catch (error) {
    throw new Error(
      `Expected a readable kubeconfig${files === undefined ? '' : ` at ${files}`}, got: ${String(error)}. Set KUBECONFIG to the path of one.`,
      { cause: error },
    );
  }
}

function usualKubeconfig(): Kubeconfig {
  const file = join(homedir(), '.kube', 'config');
  if (existsSync(file)) return readFile(file);
  return existsSync(join(SERVICE_ACCOUNT, TOKEN)) ? kubeconfigOfPod() : nothing;
}

const nothing: Kubeconfig = { clusters: [], users: [], contexts: [] };

/** Where the kubelet puts what a pod's own account needs, and the file with the token. */
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const TOKEN = 'token';

/** Makes the kubeconfig of a pod's own account. */
export function kubeconfigOfPod(folder = SERVICE_ACCOUNT): Kubeconfig {
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '443' } = process.env;
  const name = 'pod';
  const server = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  return {
    clusters: [{ name, server, caFile: join(folder, 'ca.crt'), skipTLSVerify: false }],
    users: [{ name, tokenFile: join(folder, TOKEN) }],
    contexts: [{ name, cluster: name, user: name, ...namespaceIn(folder) }],
    currentContext: name,
  };
}

function namespaceIn(folder: string): Pick<KubeconfigContext, 'namespace'> {
  const file = join(folder, 'namespace');
  return existsSync(file) ? { namespace: readFileSync(file, 'utf8').trim() } : {};
}

/** Paths in a file are those from its folder. */
const readFile = (file: string): Kubeconfig =>
  parseKubeconfig(readFileSync(file, 'utf8'), { folder: dirname(file) });

/** The first file's context counts, and the first that has something of a name, as with kubectl. */
const merged = (first: Kubeconfig, second: Kubeconfig): Kubeconfig => ({
  ...second,
  ...first,
  clusters: [...first.clusters, ...second.clusters],
  users: [...first.users, ...second.users],
  contexts: [...first.contexts, ...second.contexts],
});

import { HttpMethod, RequestContext, type KubeConfig } from '@kubernetes/client-node';
import { Agent, type Dispatcher } from 'undici';
import { withoutEnd } from '../../domain/text.ts';
import { guardedConnector, type Lookup, type TlsOptions } from './guarded-connect.ts';
import { loginFailed } from './kubernetes-error.ts';
import { keepPool } from './kubernetes-pool.ts';

/** What a request goes out with. */
export interface Opened {
  readonly headers: Readonly<Record<string, string>>;
  /** The connections that it shares with others. */
  readonly dispatcher: Dispatcher;
}

/** The way to an API server. */
export interface Door {
  /** Without a slash at its end. */
  readonly server: string;
  /** Gets a request ready; throws a KubernetesError when there is nothing to log in with. */
  open(): Promise<Opened>;
  /** Makes the next request open a new connection; those under way keep theirs. */
  renew(): void;
}

/** Makes the way that a kubeconfig names, with all that one may say: files that change, commands, proxies. */
export function kubeconfigDoor(kubeconfig: KubeConfig): Door {
  const server = serverOf(kubeconfig);
  const pool = keepPool();
  // For a kubeconfig that says nothing of TLS.
  const plain = new Agent();
  return {
    server,
    open: async () => {
      const context = new RequestContext(server, HttpMethod.GET);
      await logIn(kubeconfig, context);
      pool.use(context);
      return { headers: context.getHeaders(), dispatcher: context.getDispatcher() ?? plain };
    },
    renew: () => pool.drop(),
  };
}

/** What a way is made of that someone else has named. */
export interface RemoteDoorOptions {
  readonly server: string;
  readonly tls: TlsOptions;
  readonly headers: Readonly<Record<string, string>>;
  /** How names are looked up; by default as the system does. */
  readonly lookup?: Lookup;
}

/** Makes a way that someone else has named: one agent, which connects to no link-local or metadata address. */
export function remoteDoor({ server, tls, headers, lookup }: RemoteDoorOptions): Door {
  const connect = guardedConnector(tls, lookup);
  let dispatcher: Dispatcher | undefined;
  return {
    server: withoutEnd(server, '/'),
    open: async () => {
      dispatcher ??= new Agent({ connect });
      return await Promise.resolve({ headers, dispatcher });
    },
    renew: () => {
      dispatcher = undefined;
    },
  };
}

function serverOf(kubeconfig: KubeConfig): string {
  const cluster = kubeconfig.getCurrentCluster();
  // What client-node makes up when it finds neither a kubeconfig nor a pod's account.
  if (cluster === null || cluster.server === 'http://localhost:8080') {
    throw new Error(
      'Expected a kubeconfig with a current context, got none. Set KUBECONFIG, or run in a pod that has a service account.',
    );
  }
  return withoutEnd(cluster.server, '/');
}

// A file that is not there, or a command that fails, is said as everything else is for which there is no answer.
async function logIn(kubeconfig: KubeConfig, context: RequestContext): Promise<void> {
  try {
    await kubeconfig.applySecurityAuthentication(context);
  } catch (error) {
    const got = error instanceof Error ? error.message : String(error);
    throw loginFailed(
      `Expected the kubeconfig to log in to ${kubeconfig.getCurrentCluster()?.server}, got ${got}. Correct it, or what it names.`,
      error,
    );
  }
}

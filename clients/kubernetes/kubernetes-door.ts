import { Agent, type Dispatcher } from 'undici';
import { withoutEnd } from '../../domain/text.ts';
import { http1 } from '../http1.ts';
import {
  guardedConnector,
  KEEP_ALIVE_MILLISECONDS,
  type GuardOptions,
  type TlsOptions,
} from './guarded-connect.ts';
import { currentOf, type Kubeconfig } from './kubeconfig.ts';
import { loginFailed } from './kubernetes-error.ts';
import { loginBy, type Opened } from './kubernetes-login.ts';

export type { Opened } from './kubernetes-login.ts';

/** The way to an API server. */
export interface Door {
  /** Without a slash at its end. */
  readonly server: string;
  /** Gets a request ready; throws a KubernetesError when there is nothing to log in with. */
  open(): Promise<Opened>;
  /** Makes the next request open a new connection; those under way keep theirs. */
  renew(): void;
}

/** Makes the way that a kubeconfig names. */
export function kubeconfigDoor(kubeconfig: Kubeconfig): Door {
  const { cluster } = currentOf(kubeconfig);
  if (cluster === undefined) {
    throw new Error(
      'Expected a kubeconfig with a current context, got none. Set KUBECONFIG, or run in a pod that has a service account.',
    );
  }
  const { server } = cluster;
  const login = loginBy(kubeconfig, cluster);
  return {
    server,
    open: () => logIn(login, server),
    renew: () => login.renew(),
  };
}

/** What a way is made of that someone else has named. */
export interface RemoteDoorOptions extends GuardOptions {
  readonly server: string;
  readonly tls: TlsOptions;
  readonly headers: Readonly<Record<string, string>>;
}

/** Makes a way that someone else has named: one agent, which connects to no link-local or metadata address. */
export function remoteDoor({ server, tls, headers, whose, names }: RemoteDoorOptions): Door {
  const connect = guardedConnector(tls, { whose, names });
  let dispatcher: Dispatcher | undefined;
  return {
    server: withoutEnd(server, '/'),
    open: async () => {
      dispatcher ??= new Agent({ ...http1, keepAliveTimeout: KEEP_ALIVE_MILLISECONDS, connect });
      return await Promise.resolve({ headers, dispatcher });
    },
    renew: () => {
      dispatcher = undefined;
    },
  };
}

// A file that is not there, or a command that fails, is said as everything else is for which there is no answer.
async function logIn({ open }: Pick<Door, 'open'>, server: string): Promise<Opened> {
  try {
    return await open();
  } catch (error) {
    const got = error instanceof Error ? error.message : String(error);
    throw loginFailed(
      `Expected the kubeconfig to log in to ${server}, got ${got}. Correct it, or what it names.`,
      error,
    );
  }
}

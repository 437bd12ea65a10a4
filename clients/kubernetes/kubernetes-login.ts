import { readFileSync } from 'node:fs';
import type { KubeConfig } from '@kubernetes/client-node';
import { Agent, type Dispatcher } from 'undici';
import { http1 } from '../http1.ts';
import { given } from '../../domain/model/given.ts';
import { KEEP_ALIVE_MILLISECONDS } from './guarded-connect.ts';
import { currentOf, type Kubeconfig, type KubeconfigCluster, type KubeconfigUser } from './kubeconfig.ts';
import { keepPool } from './kubernetes-pool.ts';

/** What a request goes out with. */
export interface Opened {
  readonly headers: Readonly<Record<string, string>>;
  /** The connections that it shares with others. */
  readonly dispatcher: Dispatcher;
}

/** A login to an API server, and the connections on which it is shown. */
export interface Login {
  /** Gets a request ready; throws when there is nothing to log in with. */
  open(): Promise<Opened>;
  /** Makes the next request open a new connection; those under way keep theirs. */
  renew(): void;
}

/** Makes the login that a kubeconfig names for its current cluster, with all that one may say: files that change, commands, proxies. */
export function loginBy(kubeconfig: Kubeconfig, cluster: KubeconfigCluster): Login {
  const { user } = currentOf(kubeconfig);
  const isOther = [user?.exec, user?.authProvider, cluster.proxyUrl].some((one) => one !== undefined);
  return isOther ? loginByClientNode(kubeconfig, cluster) : ownLogin(cluster, user);
}

// A program that has not come to its end by then is run once more.
const FORGET_MILLISECONDS = 60_000;

/** Logs in as client-node does; it is loaded for programs, providers and proxies alone, because it takes 90 MB and half a second. */
function loginByClientNode(kubeconfig: Kubeconfig, { server }: KubeconfigCluster): Login {
  let loaded: KubeConfig | undefined;
  let newest: Dispatcher = new Agent(http1);
  // client-node makes connections for every request.
  const pool = keepPool(() => newest);
  // One for all who ask meanwhile, since each would run the program once more.
  let opening: Promise<Opened> | undefined;
  const open = async (): Promise<Opened> => {
    const clientNode = await import('@kubernetes/client-node');
    if (loaded === undefined) {
      loaded = new clientNode.KubeConfig();
      loaded.loadFromOptions(kubeconfig);
    }
    const context = new clientNode.RequestContext(server, clientNode.HttpMethod.GET);
    await loaded.applySecurityAuthentication(context);
    newest = context.getDispatcher() ?? newest;
    return { headers: context.getHeaders(), dispatcher: pool.get() };
  };
  const begin = (): Promise<Opened> => {
    const begun = open();
    const forget = (): void => {
      clearTimeout(timer);
      if (opening === begun) opening = undefined;
    };
    const timer = setTimeout(forget, FORGET_MILLISECONDS).unref();
    begun.then(forget, forget);
    return begun;
  };
  return {
    open: () => (opening ??= begin()),
    renew: () => pool.drop(),
  };
}

/** Logs in with what the kubeconfig itself says. */
function ownLogin(cluster: KubeconfigCluster, user: KubeconfigUser | undefined): Login {
  const pool = keepPool(
    () => new Agent({ ...http1, keepAliveTimeout: KEEP_ALIVE_MILLISECONDS, connect: tlsOf(cluster, user) }),
  );
  const headers = {
    ...loginOf(user),
    ...(user?.impersonateUser === undefined ? {} : { 'Impersonate-User': user.impersonateUser }),
  };
  return {
    open: async () => await Promise.resolve({ headers, dispatcher: pool.get() }),
    renew: () => pool.drop(),
  };
}

function loginOf({ token, username, password }: Partial<KubeconfigUser> = {}): Opened['headers'] {
  if (token !== undefined) return { Authorization: `Bearer ${token}` };
  if (username === undefined) return {};
  return { Authorization: `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}` };
}

function tlsOf(
  cluster: KubeconfigCluster,
  user: Partial<KubeconfigUser> = {},
): NonNullable<Agent.Options['connect']> {
  const { server, skipTLSVerify, caData, caFile, tlsServerName } = cluster;
  if (server.startsWith('http:') && !skipTLSVerify) throw new Error('http without insecure-skip-tls-verify');
  return {
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MILLISECONDS,
    ...given({
      ca: pemOf(caData, caFile),
      cert: pemOf(user.certData, user.certFile),
      key: pemOf(user.keyData, user.keyFile),
      servername: tlsServerName,
    }),
    ...(skipTLSVerify ? { rejectUnauthorized: false } : {}),
  };
}

function pemOf(data: string | undefined, file: string | undefined): Buffer | undefined {
  if (data !== undefined) return Buffer.from(data, 'base64');
  return file === undefined ? undefined : readFileSync(file);
}

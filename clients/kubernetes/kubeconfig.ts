import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { HttpMethod, KubeConfig, RequestContext } from '@kubernetes/client-node';
import { Agent, type Dispatcher } from 'undici';
import { parse } from 'yaml';
import { http1 } from '../bounded-request.ts';
import type { Endpoint, Opened } from './kubernetes-endpoint.ts';
import { loginFailed } from './kubernetes-error.ts';
import { messageOf } from '../../domain/text.ts';

/** Reads kubeconfig files, listed as in `KUBECONFIG`; by default `~/.kube/config`, else the pod's own account. */
export function loadKubeconfig(files = process.env['KUBECONFIG'] ?? ''): KubeConfig {
  const named = files.split(delimiter).filter((file) => file !== '');
  try {
    return named.length === 0 ? loadUsual() : merge(named.map(loadFile));
  } catch (error) {
    throw unreadable(named.length === 0 ? '~/.kube/config' : files, error);
  }
}

function unreadable(files: string, error: unknown): Error {
  // The parser quotes the text, which may contain a token.
  const isYAML = error instanceof Error && error.name.startsWith('YAML');
  const cause = isYAML ? 'invalid YAML' : messageOf(error);
  const message = `cannot read kubeconfig ${files}: ${cause}. Set KUBECONFIG to the path of one.`;
  return new Error(message, isYAML ? {} : { cause: error });
}

const SERVICE_ACCOUNT_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';

function loadUsual(): KubeConfig {
  const file = join(homedir(), '.kube', 'config');
  if (existsSync(file)) return loadFile(file);
  const kubeconfig = new KubeConfig();
  if (existsSync(SERVICE_ACCOUNT_TOKEN)) kubeconfig.loadFromCluster();
  return kubeconfig;
}

interface WrittenUsers {
  readonly users?: readonly { readonly name?: string; readonly user?: { readonly tokenFile?: string } }[];
}

interface TokenFile {
  readonly config?: { readonly tokenFile?: string };
}

function loadFile(file: string): KubeConfig {
  const kubeconfig = new KubeConfig();
  kubeconfig.loadFromFile(file);
  // client-node knows no `tokenFile`, which a user then logs in without.
  const written = parse(readFileSync(file, 'utf8'), { logLevel: 'error' }) as WrittenUsers;
  const tokenFiles = new Map(written.users?.map(({ name, user }) => [name, user?.tokenFile]));
  kubeconfig.users = kubeconfig.users.map((user) => {
    const tokenFile = tokenFiles.get(user.name);
    if (tokenFile === undefined) return user;
    const config = { tokenFile: resolve(dirname(file), tokenFile) };
    return { ...user, authProvider: { name: 'tokenFile', config } };
  });
  return kubeconfig;
}

/** Merges kubeconfigs as kubectl does: of two entries of one name, the first counts. */
function merge(all: readonly KubeConfig[]): KubeConfig {
  const merged = new KubeConfig();
  merged.loadFromOptions({
    clusters: all.flatMap(({ clusters }) => clusters),
    users: all.flatMap(({ users }) => users),
    contexts: all.flatMap(({ contexts }) => contexts),
    currentContext: all.find(({ currentContext }) => currentContext !== undefined)?.currentContext,
  });
  return merged;
}

// Certificates are rotated while the process runs.
const KEEP_MILLISECONDS = 300_000;
// A program that has not ended by then is run once more.
const FORGET_MILLISECONDS = 60_000;

/** Opens the way that a kubeconfig names, by whatever login it has. */
export function openKubeconfig(kubeconfig: KubeConfig): Endpoint {
  const { server } = kubeconfig.getCurrentCluster() ?? {};
  if (server === undefined)
    throw new Error(
      'cannot connect to Kubernetes: no current context in the kubeconfig. Set KUBECONFIG, or run in a pod that has a service account.',
    );
  let kept: { readonly dispatcher: Dispatcher; readonly since: number } | undefined;
  // One for all who ask at once: each would run the program of the login.
  let opening: Promise<Opened> | undefined;

  const logIn = async (): Promise<Opened> => {
    const context = new RequestContext(server, HttpMethod.GET);
    await kubeconfig.applySecurityAuthentication(context).catch((error: unknown) => {
      const cause = messageOf(error);
      throw loginFailed(
        `cannot log in to ${server}: ${cause}. Correct the kubeconfig, or what it names.`,
        error,
      );
    });
    const now = performance.now();
    // client-node makes connections for every request.
    if (kept === undefined || now - kept.since > KEEP_MILLISECONDS)
      kept = { dispatcher: context.getDispatcher() ?? new Agent(http1), since: now };
    // The token in a file may end with a newline.
    const headers = Object.entries(context.getHeaders()).map(([name, value]) => [name, value.trim()]);
    const { tokenFile } = (kubeconfig.getCurrentUser()?.authProvider as TokenFile | undefined)?.config ?? {};
    // client-node keeps it for a minute, in which the token before may end.
    if (tokenFile !== undefined)
      headers.push(['Authorization', `Bearer ${(await readFile(tokenFile, 'utf8')).trim()}`]);
    return { headers: Object.fromEntries(headers) as Opened['headers'], dispatcher: kept.dispatcher };
  };

  const begin = (): Promise<Opened> => {
    const begun = logIn();
    const forget = (): void => {
      clearTimeout(timer);
      if (opening === begun) opening = undefined;
    };
    const timer = setTimeout(forget, FORGET_MILLISECONDS).unref();
    begun.then(forget, forget);
    return begun;
  };

  return {
    server,
    open: () => (opening ??= begin()),
    renew: () => {
      kept = undefined;
    },
  };
}

import { delimiter } from 'node:path';
import { HttpMethod, IsomorphicFetchHttpLibrary, KubeConfig, RequestContext } from '@kubernetes/client-node';
import type { ResponseContext } from '@kubernetes/client-node';
import { errorOf, KubernetesError, loginFailed, unreachable } from './kubernetes-error.ts';
import { keepPool } from './kubernetes-pool.ts';

/** One request to the Kubernetes API. */
export interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal: AbortSignal;
}

/** Sends a request and returns its successful answer; throws a KubernetesError otherwise. */
export type Send = (request: Request) => Promise<ResponseContext>;

/** Makes a request that has to be answered in time, and reads its answer. */
export type Call = <T>(
  request: Omit<Request, 'signal'> & { readonly signal?: AbortSignal | undefined },
) => Promise<T>;

/** Gives the token of the moment, for logins whose tokens change; never the one that was refused the last time, unless there is no other. */
export type TokenSource = (refused?: string) => Promise<string>;

/**
 * Makes the sender for a kubeconfig, or for one with a token that changes. The generated API classes are not used: they open a connection for every
 * request, look kinds up by discovery, know no `status` subresource, and turn times into lossy dates.
 */
export function makeSend(kubeconfig: KubeConfig, token?: TokenSource): Send {
  const server = serverOf(kubeconfig);
  const http = new IsomorphicFetchHttpLibrary();
  const pool = keepPool();
  let refused: string | undefined;
  return async (request) => {
    const context = new RequestContext(server + request.path, HttpMethod[request.method]);
    for (const [name, value] of Object.entries(request.query ?? {})) {
      if (value !== undefined) context.setQueryParam(name, value);
    }
    context.setHeaderParam('Accept', 'application/json');
    context.setHeaderParam('User-Agent', 'okra');
    if (request.body !== undefined) {
      context.setHeaderParam('Content-Type', request.contentType ?? 'application/json');
      context.setBody(JSON.stringify(request.body));
    }
    context.setSignal(request.signal);
    await logIn(kubeconfig, context);
    const shown = token === undefined ? undefined : await inTime(token(refused), request);
    if (shown !== undefined) context.setHeaderParam('Authorization', `Bearer ${shown}`);
    pool.use(context);
    return await answer(http, context, request).catch((error: unknown) => {
      // A connection whose other end is gone without a word would let every further request wait in vain.
      if (error instanceof KubernetesError && error.status === 0) pool.drop();
      if (error instanceof KubernetesError && error.status === 401) refused = shown;
      throw error;
    });
  };
}

/** Makes the caller over a sender; a request that takes longer than the timeout fails as unanswered. */
export function makeCall(send: Send, timeoutMilliseconds: number): Call {
  return async <T>(request: Parameters<Call>[0]) => {
    const timeout = AbortSignal.timeout(timeoutMilliseconds);
    const signal = request.signal === undefined ? timeout : AbortSignal.any([request.signal, timeout]);
    signal.throwIfAborted();
    const response = await send({ ...request, signal });
    try {
      return JSON.parse(await response.body.text()) as T;
    } catch (error) {
      throw failure(`${request.method} ${request.path}`, error, signal);
    }
  };
}

/** Reads a kubeconfig: the files named (as in `KUBECONFIG`), or else what is usual: `~/.kube/config`, then the pod's own account. */
export function loadKubeconfig(files?: string): KubeConfig {
  const kubeconfig = new KubeConfig();
  try {
    if (files === undefined) kubeconfig.loadFromDefault();
    else
      loadFiles(
        kubeconfig,
        files.split(delimiter).filter((file) => file !== ''),
      );
  } catch (error) {
    throw new Error(
      `Expected a readable kubeconfig${files === undefined ? '' : ` at ${files}`}, got: ${String(error)}. Set KUBECONFIG to the path of one.`,
      { cause: error },
    );
  }
  return kubeconfig;
}

function loadFiles(kubeconfig: KubeConfig, files: readonly string[]): void {
  const [first, ...others] = files;
  if (first === undefined) throw new Error('no file is named');
  kubeconfig.loadFromFile(first);
  for (const file of others) {
    const other = new KubeConfig();
    other.loadFromFile(file);
    // The first file's context counts, as with kubectl.
    kubeconfig.mergeConfig(other, true);
  }
}

function serverOf(kubeconfig: KubeConfig): string {
  const cluster = kubeconfig.getCurrentCluster();
  // What client-node makes up when it finds neither a kubeconfig nor a pod's account.
  if (cluster === null || cluster.server === 'http://localhost:8080') {
    throw new Error(
      'Expected a kubeconfig with a current context, got none. Set KUBECONFIG, or run in a pod that has a service account.',
    );
  }
  return cluster.server.replace(/\/+$/, '');
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

// Who waits for a token shares it with others, and gives up alone.
async function inTime(token: Promise<string>, { method, path, signal }: Request): Promise<string> {
  const waiting = new AbortController();
  const givenUp = new Promise<never>((_, reject) => {
    const giveUp = (): void => reject(failure(`${method} ${path}`, signal.reason, signal));
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { signal: waiting.signal });
  });
  try {
    return await Promise.race([token, givenUp]);
  } finally {
    waiting.abort();
  }
}

async function answer(http: IsomorphicFetchHttpLibrary, context: RequestContext, request: Request) {
  const name = `${request.method} ${request.path}`;
  let response: ResponseContext;
  try {
    response = await http.send(context).toPromise();
    if (response.httpStatusCode < 300) return response;
  } catch (error) {
    throw failure(name, error, request.signal);
  }
  const said = await response.body.text().catch(() => '');
  throw errorOf(response.httpStatusCode, said, name, response.headers['retry-after']);
}

/** What to throw when no whole answer came: the caller's own reason when it gave up, a KubernetesError otherwise. */
export function failure(name: string, error: unknown, signal: AbortSignal): unknown {
  const reason: unknown = signal.aborted ? signal.reason : error;
  const givenUp = signal.aborted && !(reason instanceof DOMException && reason.name === 'TimeoutError');
  return givenUp ? reason : unreachable(name, reason);
}

import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { request as sendRequest } from 'undici';
import { http1, unpacked } from '../bounded-request.ts';
import { given, parseJSON } from '../../domain/model/fields.ts';
import { untilGivenUp, withTimeLimit } from '../concurrency.ts';
import { textOf, type Allowance, ERROR_BYTES, type ReadLimits } from './kubernetes-answer.ts';
import type { Endpoint, Opened } from './kubernetes-endpoint.ts';
import { errorOf, KubernetesError, malformed, serverUnreachable } from './kubernetes-error.ts';
import { sleep, type Sleep } from '../backoff.ts';

interface RetryAfterOptions {
  /** What an API server asks for beyond this is not waited for. */
  readonly longestMs: number;
  readonly sleep?: Sleep;
}

/** Makes a sender that sends again, writes too, when an API server answers 429 with `Retry-After`: it has done nothing yet then. */
export function heedRetryAfter(send: Send, { longestMs, sleep: wait = sleep }: RetryAfterOptions): Send {
  return async (request) => {
    for (let leftMs = longestMs; ;) {
      try {
        return await send(request);
      } catch (error) {
        const waitMs = askedFor(error);
        if (waitMs === undefined || waitMs > leftMs) throw error;
        leftMs -= waitMs;
        await wait(waitMs, request.signal);
        if (request.signal.aborted) throw isLate(request.signal) ? error : request.signal.reason;
      }
    }
  };
}

const isLate = ({ reason }: AbortSignal): boolean =>
  reason instanceof DOMException && reason.name === 'TimeoutError';

// One that asks for no time at all would be asked without a pause.
const SHORTEST_MS = 100;

const askedFor = (error: unknown): number | undefined =>
  error instanceof KubernetesError && error.status === 429 && error.retryAfterSeconds !== undefined
    ? Math.max(SHORTEST_MS, error.retryAfterSeconds * 1000)
    : undefined;

/** One request to the Kubernetes API. */
export interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal: AbortSignal;
}

/** Sends a request and returns the body of its successful answer; throws a KubernetesError otherwise. */
export type Send = (request: Request) => Promise<Readable>;

/** Makes a request that has to be answered in time, and reads its answer. */
export type Call = <T>(
  request: Omit<Request, 'signal'> & {
    readonly signal?: AbortSignal | undefined;
    readonly allowance?: Allowance;
  },
) => Promise<T>;

/** Gives the token of the moment, for logins whose tokens change; never the one that was refused the last time, unless there is no other. */
export type TokenSource = (refused?: string) => Promise<string>;

/** Makes the sender to an endpoint, with a token that changes where there is one. */
export function makeSend(endpoint: Endpoint, token?: TokenSource): Send {
  let refused: string | undefined;
  return async (request) => {
    const name = nameOf(request);
    const { headers, dispatcher } = await inTime(endpoint.open(), name, request.signal);
    const shown = token === undefined ? undefined : await inTime(token(refused), name, request.signal);
    const login = shown === undefined ? headers : { ...headers, Authorization: `Bearer ${shown}` };
    return await answer(endpoint, { headers: login, dispatcher }, request).catch((error: unknown) => {
      // A connection whose other end is gone without a word would let every further request wait in vain.
      if (error instanceof KubernetesError && error.status === 0) endpoint.renew();
      if (error instanceof KubernetesError && error.status === 401) refused = shown;
      throw error;
    });
  };
}

/** Makes the caller over a sender; a request that takes longer than the timeout fails as unanswered, and one with a longer answer as that. */
export function makeCall(
  send: Send,
  timeoutMilliseconds: number,
  { answerBytes }: Pick<ReadLimits, 'answerBytes'>,
): Call {
  return async <T>(request: Parameters<Call>[0]) => {
    const { allowance } = request;
    const name = nameOf(request);
    if (!namesObjects(request.path)) throw nameless(name);
    const limits = { most: answerBytes, name, ...given({ allowance }) };
    const limit = { milliseconds: timeoutMilliseconds, signal: request.signal };
    const text = await withTimeLimit(limit, async (signal) => {
      signal.throwIfAborted();
      const body = await send({ ...request, signal });
      return await textOf(body, limits).catch((error: unknown) => {
        throw error instanceof KubernetesError ? error : requestFailure(name, error, signal);
      });
    });
    return parseAnswer<T>(text, name);
  };
}

/** Whether each part of a path is a name: an address means another one by `.` and `..`, such as that of all objects of a kind, and so does one that ends before the name. */
const namesObjects = (path: string): boolean => !/\/(\.{0,2})(\/|$)/.test(path);

const nameless = (name: string): KubernetesError =>
  new KubernetesError({
    status: 404,
    reason: 'NotFound',
    message: `${name} does not end in a valid object name.`,
  });

/** Reads the JSON of an answer; what is none is not repeated, since it may be anybody's. */
export function parseAnswer<T>(text: string, name: string): T {
  const parsed = parseJSON(text);
  if (parsed === undefined) throw malformed(name, 'JSON', 'something else');
  return parsed as T;
}

const nameOf = ({ method, path }: Pick<Request, 'method' | 'path'>): string => `${method} ${path}`;

// Who waits for a login, a token, or a connection shares it with others, and gives up alone.
const inTime = <T>(awaited: Promise<T>, name: string, signal: AbortSignal): Promise<T> =>
  untilGivenUp(awaited, signal).catch((error: unknown) => {
    throw signal.aborted ? requestFailure(name, error, signal) : error;
  });

async function answer(endpoint: Endpoint, opened: Opened, request: Request): Promise<Readable> {
  const { method, path, query = {}, body, contentType = 'application/json', signal } = request;
  const name = nameOf(request);
  const url = new URL(endpoint.server + path);
  for (const [key, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(key, value);
  const headers = {
    ...opened.headers,
    Accept: 'application/json',
    'Accept-Encoding': 'gzip',
    'User-Agent': 'okra',
    ...given({ 'Content-Type': body === undefined ? undefined : contentType }),
  };
  try {
    // It follows no redirect; HTTP/1.1 is for connections that client-node makes.
    const content = given({ body: body === undefined ? undefined : JSON.stringify(body) });
    const options = { ...http1, method, headers, ...content, signal, dispatcher: opened.dispatcher };
    const got = await inTime(sendRequest(url, options), name, signal);
    const unpackedBody = unpacked(got.body, got.headers['content-encoding']);
    if (got.statusCode < 300) return unpackedBody;
    const said = await textOf(unpackedBody, { most: ERROR_BYTES, name }).catch(() => '');
    throw errorOf(got.statusCode, said, name, retryAfterIn(got.headers));
  } catch (error) {
    throw error instanceof KubernetesError ? error : requestFailure(name, error, signal);
  }
}

/** The header `Retry-After`; sent more than once it counts for nothing. */
const retryAfterIn = ({ 'retry-after': value }: IncomingHttpHeaders): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** What to throw when no whole answer came: the caller's own reason when it gave up, a KubernetesError otherwise. */
export function requestFailure(name: string, error: unknown, signal: AbortSignal): unknown {
  const reason: unknown = signal.aborted ? signal.reason : error;
  const givenUp = signal.aborted && !(reason instanceof DOMException && reason.name === 'TimeoutError');
  return givenUp ? reason : serverUnreachable(name, reason);
}

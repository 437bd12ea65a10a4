import { pipeline, type Readable } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import { request as send, type Dispatcher } from 'undici';
import { given, isRecord, parseJSON } from '../domain/model/fields.ts';
import { cut } from '../domain/text.ts';
import { ProviderError, unavailable } from './provider-error.ts';

/** Has undici speak HTTP/1.1: by HTTP/2 an idle connection can throw where nobody catches it (undici 8.12, `socket idle timeout`). */
export const http1 = { allowH2: false } as const;

/** How much and how long is read of what a provider of metrics answers. */
export interface AnswerLimits {
  readonly answerBytes: number;
  readonly milliseconds: number;
}

/** What no answer reaches of as many groups and points as are judged. */
export const METRICS_ANSWER: AnswerLimits = { answerBytes: 4_000_000, milliseconds: 15_000 };

interface BoundedRequest {
  readonly provider: string;
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
  readonly dispatcher?: Dispatcher | undefined;
  readonly limits?: AnswerLimits;
}

export interface BoundedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Sends a request once, follows no redirect, and reads its answer within limits; throws a ProviderError when there is none. */
export async function boundedRequest(request: BoundedRequest): Promise<BoundedAnswer> {
  const { provider, url, method, headers, limits = METRICS_ANSWER } = request;
  const timeout = AbortSignal.timeout(limits.milliseconds);
  const signal = AbortSignal.any([request.signal, timeout]);
  try {
    const options = {
      ...http1,
      method,
      headers: { ...headers, 'accept-encoding': 'gzip, deflate' },
      signal,
      ...given({ body: request.body, dispatcher: request.dispatcher }),
    };
    const answer = await send(url, options);
    const body = unpacked(answer.body, answer.headers['content-encoding']);
    const text = await readText(body, (size) => {
      if (size > limits.answerBytes)
        throw unavailable(
          `cannot read the answer of ${provider}: more than ${limits.answerBytes} bytes. Group by less, or shorten the window.`,
        );
    });
    return { status: answer.statusCode, headers: flat(answer.headers), text };
  } catch (error) {
    request.signal.throwIfAborted();
    if (timeout.aborted)
      throw unavailable(
        `cannot reach ${provider}: no answer within ${limits.milliseconds / 1000} s. Check that it can be reached.`,
      );
    if (error instanceof Error && error.name === 'ProviderError') throw error;
    throw unavailable(`cannot reach ${provider}: ${causeOf(error)}. Check that it can be reached.`);
  }
}

/** The longest that is waited for because a provider says so; after that it is asked again. */
const LONGEST_RETRY_AFTER_MS = 300_000;
const DEFAULT_RETRY_AFTER_MS = 30_000;

/** Makes an error of a provider that answers with 429, with the time that a header says to wait, within reason. */
export function rateLimited(provider: string, { headers }: BoundedAnswer, said: string): ProviderError {
  const time = headers['x-ratelimit-reset'] ?? headers['retry-after'] ?? '';
  const retryAfterMs = /^\d{1,9}$/.test(time)
    ? Math.min(LONGEST_RETRY_AFTER_MS, Math.max(1000, Number(time) * 1000))
    : DEFAULT_RETRY_AFTER_MS;
  const message = `cannot query ${provider}: rate limited (${said}). Retrying in ${Math.ceil(retryAfterMs / 1000)} s.`;
  return new ProviderError({ is: 'RateLimited', retryAfterMs }, message);
}

/** Reads the JSON object of an answer; what is none, such as the page of a proxy, is said in short. */
export function jsonOf(provider: string, { status, text }: BoundedAnswer): Readonly<Record<string, unknown>> {
  const value = parseJSON(text);
  if (isRecord(value)) return value;
  throw unavailable(
    `cannot read the answer of ${provider}: ${status} ${startOf(text)}, not JSON. Check what answers in its place, such as a proxy.`,
  );
}

/** The beginning of a text in one line, for people. */
export function startOf(text: string): string {
  const start = cut(text.replaceAll(/\s+/g, ' ').trim(), 100);
  return start === '' ? 'nothing' : JSON.stringify(start);
}

/** Undoes the compression of an answer. */
export function unpacked(body: Readable, encoding: string | string[] | undefined): Readable {
  // Whoever reads sees why it broke.
  if (encoding === 'gzip') return pipeline(body, createGunzip(), () => undefined);
  return encoding === 'deflate' ? pipeline(body, createInflate(), () => undefined) : body;
}

/** A body, as it comes in. */
export type Pieces = AsyncIterable<Uint8Array>;

/** Reads a body to its end; `check` throws when what was read so far is too much. */
export async function readText(body: Pieces, check: (size: number, added: number) => void): Promise<string> {
  const gathered = gather();
  for await (const piece of body) {
    check(gathered.size() + piece.length, piece.length);
    gathered.add(piece);
  }
  return gathered.take();
}

const FIRST_BYTES = 16_384;

/** Puts pieces together in one place, since millions of small ones would each take up more than they say. */
export function gather() {
  let place = Buffer.alloc(0);
  let size = 0;
  return {
    size: () => size,
    add: (piece: Uint8Array): void => {
      if (size + piece.length > place.length) {
        const larger = Buffer.alloc(Math.max(FIRST_BYTES, 2 * place.length, size + piece.length));
        place.copy(larger, 0, 0, size);
        place = larger;
      }
      place.set(piece, size);
      size += piece.length;
    },
    take: (): string => {
      const text = new TextDecoder().decode(place.subarray(0, size));
      size = 0;
      // What one large event needed is not kept for the small ones after it.
      if (place.length > FIRST_BYTES) place = Buffer.alloc(0);
      return text;
    },
  };
}

const flat = (headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'an error';
  const cause = error.cause instanceof Error ? error.cause : error;
  return cut(cause.message === '' ? cause.name : cause.message, 200);
}

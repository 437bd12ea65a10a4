import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AskName, askNames, requestVerbs, verbOf } from '../../crds/request-names.ts';
import { CELL } from '../../clients/kubernetes/kinds.ts';
import { refusalTo } from '../../clients/kubernetes/request-rights.ts';
import { seenIn } from '../../domain/model/seen.ts';
import { fieldsIn, given, parseJSON, textIn } from '../../domain/model/fields.ts';
import { send, type Sending } from '../okractl/send.ts';
import { CommandError, exitCodes } from '../okractl/shell.ts';
import type { Target } from '../okractl/target.ts';
import { feed, type Wish } from './feeds.ts';
import type { Requester, Viewer, Viewers } from './hub.ts';
import { INVALID_TOKEN, isUnknown } from './logins.ts';
import { end, keepStreams, openStream } from './stream.ts';
import { messageOf } from '../../domain/text.ts';

/** Answers what the page calls. */
export type Calls = (request: IncomingMessage, response: ServerResponse, path: string) => Promise<void>;

/** What the calls of the page are answered with. */
export interface CallOptions {
  readonly viewers: Viewers;
  readonly version: string;
  readonly now: () => number;
}

const LONGEST_BODY = 16_384;
const LONGEST_REASON = 1024;

/** Makes what answers the calls of the page. */
export function callOf(options: CallOptions): Calls {
  const { viewers } = options;
  const streams = keepStreams();
  return async (request, response, path) => {
    const key = keyOf(request);
    if (path === '/api/session') return answerSession(options, { request, response, key });
    if (path === '/api/requests') return answerPerson(options, { request, response, key });
    const viewer = viewers.of(key);
    if (path === '/api/me' && request.method === 'GET') return end(response, 200, meOf(options, viewer));
    if (viewer === undefined)
      return end(response, 401, {
        message: 'Not logged in. Log in, or open the address that okractl printed.',
      });
    const { searchParams } = new URL(request.url ?? '/', 'http://page');
    if (path === '/api/stream' && request.method === 'GET') {
      const wish = wishOf(searchParams);
      if (wish === undefined)
        return end(response, 400, { message: 'Unknown subscription; use cells, cell, policy or clusters.' });
      const full = streams.full(viewer);
      if (full !== undefined) return end(response, 503, { message: full });
      const stream = openStream(response);
      streams.keep(viewer, stream);
      return feed(viewer, stream, { wish, now: options.now });
    }
    if (path === '/api/ask' && request.method === 'POST') return asked(viewer, request, response);
    return end(response, 404, { message: `${request.method} ${path} not found.` });
  };
}

/** The key stands in a header that only the page sets; no cookie is ever used. */
function keyOf({ headers: { authorization } }: IncomingMessage): string | undefined {
  return /^Bearer ([\x21-\x7e]{1,16384})$/.exec(authorization ?? '')?.[1];
}

/** Who looks, and what they can do here; without `by` nobody has logged in. */
export type Me = ReturnType<typeof meOf>;

const meOf = ({ viewers, version }: CallOptions, viewer: Viewer | undefined) => ({
  version,
  canLogIn: viewers.logIn !== undefined,
  mayAct: viewer?.by !== undefined,
  // Whether there is anything that they may see without logging in.
  isIn: viewer !== undefined,
  ...given({ by: viewer?.by, docsUrl: viewer?.session.docsUrl }),
});

interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly key: string | undefined;
}

/** Answers who shows a token of Kubernetes with each request, as okractl does: nothing is kept of it. */
async function answerPerson(
  { viewers: { person }, version }: CallOptions,
  { request, response, key }: Call,
): Promise<void> {
  if (person === undefined)
    return end(response, 404, {
      message: 'This dashboard takes no requests, because it has no login. Set dashboard.login of the chart.',
    });
  if (key === undefined) return end(response, 401, { message: 'No token given.' });
  try {
    const requester = await person(key);
    if (request.method === 'POST') return await asked(requester, request, response);
    const { operator, taskQueue, temporal } = requester.session;
    // As for those who look: who may list Cells, where they say, or everywhere.
    const namespace = new URL(request.url ?? '/', 'http://page').searchParams.get('namespace') ?? undefined;
    const wish = { verb: 'list', kind: CELL, key: { namespace }, role: 'okra-viewer' };
    const message = await refusalTo(requester.session, wish);
    if (message !== undefined) return end(response, 403, { message });
    const found = await (await operator()).inspect(taskQueue);
    return end(response, 200, { ...found, version, taskQueue, namespace: temporal.namespace });
  } catch (error) {
    if (isUnknown(error)) return end(response, 401, { message: INVALID_TOKEN });
    return end(response, 502, { message: messageOf(error) });
  }
}

async function answerSession({ viewers }: CallOptions, { request, response, key }: Call): Promise<void> {
  if (key === undefined || viewers.logIn === undefined)
    return end(response, 401, { message: 'No token given, or this page has no login.' });
  if (request.method === 'DELETE') {
    viewers.logOut(key);
    return end(response, 200, { message: 'Logged out.' });
  }
  if (request.method !== 'POST') return end(response, 405, { message: 'The method must be POST or DELETE.' });
  try {
    return end(response, 200, { key: await viewers.logIn(key) });
  } catch (error) {
    return end(response, 401, { message: error instanceof Error ? error.message : 'The token was refused.' });
  }
}

function wishOf(query: URLSearchParams): Wish | undefined {
  const view = query.get('view');
  if (view === 'cells' || view === 'clusters') return { view };
  const target =
    view === 'cell' || view === 'policy'
      ? targetOf(view === 'cell' ? 'Cell' : 'StagedBindingPolicy', query.get('namespace'), query.get('name'))
      : undefined;
  return target && { view: 'page', target };
}

const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

function targetOf(kind: unknown, namespace: unknown, name: unknown): Target | undefined {
  const isName = (text: unknown): text is string => typeof text === 'string' && NAME.test(text);
  if (!isName(name)) return undefined;
  if (kind === 'StagedBindingPolicy') return { kind, key: { namespace: '', name } };
  return kind === 'Cell' && isName(namespace) ? { kind, key: { namespace, name } } : undefined;
}

async function asked(
  requester: Requester,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await bodyOf(request);
  if (body === undefined) {
    response.setHeader('Connection', 'close');
    return end(response, 413, { message: `Request too large: at most ${LONGEST_BODY} bytes.` });
  }
  const { kind = 'Cell', namespace, name, request: wanted, reason = '', seen } = body;
  const target = targetOf(kind, namespace, name);
  const isReason = typeof reason === 'string' && reason.length <= LONGEST_REASON;
  if (target === undefined || !isAskNameOf(target, wanted) || !isReason || typeof reason !== 'string')
    return end(response, 400, {
      message: `Invalid request: it needs the kind and name of an object, with its namespace, a request that this kind takes, and a reason of at most ${LONGEST_REASON} characters.`,
    });
  const { status, message } = await ask(requester, {
    target,
    name: wanted,
    reason,
    seen: { ...seenIn(seen), ...given({ stage: textIn(fieldsIn(seen)['stage']) }) },
    ...given({ to: textIn(body['to']) }),
  });
  return end(response, status, { message });
}

async function bodyOf(request: IncomingMessage): Promise<Readonly<Record<string, unknown>> | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > LONGEST_BODY) return undefined;
    parts.push(part);
  }
  return fieldsIn(parseJSON(Buffer.concat(parts).toString('utf8')));
}

/** Makes a request in the name of the person, if Kubernetes lets them, and says what comes of it. */
export async function ask(
  { session, by }: Requester,
  sending: Sending,
): Promise<{ readonly status: 200 | 202 | 403 | 409 | 502; readonly message: string }> {
  if (by === undefined) return { status: 403, message: 'Read-only: log in to send requests.' };
  try {
    const said: string[] = [];
    let isSure = true;
    await send(
      {
        print: (text) => void said.push(text),
        warn: (text) => void said.push(text),
        exitWith: () => {
          isSure = false;
        },
      },
      { ...session, whoAmI: () => Promise.resolve(by) },
      sending,
    );
    return { status: isSure ? 200 : 202, message: said.join(' ') };
  } catch (error) {
    const message = messageOf(error);
    const isRefused = error instanceof CommandError && error.code === exitCodes.refused;
    return { status: isRefused ? 409 : 502, message };
  }
}

/** Whether a word is a request that the kind of an object takes. */
const isAskNameOf = ({ kind }: Target, word: unknown): word is AskName =>
  askNames.some((name) => name === word && requestVerbs[kind].some((verb) => verb === verbOf(name)));

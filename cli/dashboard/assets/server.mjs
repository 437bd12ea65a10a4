/** @typedef {import('../calls.ts').Me} Me */
/** @typedef {{ told: (event: string, data: any) => void, live: (is: boolean, why?: string) => void, strange: () => void, signal: AbortSignal }} Follower */

const STORED = 'okra-key';
const MARK = { 'X-Okra-Dashboard': '1' };

/** Takes the key out of the address, if there is one. */
export function takeKey() {
  const key = /^#key=([\w-]+)$/.exec(location.hash)?.[1];
  if (key !== undefined) history.replaceState(null, '', '/#/');
  return key;
}

/**
 * Keeps the key with the tab: no cookie, and no other page on this machine, ever has it.
 * @param {string} key
 */
export const keepKey = (key) => sessionStorage.setItem(STORED, key);

function sent() {
  const key = sessionStorage.getItem(STORED);
  return key === null ? MARK : { ...MARK, Authorization: `Bearer ${key}` };
}

/** @param {Response} response */
async function bodyOf(response) {
  try {
    return await response.json();
  } catch {
    return { message: `The server answered with HTTP status ${response.status}.` };
  }
}

/** @returns {Promise<Me>} */
export async function whoAmI() {
  const response = await fetch('/api/me', { headers: sent() });
  if (!response.ok) throw new Error(String((await bodyOf(response))['message']));
  return response.json();
}

/**
 * Logs in with a token of Kubernetes, which is sent once and not kept here.
 * @param {string} token
 */
export async function logIn(token) {
  const headers = { ...MARK, Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const response = await fetch('/api/session', { method: 'POST', headers, body: '{}' });
  const body = await bodyOf(response);
  if (!response.ok) throw new Error(String(body['message']));
  keepKey(String(body['key']));
}

/** Logs out, and forgets the key. */
export async function logOut() {
  const leaving = fetch('/api/session', { method: 'DELETE', headers: sent() });
  sessionStorage.removeItem(STORED);
  await leaving;
}

/** How long an answer may take; a connection that is dead gives none, and the dialog waits for it. */
const LONGEST_ANSWER_MS = 60_000;

/**
 * Asks for something in the name of the person, and answers with what came of it.
 * @param {{ kind: string, namespace: string | undefined, name: string, request: string, reason: string, seen: object }} asked
 */
export async function ask(asked) {
  try {
    const headers = { ...sent(), 'Content-Type': 'application/json' };
    const signal = AbortSignal.timeout(LONGEST_ANSWER_MS);
    const response = await fetch('/api/ask', {
      method: 'POST',
      headers,
      body: JSON.stringify(asked),
      signal,
    });
    return { ok: response.status === 200, message: String((await bodyOf(response))['message']) };
  } catch {
    return {
      ok: false,
      message:
        'No answer. The request may or may not have been accepted: check the Cell before you send it again.',
    };
  }
}

const AGAIN_MS = 2000;
/** The server sends a word every 15 seconds: after this time without one the connection is dead, though nobody has said so. */
const SILENT_MS = 40_000;

/**
 * Follows a stream of events until the signal, and begins again when it breaks off.
 * @param {string} query
 * @param {Follower} follower
 */
export async function follow(query, follower) {
  const { live, signal } = follower;
  // What is shown was told by the stream before, or in the time that nobody has looked.
  live(false);
  while (!signal.aborted) {
    const goesOn = await followOnce(query, follower).catch(() => true);
    if (!goesOn || signal.aborted) return;
    live(false);
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

/**
 * Follows a stream until it breaks off; false when there is no use in beginning again.
 * @param {string} query
 * @param {Follower} follower
 */
async function followOnce(query, { told, live, strange, signal }) {
  const silent = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silent.abort(), SILENT_MS);
  };
  heard();
  try {
    const whole = AbortSignal.any([signal, silent.signal]);
    const response = await fetch(`/api/stream?${query}`, { headers: sent(), signal: whole });
    if (response.ok && response.body !== null) {
      live(true);
      await readEvents(response.body, { told, heard });
      return true;
    }
    live(false, String((await bodyOf(response))['message']));
    if (response.status === 401) strange();
    return response.status !== 401;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * @param {ReadableStream<Uint8Array>} body
 * @param {{ told: (event: string, data: any) => void, heard: () => void }} on
 */
async function readEvents(body, { told, heard }) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    heard();
    text += decoder.decode(value, { stream: true });
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const name = /^event: (\w+)$/m.exec(event)?.[1];
      const data = /^data: (.*)$/m.exec(event)?.[1];
      if (name !== undefined && data !== undefined) told(name, JSON.parse(data));
    }
  }
}

import type { ServerResponse } from 'node:http';
import type { Viewer } from './hub.ts';

/** One who looks: told events, as far as they read them. */
export type Stream = ReturnType<typeof openStream>;

/** How often a word is sent where nothing happens, so that both sides notice when the other is gone. */
const BEAT_MS = 15_000;
/** How long what was sent may stay unread. */
const UNREAD_MS = 60_000;

/** How long what was sent last may take to arrive when the stream ends. */
const ENDING_MS = 1_000;

/** Makes a stream of Server-Sent Events of an answer. Who does not read is told nothing more, and is let go after a while. */
export function openStream(
  response: ServerResponse,
  { beatMs, unreadMs } = { beatMs: BEAT_MS, unreadMs: UNREAD_MS },
) {
  const ended = new AbortController();
  let listener: () => void = () => undefined;
  let unread: NodeJS.Timeout | undefined;
  const write = (text: string): boolean => {
    if (ended.signal.aborted || unread !== undefined) return false;
    if (!response.write(text)) unread = setTimeout(() => response.destroy(), unreadMs);
    return true;
  };
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
  response.flushHeaders();
  const beating = setInterval(() => write(': nothing new\n\n'), beatMs);
  response.on('drain', () => {
    clearTimeout(unread);
    unread = undefined;
    listener();
  });
  response.on('close', () => {
    clearTimeout(unread);
    clearInterval(beating);
    ended.abort();
  });
  return {
    /** Tells an event. False: nothing is told, because what came before has not been read yet. */
    send: (event: string, data: unknown): boolean => write(`event: ${event}\ndata: ${jsonOf(data)}\n\n`),
    onRoom: (next: () => void): void => {
      listener = next;
    },
    signal: ended.signal,
    end: (): void => {
      response.end();
      // Who does not read would not hear of it.
      setTimeout(() => response.destroy(), ENDING_MS).unref();
    },
  };
}

// As many as a browser opens to one server, but for one that requests go by, are of one login.
const usual = { most: 100, each: 5 };

/** Keeps the streams, so that no one takes the room of all. */
export function keepStreams({ most, each } = usual) {
  const open = new Map<Stream, Viewer>();
  // Where nobody logs in, all are the same.
  const ownOf = (viewer: Viewer): readonly Stream[] =>
    viewer.by === undefined ? [] : [...open].flatMap(([stream, by]) => (by === viewer ? [stream] : []));
  return {
    /** Says why there is no room for one more; undefined when there is. */
    full: (viewer: Viewer): string | undefined =>
      open.size < most || ownOf(viewer).length >= each
        ? undefined
        : `Too many open pages (at most ${most}). Close one.`,
    /** Keeps one until it ends. Of too many of one login the first ends: the other side of it may be long gone. */
    keep: (viewer: Viewer, stream: Stream): void => {
      const own = ownOf(viewer);
      open.set(stream, viewer);
      stream.signal.addEventListener('abort', () => open.delete(stream));
      if (own.length >= each) own[0]?.end();
    },
  };
}

// Within a text of JSON alone: in all else there is none.
const TURNING = /\p{Bidi_Control}/gu;

/** Writes JSON for the page, without what would turn the direction of a text, and show it in another order than it is in. */
const jsonOf = (value: unknown): string => JSON.stringify(value).replaceAll(TURNING, '');

/** Answers with JSON. */
export function end(response: ServerResponse, status: number, body: unknown): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.end(jsonOf(body));
}

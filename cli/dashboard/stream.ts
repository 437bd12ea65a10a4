import type { ServerResponse } from 'node:http';
import { jsonOf } from './end.ts';

/** One who looks: told events, as far as they read them. */
export interface Stream {
  /** Tells an event. False: nothing is told, because what came before has not been read yet. */
  readonly send: (event: string, data: unknown) => boolean;
  /** Called when there is room again. */
  readonly onRoom: (listener: () => void) => void;
  readonly signal: AbortSignal;
  readonly end: () => void;
}

/** How often a word is sent where nothing happens, so that both sides notice when the other is gone. */
const BEAT_MS = 15_000;
/** How long what was sent may stay unread. */
const UNREAD_MS = 60_000;

/** How long what was sent last may take to arrive when the stream ends. */
const ENDING_MS = 1_000;

/** How long a stream waits. */
export interface StreamTiming {
  readonly beatMs: number;
  readonly unreadMs: number;
}

/** Makes a stream of Server-Sent Events of an answer. Who does not read is told nothing more, and is let go after a while. */
export function openStream(
  response: ServerResponse,
  { beatMs, unreadMs }: StreamTiming = { beatMs: BEAT_MS, unreadMs: UNREAD_MS },
): Stream {
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
    send: (event, data) => write(`event: ${event}\ndata: ${jsonOf(data)}\n\n`),
    onRoom: (next) => {
      listener = next;
    },
    signal: ended.signal,
    end: () => {
      response.end();
      // Who does not read would not hear of it.
      setTimeout(() => response.destroy(), ENDING_MS).unref();
    },
  };
}

import type { Stream } from './stream.ts';
import type { Viewer } from './viewer.ts';

/** How many look at once. */
export interface StreamLimits {
  readonly most: number;
  /** Of one login. */
  readonly each: number;
}

/** As many as a browser opens to one server, but for one that requests go by. */
const usual: StreamLimits = { most: 100, each: 5 };

/** The streams that are open. */
export interface Streams {
  /** Says why there is no room for one more; undefined when there is. */
  readonly full: (viewer: Viewer) => string | undefined;
  /** Keeps one until it ends. Of too many of one login the first ends: the other side of it may be long gone. */
  readonly keep: (viewer: Viewer, stream: Stream) => void;
}

/** Keeps the streams, so that no one takes the room of all. */
export function keepStreams({ most, each }: StreamLimits = usual): Streams {
  const open = new Map<Stream, Viewer>();
  // Where nobody logs in, all are the same.
  const ownOf = (viewer: Viewer): readonly Stream[] =>
    viewer.by === undefined ? [] : [...open].flatMap(([stream, by]) => (by === viewer ? [stream] : []));
  return {
    full: (viewer) =>
      open.size < most || ownOf(viewer).length >= each
        ? undefined
        : `Expected at most ${most} who look at once, got more. Close a page.`,
    keep: (viewer, stream) => {
      const own = ownOf(viewer);
      open.set(stream, viewer);
      stream.signal.addEventListener('abort', () => open.delete(stream));
      if (own.length >= each) own[0]?.end();
    },
  };
}

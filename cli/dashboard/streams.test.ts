import { describe, expect, it } from 'vitest';
import { openHub, type Viewer } from './hub.ts';
import { keepStreams, type Stream } from './stream.ts';
import { aWorld } from './testing/world.ts';

function viewer(by: string | undefined): Viewer {
  const { session } = aWorld();
  const { signal } = new AbortController();
  const hub = openHub({
    kubernetes: session.kubernetes,
    namespaces: [],
    now: Date.now,
    signal: AbortSignal.abort(),
  });
  return { session, hub, signal, by };
}

function stream(): Stream {
  const ended = new AbortController();
  return {
    send: () => true,
    onRoom: () => undefined,
    signal: ended.signal,
    end: () => ended.abort(),
  };
}

describe('those who look', () => {
  it('take no room but their own: of too many of one login the first ends', () => {
    const streams = keepStreams({ most: 3, each: 2 });
    const [ann, bob] = [viewer('ann'), viewer('bob')];
    const of = [stream(), stream(), stream()];
    for (const one of of) {
      expect(streams.full(ann)).toBeUndefined();
      streams.keep(ann, one);
    }
    expect(of.map(({ signal }) => signal.aborted)).toEqual([true, false, false]);
    expect(streams.full(bob)).toBeUndefined();
  });

  it('are only so many, and one who leaves makes room', () => {
    const streams = keepStreams({ most: 2, each: 2 });
    const nobody = viewer(undefined);
    const [first, second] = [stream(), stream()];
    streams.keep(nobody, first);
    streams.keep(nobody, second);
    expect(streams.full(nobody)).toBe('Too many open pages (at most 2). Close one.');
    first.end();
    expect([streams.full(nobody), second.signal.aborted]).toEqual([undefined, false]);
  });
});

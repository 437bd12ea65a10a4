import { afterEach, beforeEach, expect, it, vi } from 'vitest';

// It is made for browsers, whose types nothing else here knows.
const { follow } = (await import(new URL('assets/server.mjs', import.meta.url).href)) as {
  readonly follow: (
    query: string,
    follower: {
      readonly told: (event: string, data: unknown) => void;
      readonly live: (is: boolean) => void;
      readonly strange: () => void;
      readonly signal: AbortSignal;
    },
  ) => Promise<void>;
};

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('sessionStorage', { getItem: () => 'key' });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('is not live before the server has answered', async () => {
  vi.stubGlobal(
    'fetch',
    (_path: string, { signal }: { readonly signal: AbortSignal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('left')));
      }),
  );
  const live: boolean[] = [];
  const leaving = new AbortController();
  const following = follow('view=cells', {
    told: () => undefined,
    live: (is) => live.push(is),
    strange: () => undefined,
    signal: leaving.signal,
  });
  expect(live).toEqual([false]);
  leaving.abort();
  await following;
});

it('begins a stream again of which nothing is heard any more, and says meanwhile that it is not live', async () => {
  const streams: ReadableStreamDefaultController<Uint8Array>[] = [];
  vi.stubGlobal('fetch', (_path: string, { signal }: { readonly signal: AbortSignal }) => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        streams.push(controller);
        signal.addEventListener('abort', () => controller.error(signal.reason));
      },
    });
    return Promise.resolve(new Response(body));
  });
  const live: boolean[] = [];
  const leaving = new AbortController();
  const told: unknown[] = [];
  const following = follow('view=cells', {
    told: (event, data) => told.push([event, data]),
    live: (is) => live.push(is),
    strange: () => undefined,
    signal: leaving.signal,
  });
  await vi.advanceTimersByTimeAsync(30_000);
  streams[0]?.enqueue(new TextEncoder().encode(': nothing new\n\n'));
  await vi.advanceTimersByTimeAsync(30_000);
  expect(live).toEqual([false, true]);
  await vi.advanceTimersByTimeAsync(12_500);
  expect(live).toEqual([false, true, false, true]);
  streams[1]?.enqueue(new TextEncoder().encode('event: head\ndata: {}\n\n'));
  await vi.advanceTimersByTimeAsync(1);
  expect(told).toEqual([['head', {}]]);
  leaving.abort();
  await following;
});

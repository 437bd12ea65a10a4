import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { POD } from './kinds.ts';
import type { Send } from './kubernetes-transport.ts';
import { watchKind } from './kubernetes-list.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Watches what comes in these pieces, one each ten seconds, and says how it ends and after how long. */
async function watched(pieces: (index: number) => string) {
  let sent = 0;
  const send: Send = async ({ signal }) => {
    async function* body() {
      for (;;) {
        await new Promise<void>((resolve, reject) => {
          setTimeout(resolve, 10_000);
          signal.addEventListener('abort', () => reject(new Error('given up')), { once: true });
        });
        yield Buffer.from(pieces(sent));
        sent += 1;
      }
    }
    return await Promise.resolve(Readable.from(body()));
  };
  const stop = new AbortController();
  const events: string[] = [];
  const watching = (async () => {
    const options = { resourceVersion: '1', signal: stop.signal };
    for await (const { type } of watchKind(send, POD, options)) events.push(type);
  })();
  const ended = watching.catch((error: unknown) => (error instanceof Error ? error.message : ''));
  await vi.advanceTimersByTimeAsync(300_000);
  stop.abort();
  return { events, sent, said: await ended };
}

const event = `${JSON.stringify({ type: 'ADDED', object: { metadata: { name: 'a' } } })}\n`;

it('continues as long as events come as a whole', async () => {
  const { events, sent } = await watched((index) => (index % 8 === 7 ? event : ''.padEnd(index % 2, '\n')));
  expect(events).toHaveLength(3);
  expect(sent).toBeGreaterThan(25);
});

it('is given up when one comes byte by byte, and to no end', async () => {
  const { events, sent, said } = await watched((index) => (index === 0 ? event : '{'));
  expect(events).toEqual(['ADDED']);
  expect(sent).toBeLessThan(12);
  expect(said).toContain('The watch was silent for 90000 ms');
});

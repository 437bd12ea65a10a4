import { describe, expect, it } from 'vitest';
import { linesOf, textOf } from './kubernetes-answer.ts';

/** What comes in pieces, each when the test wants it. */
function aStream() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>(undefined, {
    highWaterMark: 100,
  });
  const writer = writable.getWriter();
  return { readable, write: (text: string) => writer.write(Buffer.from(text)), end: () => writer.close() };
}

/** Lets everything be read that has come. */
const read = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function everything(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

describe('what is held at once of answers', () => {
  it('is of all that have not come as a whole, and none of those that have', async () => {
    const held = [{ bytes: 0, most: 100 }];
    const [a, b] = [aStream(), aStream()];
    const reading = [a, b].map(({ readable }) => textOf(readable, { name: 'x', most: 90, held }));
    await a.write('a'.repeat(40));
    await b.write('b'.repeat(50));
    await read();
    expect(held[0]?.bytes).toBe(90);
    await a.end();
    expect(await reading[0]).toBe('a'.repeat(40));
    expect(held[0]?.bytes).toBe(50);
    await b.write('b'.repeat(40));
    await b.end();
    expect(await reading[1]).toBe('b'.repeat(90));
    expect(held[0]?.bytes).toBe(0);
  });

  it.each([
    ['of a cluster', 60, 100],
    ['of all clusters of a namespace', 100, 60],
  ])('is no more than there may be %s: what comes then is given up', async (_, cluster, namespace) => {
    const held = [cluster, namespace].map((most) => ({ bytes: 0, most }));
    const [a, b] = [aStream(), aStream()];
    const first = textOf(a.readable, { name: 'x', most: 90, held });
    const second = textOf(b.readable, { name: 'x', most: 90, held });
    await a.write('a'.repeat(40));
    await read();
    b.write('b'.repeat(21)).catch(() => undefined);
    await expect(second).rejects.toMatchObject({
      reason: 'AnswerTooLarge',
      message: expect.stringContaining('Expected no more than 60 bytes at once in answer to x'),
    });
    expect(held.map(({ bytes }) => bytes)).toEqual([40, 40]);
    await a.end();
    expect(await first).toHaveLength(40);
    expect(held.map(({ bytes }) => bytes)).toEqual([0, 0]);
  });

  it('is of an event as long as it has no end', async () => {
    const held = [{ bytes: 0, most: 100 }];
    const stream = aStream();
    const reading = everything(linesOf(stream.readable, { name: 'x', lineBytes: 90, allBytes: 900, held }));
    await stream.write(`${'a'.repeat(80)}\n${'b'.repeat(30)}`);
    await read();
    expect(held[0]?.bytes).toBe(30);
    await stream.write(`\n`);
    await stream.end();
    expect(await reading).toEqual(['a'.repeat(80), 'b'.repeat(30)]);
    expect(held[0]?.bytes).toBe(0);
  });

  it('is nothing of a stream that is given up', async () => {
    const held = [{ bytes: 0, most: 100 }];
    const stream = aStream();
    const lines = linesOf(stream.readable, { name: 'x', lineBytes: 90, allBytes: 900, held });
    stream.write(`a\n${'b'.repeat(91)}`).catch(() => undefined);
    await expect(everything(lines)).rejects.toMatchObject({ reason: 'AnswerTooLarge' });
    expect(held[0]?.bytes).toBe(0);
  });
});

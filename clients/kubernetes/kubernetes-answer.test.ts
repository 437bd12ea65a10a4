import { describe, expect, it } from 'vitest';
import { linesOf, textOf } from './kubernetes-answer.ts';
import { countUnfinished, type Unfinished } from './unfinished.ts';

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

const tenant = (cluster: string, namespace = 'shop') => ({ cluster, namespace, name: cluster });

/** Begins to read an answer, or the lines of a watch, and gives what is read. */
const answerOf = (unfinished: Unfinished, most = 90) => {
  const stream = aStream();
  return { ...stream, read: textOf(stream.readable, { name: 'GET /x', most, unfinished }) };
};
const watchOf = (unfinished: Unfinished) => {
  const stream = aStream();
  const lines = linesOf(stream.readable, { name: 'a watch of /x', lineBytes: 90, allBytes: 900, unfinished });
  return { ...stream, read: everything(lines) };
};

describe('what is held at once of answers', () => {
  it('is of those that have not come as a whole', async () => {
    const of = countUnfinished({ cluster: 100, namespace: 100 });
    const [a, b] = [answerOf(of(tenant('a'))), answerOf(of(tenant('a')))];
    await a.write('a'.repeat(40));
    await b.write('b'.repeat(50));
    await a.end();
    expect(await a.read).toBe('a'.repeat(40));
    await b.write('b'.repeat(40));
    await b.end();
    expect(await b.read).toBe('b'.repeat(90));
  });

  it('is no more than there may be of a cluster: the largest is given up, and the others go on', async () => {
    const of = countUnfinished({ cluster: 100, namespace: 200 });
    const [large, small, other] = [of(tenant('a')), of(tenant('a')), of(tenant('b'))].map((one) =>
      answerOf(one),
    );
    await large?.write('a'.repeat(60));
    await other?.write('c'.repeat(80));
    await read();
    await small?.write('b'.repeat(50));
    await small?.end();
    expect(await small?.read).toHaveLength(50);
    await large?.end();
    await expect(large?.read).rejects.toMatchObject({
      reason: 'TooMuchHeld',
      message: expect.stringMatching(
        /^Expected to hold at most 100 bytes at once of answers of cluster a that/,
      ),
    });
    await other?.end();
    expect(await other?.read).toHaveLength(80);
  });

  it('is no more than there may be of a namespace: that cluster gives up which holds the most', async () => {
    const of = countUnfinished({ cluster: 100, namespace: 210 });
    const [first, second] = [watchOf(of(tenant('hostile'))), watchOf(of(tenant('hostile')))];
    const large = answerOf(of(tenant('honest')));
    const elsewhere = answerOf(of(tenant('elsewhere', 'bank')));
    await first.write('a'.repeat(40));
    await second.write('b'.repeat(50));
    await large.write('c'.repeat(85));
    await elsewhere.write('d'.repeat(90));
    await read();
    const honest = answerOf(of(tenant('late')));
    await honest.write('e'.repeat(80));
    await honest.end();
    expect(await honest.read).toHaveLength(80);
    await second.end();
    await expect(second.read).rejects.toMatchObject({
      reason: 'TooMuchHeld',
      message:
        'Expected to hold at most 210 bytes at once of answers of the clusters of namespace shop that have not come as a whole, got more, and most of them from cluster hostile. The answer to a watch of /x there is given up and asked for again. If that goes on, look whether it is the API server that answers there.',
    });
    for (const { end } of [large, elsewhere]) await end();
    expect(await large.read).toHaveLength(85);
    expect(await elsewhere.read).toHaveLength(90);
    await first.write('\n');
    await first.end();
    expect(await first.read).toEqual(['a'.repeat(40)]);
  });

  it('leaves room for a cluster beside any number of those whose events have no end', async () => {
    const of = countUnfinished();
    const never = new Promise<void>(() => undefined);
    async function* endless() {
      yield new Uint8Array(3_999_999);
      await never;
    }
    for (let watch = 0; watch < 40; watch += 1) {
      const unfinished = of(tenant(`hostile${watch % 10}`));
      const limits = { name: 'a watch', lineBytes: 4_000_000, allBytes: 256_000_000, unfinished };
      linesOf(endless(), limits)
        .next()
        .catch(() => undefined);
    }
    await read();
    async function* honest() {
      for (let piece = 0; piece < 60; piece += 1) yield await Promise.resolve(new Uint8Array(50_000));
    }
    const unfinished = of(tenant('honest'));
    expect(await textOf(honest(), { name: 'GET /x', most: 8_000_000, unfinished })).toHaveLength(3_000_000);
  });

  it('is what has just come, where that is of who holds the most', async () => {
    const of = countUnfinished({ cluster: 100, namespace: 100 });
    const [small, large] = [answerOf(of(tenant('a'))), answerOf(of(tenant('b')))];
    await small.write('a'.repeat(40));
    await read();
    large.write('b'.repeat(61)).catch(() => undefined);
    await expect(large.read).rejects.toMatchObject({ reason: 'TooMuchHeld' });
    await small.write('a'.repeat(50));
    await small.end();
    expect(await small.read).toHaveLength(90);
  });

  it('is of an event as long as it has no end', async () => {
    const of = countUnfinished({ cluster: 100, namespace: 100 });
    const watch = watchOf(of(tenant('a')));
    await watch.write(`${'a'.repeat(80)}\n${'b'.repeat(30)}`);
    await read();
    const answer = answerOf(of(tenant('a')));
    await answer.write('c'.repeat(70));
    await read();
    await watch.write('\n');
    await watch.end();
    expect(await watch.read).toEqual(['a'.repeat(80), 'b'.repeat(30)]);
    await answer.end();
    expect(await answer.read).toHaveLength(70);
  });

  it('is nothing of what is given up for another reason', async () => {
    const of = countUnfinished({ cluster: 100, namespace: 100 });
    const watch = watchOf(of(tenant('a')));
    watch.write(`a\n${'b'.repeat(91)}`).catch(() => undefined);
    await expect(watch.read).rejects.toMatchObject({ reason: 'AnswerTooLarge' });
    const answer = answerOf(of(tenant('a')), 100);
    await answer.write('c'.repeat(100));
    await answer.end();
    expect(await answer.read).toHaveLength(100);
  });
});

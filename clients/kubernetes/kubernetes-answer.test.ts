import { expect, it } from 'vitest';
import { linesOf, textOf } from './kubernetes-answer.ts';

async function* piecesOf(...texts: readonly string[]) {
  for (const text of texts) yield await Promise.resolve(Buffer.from(text));
}

async function everything(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

const watch = { name: 'a watch of /x', lineBytes: 90, allBytes: 900 };

it('reads an answer of several pieces up to its limit', async () => {
  const limits = { name: 'GET /x', most: 90 };
  const pieces = ['a'.repeat(50), 'b'.repeat(40)];
  expect(await textOf(piecesOf(...pieces), limits)).toBe(pieces.join(''));
  const longer = textOf(piecesOf(...pieces, 'c'), limits);
  await expect(longer).rejects.toMatchObject({ reason: 'AnswerTooLarge' });
});

it('reads events of several pieces, each up to its limit', async () => {
  const lines = linesOf(piecesOf(`${'a'.repeat(80)}\n${'b'.repeat(30)}`, `${'b'.repeat(60)}\n`), watch);
  expect(await everything(lines)).toEqual(['a'.repeat(80), 'b'.repeat(90)]);
});

it('gives up an event that does not end', async () => {
  const lines = everything(linesOf(piecesOf('a\n', 'b'.repeat(60), 'b'.repeat(31)), watch));
  await expect(lines).rejects.toMatchObject({ reason: 'AnswerTooLarge' });
});

it('gives up a watch of too many events', async () => {
  const lines = everything(linesOf(piecesOf(...Array.from({ length: 91 }, () => 'abcdefghi\n')), watch));
  await expect(lines).rejects.toMatchObject({ reason: 'AnswerTooLarge' });
});

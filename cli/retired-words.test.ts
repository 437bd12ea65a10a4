import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** What the texts of the programs do not say any more, since a reader has to guess what is meant. */
const retired = [
  /Expected .*, got/,
  /\bthe whole weight\b/,
  /\beverything back\b/,
  /\b(?:is|are) tried again\b/,
  /\bgoes on\b/,
  /\bNobody has\b/,
  /\blooked at\b/,
  /\bAsked for\b/,
  /\bas things are\b/,
];

const sources = globSync('**/*.{ts,mjs}', { cwd: import.meta.dirname }).filter(
  (path) => !path.endsWith('.test.ts') && !/(?:^|\/)testing\//.test(path),
);

/** The lines of a file that are no comments. */
const linesOf = (path: string): readonly string[] =>
  readFileSync(join(import.meta.dirname, path), 'utf8')
    .split('\n')
    .filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line));

it.each(retired)('no text of the programs says %s', (words) => {
  const found = sources.flatMap((path) =>
    linesOf(path)
      .filter((line) => words.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** What the texts of the programs do not say any more, since a reader has to guess what is meant. */
const retired = [
  /Expected .*, got/,
  /\bthe whole weight\b/,
  /\beverything back\b/,
  /\b(?:is|are) tried again\b/,
  /\b[Gg]o(?:es|ing)? on\b/,
  /\bis not seen to be\b/,
  /\bbelongs to someone else\b/,
  /\bNobody has\b/,
  /\blooked at\b/,
  /\bAsked for\b/,
  /\bas things are\b/,
];

const root = join(import.meta.dirname, '../..');
const rooms = 'activities,cli,clients,config,crds,deploy,domain,watchers,workflows';
const sources = [...globSync(`{${rooms}}/**/*.{ts,mjs,tpl}`, { cwd: root }), 'worker.ts'].filter(
  (path) => !path.endsWith('.test.ts') && !/\/testing\//.test(path),
);

/** Compares two values, or is an error of the program that no user sees. */
const allowed = /Expected \$\{expected\}, got|TypeError\(|Expected every case to be handled/;

/** The lines of a file that are no comments. */
const linesOf = (path: string): readonly string[] =>
  readFileSync(join(root, path), 'utf8')
    .split('\n')
    .filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line) && !allowed.test(line));

it.each(retired)('no text of the programs says %s', (words) => {
  const found = sources.flatMap((path) =>
    linesOf(path)
      .filter((line) => words.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});

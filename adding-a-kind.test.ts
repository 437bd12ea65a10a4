import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = import.meta.dirname;
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** The files of the example: how the documentation calls each, and where its code is that kinds.test.ts runs. */
const example: Readonly<Record<string, string>> = {
  'crds/tally.ts': 'test/examples/tally/tally.ts',
  'activities/discovery/tally.ts': 'test/examples/tally/tally-sync.ts',
};

const page = read('docs/adding-a-kind.md');

/** The files that the page has written or changed, each with its code. */
const steps = [...page.matchAll(/^### \d\. `([^`]+)`\n(.*?)```ts\n(.*?)\n```$/gms)].map(
  ([, file = '', , code = '']) => ({ file, code }),
);

/** Code whose imports are named from the top, so that it is the same wherever the file is. */
const fromTop = (code: string, file: string): string =>
  code.replaceAll(/(?<=from ')\.[^']+/g, (specifier) => {
    const path = posix.join(posix.dirname(file), specifier);
    const [name] = Object.entries(example).find(([, place]) => place === path) ?? [path];
    return name;
  });

describe('docs/adding-a-kind.md', () => {
  it('needs no more than four files for a kind that is synced', () => {
    expect(steps.map(({ file }) => file)).toEqual([
      'crds/tally.ts',
      'crds/index.ts',
      'activities/discovery/tally.ts',
      'activities/index.ts',
    ]);
  });

  it.each(Object.entries(example))('shows the code of %s that is tested', (file, place) => {
    const shown = steps.find((step) => step.file === file)?.code ?? '';
    expect(fromTop(shown, file)).toBe(fromTop(read(place).trimEnd(), place));
  });

  it.each(steps.filter(({ file }) => !(file in example)))('adds to a file that there is: $file', ({ file }) =>
    expect(existsSync(join(root, file))).toBe(true),
  );
});

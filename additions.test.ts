import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = import.meta.dirname;
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** The files of the examples: how the documentation calls each, and where its code is that kinds.test.ts and load-balancers.test.ts run. */
const example: Readonly<Record<string, string>> = {
  'crds/tally.ts': 'test/examples/tally/tally.ts',
  'activities/discovery/tally.ts': 'test/examples/tally/tally-sync.ts',
  'crds/route-53-config.ts': 'test/examples/route-53/route-53-config.ts',
  'domain/load-balancers/route-53/route-53.ts': 'test/examples/route-53/route-53-kind.ts',
  'activities/load-balancers/route-53/route-53.ts': 'test/examples/route-53/route-53.ts',
};

/** The files that a page has written or changed, each with its code. */
const stepsOf = (page: string) =>
  [...read(page).matchAll(/^### \d\. `([^`]+)`\n(.*?)```ts\n(.*?)\n```$/gms)].map(
    ([, file = '', , code = '']) => ({ file, code }),
  );

const steps = ['docs/adding-a-kind.md', 'docs/load-balancers.md'].flatMap(stepsOf);

/** Code whose imports are named from the top, so that it is the same wherever the file is. */
const fromTop = (code: string, file: string): string =>
  code.replaceAll(/(?<=from ')\.[^']+/g, (specifier) => {
    const path = posix.join(posix.dirname(file), specifier);
    const [name] = Object.entries(example).find(([, place]) => place === path) ?? [path];
    return name;
  });

describe('the documentation of an example', () => {
  it.each(Object.entries(example))('shows the code of %s that is tested', (file, place) => {
    const shown = steps.find((step) => step.file === file)?.code ?? '';
    expect(fromTop(shown, file)).toBe(fromTop(read(place).trimEnd(), place));
  });
});

/** What may be added, where that is shown, and how many files it may take. */
const additions = [
  ['a kind that is synced', 'docs/adding-a-kind.md', 4],
  // Its schema, what decisions know of it, and its calls; and the table of each of the three rooms.
  ['a kind of load balancer', 'docs/load-balancers.md', 6],
  ['a provider of clusters', 'docs/discovery/cluster-set.md', 2],
  ['a request', 'docs/gates/requests-and-history.md', 3],
] as const;

describe.each(additions)('%s', (_, page, most) => {
  it(`takes no more than ${most} files, of which those that are not new are there`, () => {
    const files = stepsOf(page).map(({ file }) => file);
    expect(files).toHaveLength(most);
    expect(files.filter((file) => !(file in example) && !existsSync(join(root, file)))).toEqual([]);
  });
});

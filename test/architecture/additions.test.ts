import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documentedFiles, type DocumentedFile } from '../support/documented-files.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** The files of the examples: how the documentation calls each, and where its code is that kinds.test.ts and load-balancers.test.ts run. */
const example: Readonly<Record<string, string>> = {
  'crds/tally.ts': 'test/examples/tally/tally.ts',
  'activities/discovery/tally.ts': 'test/examples/tally/tally-sync.ts',
  'crds/load-balancers/route-53.ts': 'test/examples/route-53/route-53-schemas.ts',
  'domain/load-balancers/route-53/route-53.ts': 'test/examples/route-53/route-53-kind.ts',
  'activities/load-balancers/route-53/route-53.ts': 'test/examples/route-53/route-53.ts',
};

/** What the examples import and the documentation does not show: what the tests have in its place. */
const standIns: Readonly<Record<string, string>> = {
  'clients/aws/route-53.ts': 'test/examples/route-53/route-53-records.ts',
};

const steps = ['docs/adding-a-kind.md', 'docs/adding-a-load-balancer.md'].flatMap(documentedFiles);

const SPECIFIER = /(?<=from ')\.[^']+/g;
const fileAt = (specifier: string, from: string): string => posix.join(posix.dirname(from), specifier);

/** Code whose imports are named from the top, so that it is the same wherever the file is. */
const fromTop = (code: string, file: string): string =>
  code.replaceAll(SPECIFIER, (specifier) => {
    const path = fileAt(specifier, file);
    const [name] = Object.entries({ ...example, ...standIns }).find(([, place]) => place === path) ?? [path];
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
  // Its schemas, what decisions know of it, and its calls; and the client that these are made by, where it is a new one.
  ['a kind of load balancer', 'docs/adding-a-load-balancer.md', 4],
  ['a request', 'docs/adding-a-request.md', 3],
] as const;

const isThere = (file: string): boolean => existsSync(join(root, file));

/** The files that are imported by those that a page shows, and that neither it nor the project has. */
const lackedBy = (shown: readonly DocumentedFile[]): readonly string[] => {
  const imported = shown.flatMap(({ file, code }) =>
    (code.match(SPECIFIER) ?? []).map((specifier) => fileAt(specifier, file)),
  );
  return [...new Set(imported)].filter((one) => !isThere(one) && shown.every(({ file }) => file !== one));
};

describe.each(additions)('%s', (_, page, most) => {
  const shown = documentedFiles(page);

  it(`takes no more than ${most} files, with those that are imported and not shown`, () => {
    expect([...shown.map(({ file }) => file), ...lackedBy(shown)]).toHaveLength(most);
  });

  it('has those that are not new where the documentation says', () => {
    expect(shown.map(({ file }) => file).filter((file) => !(file in example) && !isThere(file))).toEqual([]);
    expect(lackedBy(shown).filter((file) => !(file in standIns))).toEqual([]);
  });
});

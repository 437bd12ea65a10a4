import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import semver from 'semver';
import { describe, expect, it } from 'vitest';
import { lowestNode } from '../../local/tools.mjs';

interface Package {
  readonly engines?: { readonly node?: string };
  readonly dev?: boolean;
  readonly version?: string;
}

const read = (file: string): string => readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
const { engines, devDependencies } = JSON.parse(read('package.json')) as {
  readonly engines: { readonly node: string };
  readonly devDependencies: Readonly<Record<string, string>>;
};
const { packages } = JSON.parse(read('package-lock.json')) as {
  readonly packages: Readonly<Record<string, Package>>;
};

/** What each package wants that okrad runs with. */
const wanted = Object.entries(packages).flatMap(([path, { engines: of, dev = false }]) =>
  path === '' || dev || of?.node === undefined ? [] : [[path, of.node] as const],
);

const lowest = semver.minVersion(engines.node)?.version ?? '';
const inWords = (version: string): string => version.replace(/[.]0$/, '');

describe('the releases of Node.js that package.json names', () => {
  it.each(wanted)('are all taken by %s, which wants %s', (_, range) => {
    expect(semver.subset(engines.node, range)).toBe(true);
  });

  it('have among them the one that the scripts bring', () => {
    expect(semver.satisfies(devDependencies['node'] ?? '', engines.node)).toBe(true);
  });

  it('are the same in the lock file', () => {
    expect(packages['']?.engines?.node).toBe(engines.node);
  });

  it.each([
    ['README.md', lowest, `Node.js ${inWords(lowest)}`],
    ['README.md', lowestNode, `Node.js ${inWords(lowestNode)}`],
    ['docs/local-stack.md', lowestNode, `Node ≥ ${inWords(lowestNode)}`],
  ])('%s says so of %s', (file, _, want) => expect(read(file)).toContain(want));
});

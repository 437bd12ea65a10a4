import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BUNDLED_BY, BUNDLED_FROM, bundleFolder, bundleKey, keptBundle } from './bundle-cache.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'okra-bundles-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

describe('a bundle that is kept', () => {
  /** Bundles, and counts how often. */
  const bundler = () => {
    let made = 0;
    return { bundle: () => Promise.resolve(`code ${(made += 1)}\n`), made: () => made };
  };

  const is = (key: string | undefined) => (): Promise<string | undefined> => Promise.resolve(key);

  it('is made once for a key', async () => {
    const { bundle, made } = bundler();
    const folder = join(dir, 'of', 'okra');
    expect(await keptBundle({ folder, keyOf: is('a') }, bundle)).toBe('code 1\n');
    expect(await keptBundle({ folder, keyOf: is('a') }, bundle)).toBe('code 1\n');
    expect(await keptBundle({ folder, keyOf: is('b') }, bundle)).toBe('code 2\n');
    expect(made()).toBe(2);
    expect(await readdir(folder)).toEqual(['a.js', 'b.js']);
  });

  it('is whole, whoever else makes it at the same time', async () => {
    const code = 'x'.repeat(1_000_000);
    const all = await Promise.all(
      Array.from({ length: 8 }, () =>
        keptBundle({ folder: dir, keyOf: is('a') }, () => Promise.resolve(code)),
      ),
    );
    expect(all.every((one) => one === code)).toBe(true);
    expect(await readdir(dir)).toEqual(['a.js']);
  });

  it.each([
    ['cut off', (text: string) => text.slice(0, -2)],
    ['empty', () => ''],
    ['another', (text: string) => text.replace('code', 'evil')],
  ])('is made again when what is kept is %s', async (_, spoil) => {
    const { bundle } = bundler();
    await keptBundle({ folder: dir, keyOf: is('a') }, bundle);
    const file = join(dir, 'a.js');
    await writeFile(file, spoil(await readFile(file, 'utf8')));
    expect(await keptBundle({ folder: dir, keyOf: is('a') }, bundle)).toBe('code 2\n');
    expect(await keptBundle({ folder: dir, keyOf: is('a') }, bundle)).toBe('code 2\n');
  });

  it('is made each time where it cannot be kept, or nothing is known of the packages', async () => {
    const { bundle } = bundler();
    const file = join(dir, 'file');
    await writeFile(file, '');
    expect(await keptBundle({ folder: join(file, 'below'), keyOf: is('a') }, bundle)).toBe('code 1\n');
    expect(await keptBundle({ folder: join(file, 'below'), keyOf: is('a') }, bundle)).toBe('code 2\n');
    expect(await keptBundle({ folder: dir, keyOf: is(undefined) }, bundle)).toBe('code 3\n');
  });

  it('is not kept when its sources were edited while it was made', async () => {
    const { bundle } = bundler();
    const keys = ['before', 'after'];
    expect(await keptBundle({ folder: dir, keyOf: () => Promise.resolve(keys.shift()) }, bundle)).toBe(
      'code 1\n',
    );
    expect(await readdir(dir)).toEqual([]);
  });

  it('goes after a month', async () => {
    const { bundle } = bundler();
    await keptBundle({ folder: dir, keyOf: is('old') }, bundle);
    await utimes(join(dir, 'old.js'), new Date(0), new Date(0));
    await keptBundle({ folder: dir, keyOf: is('new') }, bundle);
    expect(await readdir(dir)).toEqual(['new.js']);
  });

  it('lies with what else the user has cached', () => {
    expect(bundleFolder({ XDG_CACHE_HOME: '/caches' })).toBe('/caches/okra/workflows');
    expect(bundleFolder({})).toBe(join(homedir(), '.cache/okra/workflows'));
  });
});

describe('the key of a bundle', () => {
  const installed = (): string => join(dir, 'node_modules/.package-lock.json');
  beforeEach(async () => {
    for (const part of [...BUNDLED_FROM, 'node_modules'])
      await mkdir(join(dir, part, 'deep'), { recursive: true });
    await mkdir(join(dir, 'clients/temporal'), { recursive: true });
    for (const path of BUNDLED_BY) await writeFile(join(dir, path), '');
    await writeFile(installed(), '{}');
    await writeFile(join(dir, 'domain/deep/one.ts'), 'export const one = 1;');
  });

  it('stays while nothing changes, and when a test does', async () => {
    const key = await bundleKey(dir);
    await writeFile(join(dir, 'domain/deep/one.test.ts'), 'it();');
    expect(await bundleKey(dir)).toBe(key);
  });

  it.each([
    ['a source', () => writeFile(join(dir, 'domain/deep/one.ts'), 'export const one = 2;')],
    ['the list of sources', () => writeFile(join(dir, 'workflows/two.ts'), '')],
    ['a package', () => writeFile(installed(), '{ }')],
    ['what bundles them', () => writeFile(join(dir, BUNDLED_BY[0]), 'export const other = 1;')],
  ])('is another when %s changes', async (_, change) => {
    const key = await bundleKey(dir);
    await change();
    expect(await bundleKey(dir)).not.toBe(key);
  });

  it('is none where it cannot be said which packages are installed', async () => {
    await rm(installed());
    expect(await bundleKey(dir)).toBeUndefined();
  });
});

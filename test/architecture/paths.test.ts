import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
const pages = files.filter((file) => file.endsWith('.md') && file !== 'CHANGELOG.md');
const named =
  /`((?:activities|cli|clients|config|crds|deploy|domain|local|test|watchers|workflows)\/[\w./-]+)`/g;
/** Files that pages have a reader write, and that tests have as examples. */
const examples = new Set(
  files.filter((file) => file.startsWith('test/examples/')).map((file) => basename(file)),
);

it('the files and folders that pages name exist', () => {
  const gone = pages.flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(named)]
      .map(([, path = '']) => path.replace(/\/$/, ''))
      .filter((path) => !files.some((file) => file === path || file.startsWith(`${path}/`)))
      .filter((path) => !examples.has(basename(path)))
      .map((path) => `${page}: ${path}`),
  );
  expect(gone).toEqual([]);
});

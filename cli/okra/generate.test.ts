import { expect, it } from 'vitest';
import { page, stale } from './generate.ts';

it('keeps the page of commands fresh', () => expect(stale()).toEqual([]));

it('says of each command what it does, and of each of its options what it means', () => {
  const said = page();
  expect(said).toContain('    okra sync cell [options] [name]');
  expect(said).toContain('| `--dry-run` | write nothing, and print what would be written |');
  expect(said).not.toMatch(/\| +\|$/m);
});

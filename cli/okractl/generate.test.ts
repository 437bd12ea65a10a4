import { expect, it } from 'vitest';
import { page, stale } from './generate.ts';

it('keeps the page of commands fresh', () => expect(stale()).toEqual([]));

it('says of each command what it does, and of each of its options what it means', () => {
  const said = page();
  expect(said).toContain('    okractl abort [options] <name>');
  expect(said).toContain(
    '| `--to <version>` | the version of the Cell, or the stage of the StagedBindingPolicy (required) |',
  );
  expect(said).not.toMatch(/\| +\|$/m);
});

import { expect, it } from 'vitest';
import { files } from './commands.ts';
import { staleIn } from './files.ts';

it('keeps the pages of commands fresh', () => expect(staleIn(files())).toEqual([]));

it.each([
  [
    'okractl',
    [
      '    okractl abort [options] <name>',
      '| `--to <version>` | the version of the Cell, or the stage of the StagedBindingPolicy (required) |',
    ],
  ],
  [
    'okra',
    ['    okra sync cell [options] [name]', '| `--dry-run` | write nothing; print what would be written |'],
  ],
])('says of each command of %s what it does, and of each of its options what it means', (name, lines) => {
  const [, page = ''] = [...files()].find(([path]) => path.endsWith(`/${name}.md`)) ?? [];
  for (const line of lines) expect(page).toContain(line);
  expect(page).not.toMatch(/\| +\|$/m);
});

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { leavesOf, wordsOf } from './help.ts';
import { examples as ofOkra } from './okra/examples.ts';
import { okra } from './okra/program.ts';
import type { OkraShell } from './okra/shell.ts';
import { examples as ofOkractl } from './okractl/examples.ts';
import { okractl } from './okractl/program.ts';
import type { Shell } from './okractl/shell.ts';
import { runOkractl } from './okractl/testing/shell.ts';

const programs = [
  { name: 'okractl', program: okractl({} as Shell, '1.2.3'), examples: ofOkractl },
  { name: 'okra', program: okra({} as OkraShell, '1.2.3'), examples: ofOkra },
];

describe.each(programs)('the help of $name', ({ name, program, examples }) => {
  it('has examples for each command, and for no other', () => {
    const commands = leavesOf(program).map(wordsOf);
    expect(Object.keys(examples).toSorted()).toEqual(commands.toSorted());
  });

  it.each(leavesOf(program).map((command) => [wordsOf(command), command] as const))(
    'shows examples of %s with options that it has',
    (words, command) => {
      const known = [...command.options, ...program.options].flatMap(({ long, short }) => [long, short]);
      for (const line of examples[words] ?? []) {
        const [typed = ''] = line.split('#');
        const [before = ''] = typed.split(/[|>]/).filter((part) => part.includes(`${name} `));
        expect(before).toContain(`${name} ${words}`);
        for (const [option] of before.replaceAll(/"[^"]*"/g, '').matchAll(/(?<= )--?[a-z][a-z0-9-]*/g))
          expect(known).toContain(option);
      }
    },
  );

  it('says what each command does, in a sentence', () => {
    for (const command of leavesOf(program)) expect(command.description()).toMatch(/^[A-Z].{10,}\.$/);
  });

  it('does not repeat the global options', () => {
    for (const command of leavesOf(program)) expect(command.helpInformation()).not.toContain('--kubeconfig');
  });
});

it('lists the global options once', async () => {
  const { out, code } = await runOkractl(['options']);
  expect(code).toBe(0);
  for (const option of ['--namespace', '--context', '--kubeconfig', '--temporal-address'])
    expect(out).toContain(option);
  expect(out).not.toContain('--help');
});

it('ends with 2 where the command line of okrad is wrong', async () => {
  const okrad = join(import.meta.dirname, 'okrad.ts');
  const run = promisify(execFile)(process.execPath, [okrad, '--components', 'foo']);
  await expect(run).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('must be one or more of watchers, worker, dashboard') as unknown,
  });
});

import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const frame = pathToFileURL(join(import.meta.dirname, 'frame.ts')).href;

it('writes nothing to a terminal that it would take for a command', async () => {
  const program = `
    const { runCommandLine } = await import(${JSON.stringify(frame)});
    const make = (shell) => ({
      parseAsync: async () => {
        shell.print('of \\u001b]52;c;b3duZWQ=\\u0007 eve\\u009B2J\\nthe next line');
        shell.write('\\u001b[H what is drawn on purpose');
        shell.warn('by \\u001b]0;owned\\u0007 eve');
        throw new Error('taken back: \\u001b[2J\\u202Ereason');
      },
    });
    await runCommandLine({ name: 'okractl', make });
  `;
  const ended = await run(process.execPath, ['--input-type=module', '--eval', program]).catch(
    (error: unknown) => error,
  );
  expect(ended).toMatchObject({
    code: 1,
    stdout: 'of  ]52;c;b3duZWQ=  eve 2J\nthe next line\n\u001b[H what is drawn on purpose',
    stderr: 'by  ]0;owned  eve\nokractl: taken back:  [2J reason\n',
  });
});

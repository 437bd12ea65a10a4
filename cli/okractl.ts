#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { runCommandLine } from './frame.ts';
import { hasColours } from './okractl/colour.ts';
import { okractl } from './okractl/program.ts';
import { sessions } from './okractl/session.ts';
import { screenOf } from './okractl/shell.ts';
import { plain } from './terminal-text.ts';

const openers: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: 'open',
  win32: 'explorer',
};

const { open, close } = sessions();
const { stdin, stdout, stderr } = process;

async function confirm(question: string, signal: AbortSignal): Promise<boolean> {
  // The terminal itself makes a signal of Ctrl+C.
  const lines = createInterface({ input: stdin, output: stderr, terminal: false });
  // Who ends the input has not said yes.
  const ended = once(lines, 'close', { signal }).then(() => '');
  try {
    const answer = lines.question(`${plain(question)} [y/N] `, { signal });
    return /^y(es)?$/i.test((await Promise.race([answer, ended])).trim());
  } finally {
    ended.catch(() => undefined);
    lines.close();
  }
}

await runCommandLine({
  name: 'okractl',
  close,
  make: (shell, version) =>
    okractl(
      {
        ...shell,
        screen: screenOf(stdout),
        isColoured: (when = 'auto') =>
          when === 'always' || (when === 'auto' && hasColours(process.env, stdout)),
        session: open,
        confirm: stdin.isTTY && stderr.isTTY ? (question) => confirm(question, shell.signal) : undefined,
        browse: (url) => {
          const opener = spawn(openers[process.platform] ?? 'xdg-open', [url], {
            detached: true,
            stdio: 'ignore',
          });
          // Where there is no desktop the address has been printed all the same.
          opener.on('error', () => undefined);
          opener.unref();
        },
      },
      version,
    ),
});

#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { runCommandLine } from './frame.ts';
import { okractl } from './okractl/program.ts';
import { sessions } from './okractl/session.ts';

const openers: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: 'open',
  win32: 'explorer',
};

const { open, close } = sessions();
const { stdout } = process;

await runCommandLine({
  name: 'okractl',
  close,
  make: (shell, version) =>
    okractl(
      {
        ...shell,
        screen: stdout.isTTY ? { columns: () => stdout.columns, rows: () => stdout.rows } : undefined,
        session: open,
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

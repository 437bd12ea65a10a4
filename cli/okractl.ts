#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { CommanderError } from 'commander';
import { endingOf, exitCodes } from './okractl/exit.ts';
import { okractl } from './okractl/program.ts';
import { sessions } from './okractl/session.ts';
import type { Shell } from './okractl/shell.ts';

/** How long what is left over may keep the process when the command has ended, in milliseconds. */
const LEFT_OVER_MS = 1_000;

// As shells have it of a process that SIGINT has ended.
const INTERRUPTED = 130;

const openers: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: 'open',
  win32: 'explorer',
};

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

const interrupted = new AbortController();
const { open, close } = sessions();
const { stdout, stderr, stdin } = process;

const shell: Shell = {
  print: (text) => void stdout.write(`${text}\n`),
  warn: (text) => void stderr.write(`${text}\n`),
  write: (text) => void stdout.write(text),
  now: Date.now,
  screen: stdout.isTTY ? { columns: () => stdout.columns, rows: () => stdout.rows } : undefined,
  signal: interrupted.signal,
  read: (path) => (path === '-' ? textOf(stdin) : readFile(path, 'utf8')),
  filesAt: async (path) => {
    if (path === '-' || !(await stat(path)).isDirectory()) return [path];
    const names = await readdir(path, { recursive: true });
    return names
      .filter((name) => /[.](ya?ml|json)$/.test(name))
      .toSorted()
      .map((name) => join(path, name));
  },
  session: open,
  exitWith: (code) => {
    process.exitCode = code;
  },
  browse: (url) => {
    const opener = spawn(openers[process.platform] ?? 'xdg-open', [url], { detached: true, stdio: 'ignore' });
    // Where there is no desktop the address has been printed all the same.
    opener.on('error', () => undefined);
    opener.unref();
  },
};

// Who reads only the first lines wants no more.
stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    if (interrupted.signal.aborted) process.exit(INTERRUPTED);
    interrupted.abort();
    // What does not heed the signal is not waited for.
    setTimeout(() => process.exit(INTERRUPTED), LEFT_OVER_MS).unref();
  });
}

try {
  await okractl(shell, version()).parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has said what is wrong.
    process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.problems;
  } else if (!interrupted.signal.aborted) {
    const { message, code } = endingOf(error);
    stderr.write(`okractl: ${message}\n`);
    process.exitCode = code;
  }
} finally {
  if (interrupted.signal.aborted) process.exitCode = INTERRUPTED;
  await close();
  setTimeout(() => process.exit(), LEFT_OVER_MS).unref();
}

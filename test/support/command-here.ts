import type { Command } from 'commander';
import type { ProcessShell } from '../../cli/frame.ts';
import { endingOf } from '../../cli/okractl/shell.ts';

/** What came of a command line. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line in this process: a process of its own costs a hundred times as much. */
export async function runHere(
  make: (shell: ProcessShell) => Command,
  words: readonly string[],
): Promise<Ended> {
  const ended = { code: 0, out: '', err: '' };
  const program = make({
    print: (text) => void (ended.out += `${text}\n`),
    warn: (text) => void (ended.err += `${text}\n`),
    write: (text) => void (ended.out += text),
    now: Date.now,
    signal: new AbortController().signal,
    read: () => Promise.reject(new Error('Expected no file to be read.')),
    filesAt: (path) => Promise.resolve([path]),
    exitWith: (code) => void (ended.code = code),
  });
  await program.parseAsync(words, { from: 'user' }).catch((error: unknown) => {
    const { code, message } = endingOf(error);
    ended.code = code;
    ended.err += message;
  });
  return ended;
}

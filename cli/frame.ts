import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { Command, CommanderError } from 'commander';
import { endingOf, exitCodes, type Shell } from './okractl/shell.ts';
import { plain } from './terminal-text.ts';
import { version } from './version.ts';

/** How long what is left over may keep the process when the command has ended, in milliseconds. */
const LEFT_OVER_MS = 1_000;

// As shells have it of a process that SIGINT has ended.
const INTERRUPTED = 130;

/** What a command line has of its process. */
export type ProcessShell = Pick<
  Shell,
  'print' | 'warn' | 'write' | 'now' | 'signal' | 'read' | 'filesAt' | 'exitWith'
>;

export interface CommandLine {
  /** By which name it says what is wrong. */
  readonly name: string;
  readonly make: (shell: ProcessShell, version: string) => Command;
  readonly close?: () => Promise<void>;
  readonly words?: readonly string[];
}

/** A command that is run with its options, those of its program among them, and then with its words. */
export class Program extends Command {
  override createCommand(name?: string): Program {
    return new Program(name);
  }

  override action(run: (...all: unknown[]) => void | Promise<void>): this {
    // Commander gives the words, the options of the command alone, and the command.
    return super.action((...given: unknown[]) => run(this.optsWithGlobals(), ...given.slice(0, -2)));
  }
}

/** Gives a command line what all of Okra's have: where the objects are, and how help and errors are written. */
export const framed = (program: Command, shell: Pick<Shell, 'write' | 'warn'>): Command =>
  program
    .option('-n, --namespace <name>', 'the namespace; default: the namespace of the context')
    .option('--context <name>', 'the kubeconfig context')
    .option('--kubeconfig <path>', 'the kubeconfig file; default: KUBECONFIG')
    .configureOutput({
      writeOut: (text) => shell.write(text),
      writeErr: (text) => shell.warn(text.trimEnd()),
    })
    .showSuggestionAfterError()
    .exitOverride();

const { stdout, stderr, stdin } = process;

const shellUntil = (signal: AbortSignal): ProcessShell => ({
  // Part of what is said comes from servers, and from others who ask.
  print: (text) => void stdout.write(`${plain(text)}\n`),
  warn: (text) => void stderr.write(`${plain(text)}\n`),
  write: (text) => void stdout.write(text),
  now: Date.now,
  signal,
  read: (path) => (path === '-' ? textOf(stdin) : readFile(path, 'utf8')),
  filesAt: async (path) => {
    if (path === '-' || !(await stat(path)).isDirectory()) return [path];
    const names = await readdir(path, { recursive: true });
    return names
      .filter((name) => /[.](ya?ml|json)$/.test(name))
      .toSorted()
      .map((name) => join(path, name));
  },
  exitWith: (code) => {
    process.exitCode = code;
  },
});

/** Runs the command line of the process, and ends the process with its exit status. */
export async function runCommandLine({ name, make, close, words }: CommandLine): Promise<void> {
  const interrupted = new AbortController();
  // Who reads only the first lines wants no more.
  stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (interrupted.signal.aborted) process.exit(INTERRUPTED);
      interrupted.abort();
      // What does not heed the signal is not waited for.
      setTimeout(() => process.exit(INTERRUPTED), LEFT_OVER_MS).unref();
    });
  }
  try {
    const program = make(shellUntil(interrupted.signal), version());
    await program.parseAsync(words ?? process.argv.slice(2), { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has said what is wrong.
      process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.problems;
    } else if (!interrupted.signal.aborted) {
      const { message, code } = endingOf(error);
      stderr.write(`${plain(`${name}: ${message}`)}\n`);
      process.exitCode = code;
    }
  } finally {
    if (interrupted.signal.aborted) process.exitCode = INTERRUPTED;
    await close?.();
    setTimeout(() => process.exit(), LEFT_OVER_MS).unref();
  }
}

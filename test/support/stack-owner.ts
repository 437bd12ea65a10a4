import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';

import { isAlive } from '../../local/lock.mjs';
import { waitFor } from '../../local/wait.ts';

/** A process that owns a stack, and the process ids of that stack's components. */
export interface Owner {
  readonly child: ChildProcess;
  readonly dir: string;
  readonly pids: readonly number[];
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

/** Starts a program that starts a stack, and then does what `then` says. */
export async function startOwner(components: readonly string[], then: string): Promise<Owner> {
  const stack = new URL('../../local/stack.ts', import.meta.url).href;
  const program = `
    const { startStack } = await import(${JSON.stringify(stack)});
    const stack = await startStack({ components: ${JSON.stringify(components)} });
    console.log(JSON.stringify([stack.dir, ...stack.components.map((name) => stack.pid(name))]));
    ${then}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const line = await firstLine(child);
  const parsed: unknown = JSON.parse(line);
  const [dir, ...pids]: unknown[] = Array.isArray(parsed) ? parsed : [];
  return { child, dir: String(dir), pids: pids.map(Number), exited };
}

/** Waits until none of the stack's processes lives, and its temporary folder is gone. */
export async function expectAllGone({ pids, dir }: Owner): Promise<void> {
  await waitFor(
    { what: `the processes ${pids.join(', ')} to end and ${dir} to go`, timeoutMillis: 30_000 },
    async () => (existsSync(dir) || pids.some((pid) => isAlive(pid)) ? undefined : true),
  );
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('Expected the owner to have a standard output.');
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('Expected the owner of the stack to print process ids, it ended before.');
}

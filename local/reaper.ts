import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

/** Ends process groups should this process die without doing so. */
export interface Reaper {
  readonly watch: (pid: number) => void;
  readonly forget: (pid: number) => void;
  readonly close: () => Promise<void>;
}

/** Starts the reaper, which lives in a session of its own and waits for its pipe to this process to close; it takes a temporary folder along. */
export function startReaper(temporaryFolder?: string): Reaper {
  const script = fileURLToPath(new URL('reaper.mjs', import.meta.url));
  const folder = temporaryFolder === undefined ? [] : [temporaryFolder];
  const child = spawn(process.execPath, [script, ...folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  // A write to a reaper that someone killed must not take the stack down with it.
  child.stdin.on('error', () => undefined);
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return {
    watch: (pid) => void child.stdin.write(`+${pid}\n`),
    forget: (pid) => void child.stdin.write(`-${pid}\n`),
    close: () => {
      child.ref();
      child.stdin.end();
      return exited;
    },
  };
}

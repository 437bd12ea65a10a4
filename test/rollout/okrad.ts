import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** An okrad process that can be killed and started again. */
export interface Okrad extends AsyncDisposable {
  readonly log: string;
  start(): void;
  /** Ends it the way an operator or a broken machine would, and waits until it is gone. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/** Starts okrad as it is shipped, logging to a file. */
export function startOkrad(options: {
  readonly environment: Readonly<Record<string, string>>;
  readonly log: string;
  readonly components?: string;
}): Okrad {
  let child: ChildProcess | undefined;
  const start = (): void => {
    const args = [
      join(root, 'cli/okrad.ts'),
      ...(options.components === undefined ? [] : ['--components', options.components]),
    ];
    const out = createWriteStream(options.log, { flags: 'a' });
    child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, ...options.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout?.pipe(out, { end: false });
    child.stderr?.pipe(out, { end: false });
  };
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    running.kill(signal);
    await once(running, 'exit');
  };
  start();
  return { log: options.log, start, end, [Symbol.asyncDispose]: () => end('SIGTERM') };
}

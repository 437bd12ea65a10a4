import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startReaper, type Reaper } from './reaper.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const checkout = fileURLToPath(new URL('../cli/okrad.ts', import.meta.url));

/** The program okrad of a package in a folder. */
export const okradIn = (folder: string): string => join(folder, 'dist/cli/okrad.js');

/** The program of the package that `OKRA_PACKAGE` names; that of the checkout where it names none. */
function usualProgram(): string {
  const folder = process.env['OKRA_PACKAGE'];
  return folder === undefined ? checkout : okradIn(folder);
}

let reaper: Reaper | undefined;

/** An okrad process that can be ended and started again. */
export interface Okrad extends AsyncDisposable {
  readonly log: string;
  /** What it was started with. */
  readonly environment: Readonly<Record<string, string>>;
  readonly pid: () => number | undefined;
  /** Starts it again once it was ended; with what is set for this time alone. */
  start(more?: Readonly<Record<string, string>>): void;
  /** Ends it the way an operator or a broken machine would, and waits until it is gone; answers with its exit code, if it had one. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | undefined>;
}

/** What okrad is started with. */
export interface OkradOptions {
  readonly environment: Readonly<Record<string, string>>;
  /** The file to which it logs. */
  readonly log: string;
  /** Watchers and worker when undefined. */
  readonly components?: 'watchers' | 'worker';
  /** The program to run; that of the package that `OKRA_PACKAGE` names when undefined, and of the checkout when it names none. */
  readonly program?: string;
  /** The folder to run it in; that of the checkout when undefined. */
  readonly cwd?: string;
  /** What Node is told before the program. */
  readonly flags?: readonly string[];
  /** The Node.js that runs it; that of this process when undefined. */
  readonly node?: string;
}

/** Starts okrad as it is shipped, logging to a file, until it is disposed of. */
export function startOkrad({
  environment,
  log,
  components,
  program = usualProgram(),
  cwd = root,
  flags = [],
  node = process.execPath,
}: OkradOptions): Okrad {
  const args = [...flags, program, ...(components === undefined ? [] : ['--components', components])];
  let child: ChildProcess | undefined;
  const start = (more: Readonly<Record<string, string>> = {}): void => {
    if (child !== undefined) return;
    const file = createWriteStream(log, { flags: 'a' });
    child = spawn(node, args, {
      cwd,
      env: { ...process.env, ...environment, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, which the reaper ends should this process be killed.
      detached: true,
    });
    reaper ??= startReaper();
    const { pid } = child;
    if (pid !== undefined) {
      reaper.watch(pid);
      child.once('exit', () => reaper?.forget(pid));
    }
    child.stdout?.pipe(file, { end: false });
    child.stderr?.pipe(file, { end: false });
    child.once('close', () => file.end());
  };
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<number | undefined> => {
    const running = child;
    child = undefined;
    if (running === undefined) return undefined;
    if (running.exitCode === null && running.signalCode === null) {
      running.kill(signal);
      await once(running, 'exit');
    }
    return running.exitCode ?? undefined;
  };
  start();
  return {
    log,
    environment,
    pid: () => child?.pid,
    start,
    end,
    [Symbol.asyncDispose]: async () => void (await end('SIGTERM')),
  };
}

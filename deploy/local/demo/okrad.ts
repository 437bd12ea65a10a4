import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { fileURLToPath } from 'node:url';

const okrad = fileURLToPath(new URL('../../../cli/okrad.ts', import.meta.url));

/** Runs okrad, watchers and worker, until it is disposed of; what it logs goes to a file. */
export function runOkrad(environment: Readonly<Record<string, string>>, log: string): AsyncDisposable {
  const child = spawn(process.execPath, [okrad], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const file = createWriteStream(log);
  child.stdout.pipe(file, { end: false });
  child.stderr.pipe(file, { end: false });
  return {
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      file.end();
    },
  };
}

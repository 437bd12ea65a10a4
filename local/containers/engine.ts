import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { lastLines, outputOf } from '../run.mjs';
import { waitFor } from '../wait.ts';
import { SYSTEM_PATH } from './here.mjs';

/** A Docker daemon of this process's own. */
export interface Engine extends AsyncDisposable {
  /** Runs a command of docker(1) to its end, and gives what it printed. */
  docker(...args: readonly string[]): Promise<string>;
}

/**
 * Starts a Docker daemon, without a network of its own: what it builds uses that of the machine.
 * @param dir for sockets and the log
 * @param data for images and layers, which are kept
 */
export async function startEngine(dir: string, data: string): Promise<Engine> {
  const socket = `unix://${join(dir, 'docker.sock')}`;
  const log = join(dir, 'dockerd.log');
  const env = { ...process.env, PATH: SYSTEM_PATH, DOCKER_HOST: socket, DOCKER_BUILDKIT: '1', HOME: dir };
  await mkdir(data, { recursive: true });
  const files = [
    `--data-root=${data}`,
    `--exec-root=${join(dir, 'docker')}`,
    `--pidfile=${join(dir, 'docker.pid')}`,
  ];
  const out = openSync(log, 'a');
  const daemon = spawn('dockerd', ['--host', socket, ...files, '--bridge=none', '--iptables=false'], {
    env,
    stdio: ['ignore', out, out],
  });
  closeSync(out);
  const ended = new Promise<void>((resolve) => {
    daemon.once('error', () => resolve());
    daemon.once('close', () => resolve());
  });
  const died = ended.then(async () => {
    throw new Error(`dockerd ended:\n${lastLines(await readFile(log, 'utf8'))}`);
  });
  died.catch(() => undefined);
  const docker = (...args: readonly string[]): Promise<string> => outputOf('docker', args, { env });
  await Promise.race([died, waitFor({ what: 'dockerd to answer' }, () => docker('version'))]);
  return {
    docker,
    [Symbol.asyncDispose]: () => {
      daemon.kill('SIGTERM');
      return ended;
    },
  };
}

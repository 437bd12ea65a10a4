import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { cacheRoot } from '../cache.mjs';
import { lastLines, outputOf } from '../run.mjs';
import { waitFor } from '../wait.ts';
import { debianWith } from './debian.ts';
import { SYSTEM_PATH } from './here.mjs';

/** A Docker daemon of this process's own. */
export interface Engine extends AsyncDisposable {
  /** Runs a command of docker(1), which has `compose`, to its end, and gives what it printed. */
  docker(...args: readonly string[]): Promise<string>;
}

/** For a daemon that only builds: what it builds uses the network of the machine. */
const withoutNetwork = ['--bridge=none', '--iptables=false'];

/**
 * Starts a Docker daemon on the images and layers that are kept.
 * @param dir for sockets and the log
 * @param network options of dockerd(8)
 */
export async function startEngine(
  dir: string,
  say: (line: string) => void,
  network: readonly string[] = withoutNetwork,
): Promise<Engine> {
  const socket = `unix://${join(dir, 'docker.sock')}`;
  const log = join(dir, 'dockerd.log');
  const env = { ...process.env, PATH: SYSTEM_PATH, DOCKER_HOST: socket, DOCKER_BUILDKIT: '1', HOME: dir };
  const data = join(cacheRoot(process.env), 'containers', 'docker');
  // A run that was killed has left containers, which the daemon would start again, and networks.
  for (const left of ['containers', 'network', 'volumes'])
    await rm(join(data, left), { recursive: true, force: true });
  await mkdir(data, { recursive: true });
  await addCompose(join(dir, '.docker', 'cli-plugins'), say);
  const files = [
    `--data-root=${data}`,
    `--exec-root=${join(dir, 'docker')}`,
    `--pidfile=${join(dir, 'docker.pid')}`,
  ];
  const out = openSync(log, 'a');
  const daemon = spawn('dockerd', ['--host', socket, ...files, ...network], {
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

async function addCompose(folder: string, say: (line: string) => void): Promise<void> {
  await mkdir(folder, { recursive: true });
  const packed = [
    '--file',
    await debianWith('compose', say),
    './usr/libexec/docker/cli-plugins/docker-compose',
  ];
  await outputOf('tar', ['--extract', '--directory', folder, '--strip-components=5', ...packed]);
}

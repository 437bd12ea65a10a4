// Builds Okra's image and runs a command, the tests of installations, in namespaces of Linux that end with it.
import { spawn } from 'node:child_process';
import { glob, mkdtemp, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

import { cacheRoot } from '../cache.mjs';
import { withLock } from '../lock.mjs';
import { outputOf } from '../run.mjs';
import { buildImages } from './images.ts';
import { NODE_ADDRESS, SERVICE_ADDRESS } from './node.ts';

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/**
 * What is done before the command: the node's addresses, and room for what a kubelet and containerd write in fixed places.
 * The shell stays, to take the exit status of processes that have lost their parents.
 */
const script = [
  'set -e',
  'ip link set lo up',
  `ip address add ${SERVICE_ADDRESS}/32 dev lo`,
  'ip link add okra0 type bridge',
  `ip address add ${NODE_ADDRESS}/24 dev okra0`,
  'ip link set okra0 up',
  // Nobody is there, but without a default route an API server finds no address of its own.
  'ip route add default dev okra0',
  'mkdir -p /var/lib/kubelet /var/lib/cni',
  'for folder in /run /var/lib/kubelet /var/lib/cni /var/log; do mount -t tmpfs tmpfs "$folder"; done',
  '"$@"',
  'exit $?',
].join('\n');

/** Runs a command where it has the network, the mounts and the processes to itself; when it ends, all that it began ends. */
function runAlone(command: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const namespaces = ['--net', '--mount', '--pid', '--mount-proc', '--fork', '--kill-child=SIGKILL'];
  const child = spawn('unshare', [...namespaces, 'bash', '-c', script, 'bash', ...command], {
    env,
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => child.kill('SIGKILL'));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
}

/** The cgroups of pods and of builds, which stay when what made them has ended. */
async function cgroupsHere(): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const path of glob('/sys/fs/cgroup/{,*/}{kubepods,docker}')) found.push(path);
  return found;
}

const onWait = (holder: number): void => say(`containers: process ${holder} is using them, waiting`);
await withLock(join(cacheRoot(process.env), 'containers.lock'), { onWait }, async () => {
  const dir = await mkdtemp(join(tmpdir(), 'okra-containers-'));
  const others = await cgroupsHere();
  try {
    const images = await buildImages(dir, say);
    const env = { ...process.env, OKRA_CONTAINERS: dir, OKRA_IMAGES: JSON.stringify(images) };
    process.exitCode = await runAlone([process.execPath, ...process.argv.slice(2)], env);
  } finally {
    await rm(dir, { recursive: true, force: true });
    const own = (await cgroupsHere()).filter((path) => !others.includes(path));
    if (own.length > 0) await outputOf('find', [...own, '-depth', '-type', 'd', '-exec', 'rmdir', '{}', '+']);
  }
});

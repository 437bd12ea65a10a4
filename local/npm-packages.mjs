import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { withLock } from './lock.mjs';
import { progressOf } from './progress.mjs';
import { lastLines, run } from './run.mjs';

/** @typedef {{ packages?: Record<string, { version?: string, integrity?: string, optional?: boolean, devOptional?: boolean }> }} LockFile */

/**
 * Tells whether node_modules holds what package-lock.json wants, by the record that npm itself leaves there last.
 * Packages for other platforms are marked optional, and may be absent.
 * @param {LockFile} wanted
 * @param {LockFile | undefined} installed
 */
export function isInstalled(wanted, installed) {
  const present = installed?.packages;
  if (present === undefined) return false;
  return Object.entries(wanted.packages ?? {}).every(([path, entry]) => {
    if (path === '') return true;
    const found = present[path];
    if (found === undefined) return entry.optional === true || entry.devOptional === true;
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}

/**
 * Installs the npm packages when they are missing or stale.
 * @param {string} root
 * @param {{ say: import('./progress.mjs').Say, signal: AbortSignal, env: NodeJS.ProcessEnv }} surroundings
 */
export async function installPackages(root, { say, signal, env }) {
  if (await areInstalled(root)) return;
  const lock = join(root, '.local', 'npm-ci.lock');
  await mkdir(join(root, '.local'), { recursive: true });
  /** @type {(holder: number) => void} */
  const onWait = (holder) => say(`npm packages: process ${holder} is installing them, waiting`);
  await withLock(lock, { onWait, signal }, async () => {
    if (await areInstalled(root)) return;
    const work = { name: 'npm packages', seconds: 30, chain: 'npm' };
    const { during } = progressOf(say, { doing: 'installing', done: 'installed' }, [work]);
    await during(work.name, () => installNow(root, { signal, env }));
  });
}

/** @param {string} root */
async function areInstalled(root) {
  const wanted = await readFile(join(root, 'package-lock.json'), 'utf8');
  const record = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(record) || !existsSync(join(root, 'node_modules', '.bin', 'node'))) return false;
  return isInstalled(JSON.parse(wanted), JSON.parse(await readFile(record, 'utf8')));
}

/**
 * @param {string} root
 * @param {{ signal: AbortSignal, env: NodeJS.ProcessEnv }} surroundings
 */
async function installNow(root, { signal, env }) {
  const npm = env['npm_execpath'];
  const [command, first] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
  // The Node that the packages run on comes with them; that the one which installs them may be older is no error.
  const args = [...first, 'ci', '--no-audit', '--no-fund', '--engine-strict=false'];
  const ended = await run(command, args, { cwd: root, signal, env });
  if (signal.aborted) throw new Error('The installation was stopped.');
  if (ended.status === 0) {
    if (existsSync(join(root, 'node_modules', '.bin', 'node'))) return;
    throw new Error(
      'Expected npm to install a Node 24 as node_modules/.bin/node, it did not. Its install script was probably ' +
        'skipped: run `npm rebuild node --ignore-scripts=false`, then the same command again.',
    );
  }
  // npm says what is wrong first, and its usage at length afterwards.
  const errors = ended.output.split('\n').filter((line) => line.startsWith('npm error'));
  throw new Error(
    `Expected \`npm ci\` to succeed, it ended with status ${ended.status}:\n` +
      `${lastLines(errors.slice(0, 20).join('\n'))}\n` +
      'Run the same command again; if it fails the same way, check `npm config get registry`.',
  );
}

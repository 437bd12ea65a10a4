import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

import { isAlive, withLock } from './lock.mjs';

/**
 * The folder that keeps what was built, shared by all clones.
 * @param {NodeJS.ProcessEnv} env
 */
export function cacheRoot(env) {
  const base = env['XDG_CACHE_HOME'];
  return join(base === undefined || base === '' ? join(homedir(), '.cache') : base, 'okra');
}

/**
 * Answers a cached folder; fills it first, all or nothing, when it is not there. Of two runs, one fills and the other waits.
 * @param {{ folder: string, say: import('./progress.mjs').Say, signal?: AbortSignal | undefined }} entry
 * @param {(draft: string) => Promise<void>} fill
 */
export async function cached({ folder, say, signal }, fill) {
  if (existsSync(folder)) return folder;
  const root = dirname(folder);
  const name = folder.slice(root.length + 1);
  await mkdir(root, { recursive: true });
  /** @type {(holder: number) => void} */
  const onWait = (holder) => say(`${name}: process ${holder} is building it, waiting`);
  const options = signal === undefined ? { onWait } : { onWait, signal };
  return withLock(`${folder}.lock`, options, async () => {
    if (existsSync(folder)) return folder;
    await removeDeserted(root, name);
    const draft = await mkdtemp(join(root, draftPrefix(name, process.pid)));
    try {
      await fill(draft);
      await rename(draft, folder).catch((/** @type {unknown} */ error) => {
        if (!existsSync(folder)) throw error;
      });
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
    return folder;
  });
}

/**
 * @param {string} name
 * @param {number | string} pid
 */
const draftPrefix = (name, pid) => `.draft-${name}-${pid}-`;

/**
 * Removes drafts whose builder was killed.
 * @param {string} root
 * @param {string} name
 */
async function removeDeserted(root, name) {
  const prefix = draftPrefix(name, '').slice(0, -1);
  for (const entry of await readdir(root)) {
    if (!entry.startsWith(prefix)) continue;
    if (!isAlive(Number.parseInt(entry.slice(prefix.length), 10))) {
      await rm(join(root, entry), { recursive: true, force: true });
    }
  }
}

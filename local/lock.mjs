import { open, readFile, stat, unlink, utimes } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const heartbeatMillis = 5_000;
const abandonedMillis = 60_000;

/**
 * Tells whether a process of this id lives; one that belongs to another user counts as alive.
 * @param {number} pid
 */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Takes a lock file; answers a function that gives it back, or the process id of the holder.
 * A lock is abandoned when its holder is dead, or, should another process have got that id, when nobody touched it for a minute.
 * Two that clear an abandoned lock at once may both continue: what the lock guards has to be safe, the lock only saves work.
 * @param {string} path
 * @returns {Promise<{ release: () => Promise<void> } | { holder: number }>}
 */
export async function tryLock(path) {
  const token = `${process.pid} ${process.hrtime.bigint()}`;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      const file = await open(path, 'wx');
      await file.writeFile(token);
      await file.close();
      return { release: keep(path, token) };
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const holder = await liveHolder(path);
    if (holder !== undefined) return { holder };
    await unlink(path).catch(ignoreMissing);
  }
  throw new Error(
    `Expected to take the lock ${path}, but others kept taking it. Remove the file and run again.`,
  );
}

/**
 * Waits for a lock, does the work, and gives the lock back; reports each process that it waits for once.
 * @template T
 * @param {string} path
 * @param {{ onWait?: (holder: number) => void, signal?: AbortSignal }} options
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(path, { onWait, signal }, work) {
  let reported = 0;
  for (;;) {
    signal?.throwIfAborted();
    const lock = await tryLock(path);
    if ('release' in lock) return work().finally(() => lock.release());
    if (lock.holder !== reported) onWait?.(lock.holder);
    reported = lock.holder;
    await sleep(300);
  }
}

/**
 * @param {string} path
 * @param {string} token
 */
function keep(path, token) {
  const beat = setInterval(
    () => void utimes(path, new Date(), new Date()).catch(ignoreMissing),
    heartbeatMillis,
  );
  beat.unref();
  return async () => {
    clearInterval(beat);
    if ((await readFile(path, 'utf8').catch(ignoreMissing)) === token)
      await unlink(path).catch(ignoreMissing);
  };
}

/**
 * @param {string} path
 * @returns {Promise<number | undefined>}
 */
async function liveHolder(path) {
  const found = await stat(path).catch(ignoreMissing);
  if (found === undefined) return undefined;
  const age = Date.now() - found.mtimeMs;
  const pid = Number.parseInt((await readFile(path, 'utf8').catch(ignoreMissing)) ?? '', 10);
  // A lock without a number is being written at this moment, or its writer died just then.
  if (Number.isNaN(pid)) return age < 2_000 ? 0 : undefined;
  return isAlive(pid) && age < abandonedMillis ? pid : undefined;
}

/** @param {unknown} error */
function ignoreMissing(error) {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}

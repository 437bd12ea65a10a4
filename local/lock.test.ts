import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { tryLock, withLock } from './lock.mjs';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'okra-lock-'));
  path = join(folder, 'tool.lock');
});
afterEach(() => rmSync(folder, { recursive: true }));

const pidOfTheDead = (): number => spawnSync(process.execPath, ['-e', '']).pid;
const minuteAgo = (): Date => new Date(Date.now() - 61_000);

describe('tryLock', () => {
  it('takes a free lock and gives it back', async () => {
    const lock = await tryLock(path);
    expect(existsSync(path)).toBe(true);
    if ('release' in lock) await lock.release();
    expect(existsSync(path)).toBe(false);
  });

  it('names the holder of a lock that is taken', async () => {
    await tryLock(path);
    expect(await tryLock(path)).toEqual({ holder: process.pid });
  });

  it('takes over from a holder that died', async () => {
    writeFileSync(path, `${pidOfTheDead()} 1`);
    expect(await tryLock(path)).toHaveProperty('release');
  });

  it('takes over a lock that nobody touched for a minute, though its process id lives again', async () => {
    writeFileSync(path, `${process.ppid} 1`);
    utimesSync(path, minuteAgo(), minuteAgo());
    expect(await tryLock(path)).toHaveProperty('release');
  });

  it('waits for a lock that is being written', async () => {
    writeFileSync(path, '');
    expect(await tryLock(path)).toEqual({ holder: 0 });
  });

  it('does not give back a lock that another has taken over', async () => {
    const lock = await tryLock(path);
    writeFileSync(path, `${process.ppid} 2`);
    if ('release' in lock) await lock.release();
    expect(existsSync(path)).toBe(true);
  });
});

describe('withLock', () => {
  it('lets the second wait, and says for whom, until the first is done', async () => {
    const order: string[] = [];
    const waited: number[] = [];
    const [taken, gate] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const first = withLock(path, {}, async () => {
      taken.resolve(undefined);
      await gate.promise;
      order.push('first');
    });
    // Of two that ask at once, either may be the first.
    await taken.promise;
    const second = withLock(path, { onWait: onWait }, async () => void order.push('second'));
    function onWait(holder: number): void {
      waited.push(holder);
      gate.resolve(undefined);
    }
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'second']);
    expect(waited).toEqual([process.pid]);
  });

  it('gives the lock back when the work fails', async () => {
    await expect(withLock(path, {}, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(existsSync(path)).toBe(false);
  });
});

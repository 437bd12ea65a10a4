import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { cached, cacheRoot } from './cache.mjs';

let root = '';
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'okra-cache-'))));
afterEach(() => rmSync(root, { recursive: true }));

const entry = () => ({ folder: join(root, 'etcd-3.6.16'), say: () => undefined });

describe('cached', () => {
  it('fills a folder once, though two want it at the same time', async () => {
    let fills = 0;
    const fill = async (draft: string): Promise<void> => {
      fills += 1;
      writeFileSync(join(draft, 'etcd'), 'binary');
    };
    await Promise.all([cached(entry(), fill), cached(entry(), fill)]);
    expect(fills).toBe(1);
    expect(readdirSync(root)).toEqual(['etcd-3.6.16']);
  });

  it('leaves nothing behind when filling fails, so that the next run starts again', async () => {
    await expect(cached(entry(), () => Promise.reject(new Error('no compiler')))).rejects.toThrow(
      'no compiler',
    );
    expect(readdirSync(root)).toEqual([]);
  });

  it('never shows a folder that is half full', async () => {
    await cached(entry(), async () => expect(existsSync(entry().folder)).toBe(false));
  });

  it('removes the draft of a builder that was killed, and keeps the drafts of other tools', async () => {
    mkdirSync(join(root, '.draft-etcd-3.6.16-999999999-abc'));
    mkdirSync(join(root, '.draft-kwok-0.7.0-999999999-abc'));
    await cached(entry(), async () => undefined);
    expect(readdirSync(root).toSorted()).toEqual(['.draft-kwok-0.7.0-999999999-abc', 'etcd-3.6.16']);
  });
});

describe('cacheRoot', () => {
  it('follows XDG_CACHE_HOME', () =>
    expect(cacheRoot({ XDG_CACHE_HOME: '/var/cache' })).toBe('/var/cache/okra'));
  it('falls back to the home folder when that is empty', () => {
    expect(cacheRoot({ XDG_CACHE_HOME: '' })).toMatch(/\/\.cache\/okra$/);
  });
});

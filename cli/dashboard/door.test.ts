import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { doorTo } from './of-person.ts';

it('leads to an address from a file that nobody else can read', async () => {
  const { url, remove } = await doorTo('http://127.0.0.1:1/#key=abc');
  const path = fileURLToPath(url);
  expect(await readFile(path, 'utf8')).toContain('url=http://127.0.0.1:1/#key=abc"');
  const modes = await Promise.all([path, dirname(path)].map(async (one) => (await stat(one)).mode & 0o077));
  expect([url.includes('abc'), ...modes]).toEqual([false, 0, 0]);
  await remove();
  await expect(stat(dirname(path))).rejects.toThrow('ENOENT');
});

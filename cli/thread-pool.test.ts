import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { LOOKUPS_AT_ONCE } from '../clients/kubernetes/name-lookups.ts';

/** What UV_THREADPOOL_SIZE is in a program that begins with the module, where it was set so before. */
async function sizeWith(before: string | undefined): Promise<number> {
  const module = join(import.meta.dirname, 'thread-pool.ts');
  const program = `await import(${JSON.stringify(module)}); console.log(process.env.UV_THREADPOOL_SIZE)`;
  const { UV_THREADPOOL_SIZE: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--no-warnings', '--input-type=module', '--eval', program],
    { env: { ...env, ...(before === undefined ? {} : { UV_THREADPOOL_SIZE: before }) } },
  );
  return Number(stdout);
}

describe('the threads of the process', () => {
  it.each(['okrad.ts', 'okra.ts'])(
    'are set by %s, which reads clusters of others, before all else',
    (file) => {
      const program = readFileSync(join(import.meta.dirname, file), 'utf8');
      const [before = ''] = program.split("import './thread-pool.ts'");
      expect(before).not.toBe(program);
      expect(before).not.toMatch(/import\(|from '\.\/(?!memory)/);
    },
  );

  it('are so many that lookups for others leave some to those for Okra itself', async () => {
    // Lookups get half of the threads, rounded up.
    expect(Math.ceil((await sizeWith(undefined)) / 2)).toBeGreaterThanOrEqual(LOOKUPS_AT_ONCE + 4);
  });

  it.each([
    ['no less', '4', 28],
    ['more', '64', 64],
    ['not what cannot be read', 'many', 28],
    ['as many as libuv makes, and not fewer,', '1e22', 1024],
  ])('are %s than that where someone says so', async (_, before, want) => {
    expect(await sizeWith(before)).toBe(want);
  });
});

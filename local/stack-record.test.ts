import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readRecord } from './stack-record.ts';

const dir = mkdtempSync(join(tmpdir(), 'okra-record-'));
afterAll(() => rmSync(dir, { recursive: true }));

const written = (text: string): string => {
  const file = join(dir, 'stack.json');
  writeFileSync(file, text);
  return file;
};

describe('readRecord', () => {
  it('finds a stack whose process runs', async () => {
    const file = written(JSON.stringify({ pid: process.pid, kubeconfig: '/k' }));
    expect(await readRecord(file)).toMatchObject({ kubeconfig: '/k' });
  });

  it.each([
    ['of a process that has ended', () => JSON.stringify({ pid: spawnSync(process.execPath, ['-v']).pid })],
    ['without a process', () => '{}'],
    ['that is cut off', () => '{"pid": '],
  ])('refuses a record %s, and says what to do', async (_, text) => {
    await expect(readRecord(written(text()))).rejects.toThrow(
      /^Expected a stack that runs \(.*stack\.json\), got none\. Start one with `npm run stack`\.$/,
    );
  });
});

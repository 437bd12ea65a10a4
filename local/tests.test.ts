import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

import { countsLine, readCounts, testRuns } from './tests.mjs';

describe('countsLine', () => {
  it('names skipped tests only when there are some', () => {
    expect(countsLine([{ passed: 3, failed: 0, skipped: 0, failures: [] }])).toBe('3 passed, 0 failed');
    expect(countsLine([{ passed: 3, failed: 1, skipped: 2, failures: [] }])).toBe(
      '3 passed, 1 failed, 2 skipped',
    );
  });

  it('adds up runs', () => {
    const counts = [
      { passed: 3, failed: 1, skipped: 0, failures: [] },
      { passed: 40, failed: 0, skipped: 5, failures: [] },
    ];
    expect(countsLine(counts)).toBe('43 passed, 1 failed, 5 skipped');
  });
});

describe('readCounts', () => {
  it('adds up what was left, removes it, and takes a run that has left nothing for a failure', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'okra-counts-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const files = ['a', 'b'].map((name) => join(folder, name));
    for (const file of files)
      await writeFile(file, '{"passed":2,"failed":1,"skipped":0,"failures":["a.test.ts > adds"]}');
    await expect(readCounts(files)).resolves.toEqual({
      failures: ['a.test.ts > adds', 'a.test.ts > adds'],
      line: '4 passed, 2 failed',
      isWhole: true,
    });
    expect(files.filter((file) => existsSync(file))).toEqual([]);
    await writeFile(files[0] ?? '', '{"passed":2,"failed":1,"skipped":0,"failures":["a.test.ts > adds"]}');
    await expect(readCounts(files)).resolves.toEqual({
      failures: ['a.test.ts > adds'],
      line: '2 passed, 2 failed (vitest ended before it counted)',
      isWhole: false,
    });
  });
});

describe('testRuns', () => {
  it('runs unit tests beside all others, and by arguments what they say', () => {
    expect(testRuns([]).map(({ args }) => args.join(' '))).toEqual([
      '--project integration',
      '--project unit --maxWorkers 1',
    ]);
    expect(testRuns(['--changed', 'main'])).toEqual([
      { args: ['--changed', 'main'], niceness: 0, isShown: true },
    ]);
    expect(testRuns(['--containers', '-t', 'upgraded'])).toEqual([
      {
        args: ['--project', 'containers', '-t', 'upgraded'],
        niceness: 0,
        isShown: true,
        isContained: true,
      },
    ]);
  });
});

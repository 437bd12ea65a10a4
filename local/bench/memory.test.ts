import { describe, expect, it } from 'vitest';
import { memoryOf, parseCpuSeconds, parseMemory } from './memory.ts';

describe('the memory of a process', () => {
  it('is read in megabytes', () => {
    const status =
      'Name:\tnode\nVmPeak:\t 9999999 kB\nVmHWM:\t  500000 kB\nVmRSS:\t  250000 kB\nThreads:\t11\n';
    expect(parseMemory(status)).toEqual({ now: 256, most: 512 });
  });

  it.each([
    ['is not told of a process that has none', 'Name:\tkthreadd\n'],
    ['is not made up of half of it', 'VmRSS:\t  250000 kB\n'],
  ])('%s', (_, status) => expect(parseMemory(status)).toBeUndefined());

  it('is not told of a process that there is not', async () => {
    expect(await memoryOf(undefined)).toBeUndefined();
  });
});

describe('the processor time of a process', () => {
  it('is read in seconds, whatever the name of its program', () =>
    expect(parseCpuSeconds('7 (a) b) (c) S 1 7 7 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 11')).toBe(3));
});

import { describe, expect, it } from 'vitest';
import { memoryOf, parseMemory } from './memory.ts';

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

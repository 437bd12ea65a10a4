import { describe, expect, it } from 'vitest';
import { remembered } from './remembered.ts';

function reading(patienceMs: number) {
  let time = 0;
  const open: ((result: string) => void)[] = [];
  const late = Promise.withResolvers<void>();
  const ask = remembered({
    read: (_of: string) => new Promise<string>((resolve) => open.push(resolve)),
    meanwhile: 'nothing',
    freshMs: () => 100,
    patienceMs,
    now: () => time,
    late: late.resolve,
  });
  return { ask, open, late: late.promise, pass: (ms: number) => (time += ms) };
}

describe('what is read for a page', () => {
  it('is read once for all who ask meanwhile, and again when it is old or depends on something else', async () => {
    const { ask, open, pass } = reading(60_000);
    const both = Promise.all([ask('a', 'a'), ask('a', 'a')]);
    open[0]?.('one');
    expect([await both, open.length]).toEqual([['one', 'one'], 1]);
    pass(99);
    expect([await ask('a', 'a'), open.length]).toEqual(['one', 1]);
    const other = ask('b', 'b');
    open[1]?.('two');
    expect(await other).toBe('two');
    pass(100);
    const again = ask('b', 'b');
    open[2]?.('three');
    expect(await again).toBe('three');
  });

  it('is not waited for for long; what was known counts, and the page is told when it comes', async () => {
    const { ask, open, late } = reading(1);
    expect(await ask('a', 'a')).toBe('nothing');
    open[0]?.('one');
    await late;
    expect(await ask('a', 'a')).toBe('one');
  });
});

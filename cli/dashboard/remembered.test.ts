import { describe, expect, it } from 'vitest';
import { remembered } from './remembered.ts';

function reading(patienceMs: number) {
  let time = 0;
  const open: ((result: string) => void)[] = [];
  const failed: (() => void)[] = [];
  const late = Promise.withResolvers<void>();
  const ask = remembered({
    read: (_of: string) =>
      new Promise<string>((resolve, reject) => {
        open.push(resolve);
        failed.push(() => reject(new Error('HTTP 500')));
      }),
    meanwhile: 'nothing',
    freshMs: () => 30_000,
    patienceMs,
    now: () => time,
    late: late.resolve,
  });
  return { ask, open, failed, late: late.promise, pass: (ms: number) => (time += ms) };
}

describe('what is read for a page', () => {
  it('is read once for all who ask meanwhile, and again when it is old or depends on something else', async () => {
    const { ask, open, pass } = reading(60_000);
    const both = Promise.all([ask('a', 'a'), ask('a', 'a')]);
    open[0]?.('one');
    expect([await both, open.length]).toEqual([['one', 'one'], 1]);
    pass(29_999);
    expect([await ask('a', 'a'), open.length]).toEqual(['one', 1]);
    const other = ask('b', 'b');
    open[1]?.('two');
    expect(await other).toBe('two');
    pass(30_000);
    const again = ask('b', 'b');
    open[2]?.('three');
    expect(await again).toBe('three');
  });

  it('is read again soon where it could not be read; what was known counts meanwhile', async () => {
    const { ask, open, failed, pass } = reading(60_000);
    const first = ask('a', 'a');
    failed[0]?.();
    expect(await first).toBe('nothing');
    pass(1_999);
    expect([await ask('a', 'a'), open.length]).toEqual(['nothing', 1]);
    pass(1);
    const second = ask('a', 'a');
    open[1]?.('two');
    expect(await second).toBe('two');
    pass(30_000);
    const third = ask('a', 'a');
    failed[2]?.();
    expect(await third).toBe('two');
    pass(2_000);
    void ask('a', 'a');
    expect(open).toHaveLength(4);
  });

  it('is not waited for for long; what was known counts, and the page is told when it comes', async () => {
    const { ask, open, late } = reading(1);
    expect(await ask('a', 'a')).toBe('nothing');
    open[0]?.('one');
    await late;
    expect(await ask('a', 'a')).toBe('one');
  });
});

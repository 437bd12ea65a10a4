import { describe, expect, it } from 'vitest';
import { until } from '../../test/support/until.ts';
import { remembered } from './remembered.ts';

function reading() {
  let time = 0;
  const open: ((result: string) => void)[] = [];
  const failed: (() => void)[] = [];
  const known = { changes: 0 };
  const ask = remembered({
    read: (_of: string) =>
      new Promise<string>((resolve, reject) => {
        open.push(resolve);
        failed.push(() => reject(new Error('HTTP 500')));
      }),
    meanwhile: 'nothing',
    freshMs: () => 30_000,
    now: () => time,
    changed: () => {
      known.changes += 1;
    },
  });
  /** Waits until something more has been read. */
  const read = async (by: () => void) => {
    const { changes } = known;
    by();
    await until('what is read', async () => known.changes > changes);
  };
  return { ask, open, failed, read, pass: (ms: number) => (time += ms) };
}

describe('what is read for a page', () => {
  it('is read once for all who ask meanwhile, and again when it is old or depends on something else', async () => {
    const { ask, open, read, pass } = reading();
    expect([ask('a', 'a'), ask('a', 'a'), open.length]).toEqual(['nothing', 'nothing', 1]);
    await read(() => open[0]?.('one'));
    pass(29_999);
    expect([ask('a', 'a'), open.length]).toEqual(['one', 1]);
    expect([ask('b', 'b'), open.length]).toEqual(['one', 2]);
    await read(() => open[1]?.('two'));
    expect(ask('b', 'b')).toBe('two');
    pass(30_000);
    expect([ask('b', 'b'), open.length]).toEqual(['two', 3]);
    await read(() => open[2]?.('three'));
    expect(ask('b', 'b')).toBe('three');
  });

  it('is read again soon where it could not be read; what was known counts meanwhile', async () => {
    const { ask, open, failed, read, pass } = reading();
    ask('a', 'a');
    await read(() => failed[0]?.());
    pass(1_999);
    expect([ask('a', 'a'), open.length]).toEqual(['nothing', 1]);
    pass(1);
    ask('a', 'a');
    await read(() => open[1]?.('two'));
    pass(30_000);
    ask('a', 'a');
    await read(() => failed[2]?.());
    expect(ask('a', 'a')).toBe('two');
    pass(2_000);
    ask('a', 'a');
    expect(open).toHaveLength(4);
  });

  it('is not told of what it no longer depends on', async () => {
    const { ask, open, read } = reading();
    ask('a', 'a');
    ask('b', 'b');
    open[0]?.('one');
    await read(() => open[1]?.('two'));
    expect(ask('b', 'b')).toBe('two');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anAnalysis } from '../testing/checks.ts';
import { reduce, type Aggregator, type Answer } from './judge.ts';
import { windowAt } from './next-run.ts';

const MINUTE = 60_000;
const at = (minutes: number): number => 1_800_000_000_000 + minutes * MINUTE;

const timing = (written: object) => anAnalysis({ max: 1, window: '2m', bucket: '1m', lag: '0s', ...written });

describe('the window of a sample', () => {
  it.each<[string, object, number, object]>([
    ['ends with the last whole bucket', {}, at(10) + 59_000, { from: at(8), to: at(10) }],
    ['ends earlier by the lag', { lag: '90s' }, at(10) + 29_000, { from: at(6), to: at(8) }],
    ['has whole buckets', { window: '90s' }, at(10), { from: at(8), to: at(10) }],
    ['may begin before the start', {}, at(0), { from: at(-2), to: at(0) }],
    ['begins after the start with alignTo: step', { alignTo: 'step' }, at(2), { from: at(0), to: at(2) }],
  ])('%s', (_, written, now, window) =>
    expect(windowAt(timing(written), at(0), now)).toMatchObject({ is: 'Window', window }),
  );

  it.each<[string, object, number, number]>([
    ['waits for the initial delay', { initialDelay: '3m' }, at(2), at(3)],
    ['waits for a whole window with alignTo: step', { alignTo: 'step', lag: '30s' }, at(2), at(2) + 30_000],
  ])('%s', (_, written, now, until) =>
    expect(windowAt(timing(written), at(0), now)).toEqual({ is: 'Wait', until }),
  );

  it('never has anything from before the step, nor what may be incomplete', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 900 }),
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 0, max: 300 }),
        fc.integer({ min: 0, max: 5_000_000 }),
        (window, bucket, lag, after) => {
          const analysis = timing({
            window: `${window}s`,
            bucket: `${bucket}s`,
            lag: `${lag}s`,
            alignTo: 'step',
          });
          const next = windowAt(analysis, at(0) + 123, at(0) + 123 + after);
          if (next.is === 'Wait') return;
          expect(next.window.from).toBeGreaterThanOrEqual(at(0) + 123);
          expect(next.window.to).toBeLessThanOrEqual(at(0) + 123 + after - lag * 1000);
        },
      ),
    ));
});

describe('an answer', () => {
  const window = { from: at(0), to: at(3), bucketMs: MINUTE };
  const series = (...values: (number | null)[]): Answer => ({
    is: 'Series',
    series: [{ group: '', points: values.map((value, index) => [at(index - 1), value]) }],
  });

  it.each<[Aggregator, number]>([
    ['avg', 3],
    ['min', 1],
    ['max', 5],
    ['sum', 9],
    ['last', 3],
  ])('is reduced by %s to %d, of whole buckets within the window', (aggregator, value) =>
    expect(reduce(series(100, 1, 5, 3, 100), window, aggregator)).toEqual([{ group: '', value }]),
  );

  it.each([
    ['no points', series()],
    ['nulls', series(null, null, null, null)],
    ['what is not a number', series(Number.NaN, Number.NaN, Number.NaN)],
    ['points of other times', series(100)],
    ['a value that is none', { is: 'Values' as const, values: [{ group: '', value: Number.NaN }] }],
  ])('of %s has no value', (_, answer) => expect(reduce(answer, window, 'avg')).toEqual([{ group: '' }]));

  it.each<[Aggregator, number]>([
    ['avg', Infinity],
    ['min', 1],
    ['max', Infinity],
    ['sum', Infinity],
    ['last', Infinity],
  ])('of a number that nothing is above is reduced by %s to %d', (aggregator, value) =>
    expect(reduce(series(null, 1, Infinity, Infinity), window, aggregator)).toEqual([{ group: '', value }]),
  );

  it('that is reduced already may be such a number', () => {
    const values = [{ group: '', value: -Infinity }];
    expect(reduce({ is: 'Values', values }, window, 'avg')).toEqual(values);
  });

  it('of buckets that are longer than the window has no value', () => {
    const answer: Answer = {
      is: 'Series',
      series: [{ group: '', points: [[at(0), 1]], bucketMs: 4 * MINUTE }],
    };
    expect(reduce(answer, window, 'avg')).toEqual([{ group: '' }]);
  });
});

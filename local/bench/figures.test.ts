import { describe, expect, it } from 'vitest';
import { median, table } from './figures.ts';

describe('the median', () => {
  it.each([
    ['of one value is that value', [7], 7],
    ['of an odd number is the one in the middle, by size', [10, 9, 100], 10],
    ['of an even number is the mean of the two in the middle', [4, 1, 3, 2], 2.5],
  ])('%s', (_, values, want) => expect(median(values)).toBe(want));

  it('of nothing is refused', () => expect(() => median([])).toThrow('Expected values'));
});

describe('the table', () => {
  it('says which target was met, which was missed, and what could not be measured', () => {
    expect(
      table([
        { what: 'cold', value: 3.456, unit: 's', below: 30 },
        { what: 'slow', value: 2, unit: 's', below: 2 },
        { what: 'memory', value: undefined, unit: 'MB', below: 400 },
        { what: 'ratio', value: 1.049, unit: 'times' },
        { what: 'writes', value: 0, unit: 'objects', below: 1 },
      ]).split('\n'),
    ).toEqual([
      '| what   | measured                | target       |        |',
      '| ------ | ----------------------- | ------------ | ------ |',
      '| cold   | 3.46 s                  | below 30 s   | met    |',
      '| slow   | 2.00 s                  | below 2 s    | missed |',
      '| memory | cannot be measured here | below 400 MB |        |',
      '| ratio  | 1.05 times              |              |        |',
      '| writes | 0 objects               | none         | met    |',
    ]);
  });
});

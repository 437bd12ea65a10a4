import { describe, expect, it } from 'vitest';
import { anAnalysis } from '../testing/checks.ts';
import { expressionProblems } from './judge-value.ts';
import { judge, type Measured } from './judge.ts';

const of = (value: number | undefined, more: Partial<Measured> = {}): Measured => ({
  groups: [{ group: '', ...(value === undefined ? {} : { value }) }],
  ...more,
});
const nothing: Measured = { groups: [] };
const groups = (...values: (number | undefined)[]): Measured => ({
  groups: values.map((value, index) => ({
    group: `pod:${index}`,
    ...(value === undefined ? {} : { value }),
  })),
});
const compare = (bound: object) => ({ compare: { to: 'stable', baselines: [{ query: 'q' }], ...bound } });
const either = { pass: 'value < 2.0 * baseline && value <= 10.0' };
const groupBy = (how: string, cap = 3) => ({ groupBy: { judge: how, cap } });
const fewer = { minSamples: { query: 'q', atLeast: 100, maxExtend: '5m' } };

describe('a sample', () => {
  it.each<[string, object, Measured, string]>([
    ['at max', { max: 0.1 }, of(0.1), 'Passed'],
    ['above max', { max: 0.1 }, of(0.2), 'Failed'],
    ['at min', { min: 0.95 }, of(0.95), 'Passed'],
    ['below min', { min: 0.95 }, of(0.9), 'Failed'],
    ['between the two', { min: 1, max: 2 }, of(1.5), 'Passed'],
    ['that pass takes', { pass: 'value < 1' }, of(0.5), 'Passed'],
    ['that pass does not take', { pass: 'value < 1' }, of(1), 'Failed'],
    ['that fail takes', { fail: 'value > 0.5' }, of(0.6), 'Failed'],
    ['that fail does not take', { fail: 'value > 0.5' }, of(0.5), 'Passed'],
    ['that neither takes', { pass: 'value < 1', fail: 'value > 2' }, of(1.5), 'Inconclusive'],
    ['that both take', { pass: 'value > 1', fail: 'value > 2' }, of(3), 'Failed'],
    ['at the ratio', compare({ maxRatio: 1.5 }), of(3, { baseline: 2 }), 'Passed'],
    ['beyond the ratio', compare({ maxRatio: 1.5 }), of(3.1, { baseline: 2 }), 'Failed'],
    ['beside nothing', compare({ maxRatio: 1.5 }), of(0.1, { baseline: 0 }), 'Failed'],
    ['beside what is below zero', compare({ maxRatio: 1.5 }), of(-9, { baseline: -1 }), 'Inconclusive'],
    ['at the difference', compare({ maxDifference: 1 }), of(3, { baseline: 2 }), 'Passed'],
    ['beyond the difference', compare({ maxDifference: 1 }), of(3.5, { baseline: 2 }), 'Failed'],
    ['with nothing to compare with', compare({ maxRatio: 2 }), of(1), 'Inconclusive'],
    ['above max with nothing to compare with', { ...compare({ maxRatio: 2 }), max: 10 }, of(500), 'Failed'],
    ['below min with nothing to compare with', { ...compare({ maxRatio: 2 }), min: 1 }, of(0), 'Failed'],
    [
      'within max with nothing to compare with',
      { ...compare({ maxRatio: 2 }), max: 10 },
      of(5),
      'Inconclusive',
    ],
    [
      'of groups of which one is above max with nothing to compare with',
      { ...compare({ maxRatio: 2 }), max: 10, ...groupBy('worst') },
      groups(5, 500),
      'Failed',
    ],
    ['that pass does not take in any case', { ...compare({ maxRatio: 2 }), ...either }, of(500), 'Failed'],
    ['that pass may take', { ...compare({ maxRatio: 2 }), ...either }, of(5), 'Inconclusive'],
    [
      'that fail takes in any case',
      { ...compare({ maxRatio: 2 }), fail: 'value > baseline || value > 10.0' },
      of(500),
      'Failed',
    ],
    ['that is infinite', { max: 2 }, of(Infinity), 'Failed'],
    ['that is infinite, for which noData has no say', { max: 2, noData: 'pass' }, of(Infinity), 'Failed'],
    ['below every min', { min: 5, noData: 'pass' }, of(-Infinity), 'Failed'],
    ['that is infinite, by pass', { pass: 'value < 2' }, of(Infinity), 'Failed'],
    ['that is infinite, by fail', { fail: 'value > 2' }, of(Infinity), 'Failed'],
    ['infinitely more', compare({ maxDifference: 1 }), of(Infinity, { baseline: 2 }), 'Failed'],
    ['beside what is infinite', compare({ maxRatio: 2 }), of(1, { baseline: Infinity }), 'Inconclusive'],
    [
      'as infinite as the other side',
      compare({ maxRatio: 2 }),
      of(Infinity, { baseline: Infinity }),
      'Inconclusive',
    ],
    ['that passes one of two', { ...compare({ maxRatio: 2 }), max: 1 }, of(2, { baseline: 1 }), 'Failed'],
    ['without data', { max: 1 }, nothing, 'Inconclusive'],
    ['without a number', { max: 1 }, of(undefined), 'Inconclusive'],
    ['without data that passes', { max: 1, noData: 'pass' }, nothing, 'Passed'],
    ['without data that fails', { max: 1, noData: 'fail' }, nothing, 'Failed'],
    ['without data that is waited for', { max: 1, noData: 'extend' }, nothing, 'Extended'],
    ['of too little', { max: 1, ...fewer }, of(0, { samples: 99 }), 'Extended'],
    ['of too little that fails', { max: 1, ...fewer }, of(9, { samples: 99 }), 'Extended'],
    ['of nobody knows how much', { max: 1, ...fewer }, of(0), 'Extended'],
    ['of enough', { max: 1, ...fewer }, of(0, { samples: 100 }), 'Passed'],
    [
      'of enough, by an expression',
      { pass: 'value < 1 && samples > 100.0', ...fewer },
      of(0, { samples: 100 }),
      'Failed',
    ],
    ['of several series', { max: 1 }, groups(0, 0), 'Error'],
    ['of groups that pass', { max: 1, ...groupBy('worst') }, groups(0, 1), 'Passed'],
    ['of groups of which one fails', { max: 1, ...groupBy('worst') }, groups(0, 2, 1), 'Failed'],
    ['of groups of which one is silent', { max: 1, ...groupBy('worst') }, groups(0, undefined), 'Passed'],
    [
      'of groups that are all silent',
      { max: 1, ...groupBy('worst') },
      groups(undefined, undefined),
      'Inconclusive',
    ],
    ['of groups that all have to speak', { max: 1, ...groupBy('all') }, groups(0, undefined), 'Inconclusive'],
    ['of a silent group and one that fails', { max: 1, ...groupBy('all') }, groups(2, undefined), 'Failed'],
    ['of too many groups', { max: 1, ...groupBy('worst', 1) }, groups(0, 0), 'Error'],
  ])('%s', (_, written, measured, outcome) =>
    expect(judge(anAnalysis(written), measured, 0)).toMatchObject({ outcome }),
  );

  it.each([
    ['data', { max: 1, noData: 'extend', maxExtend: '5m' }, nothing],
    ['traffic', { max: 1, ...fewer }, of(0, { samples: 1 })],
  ])('is inconclusive when %s was waited for long enough', (_, written, measured) => {
    expect(judge(anAnalysis(written), measured, 299_999).outcome).toBe('Extended');
    expect(judge(anAnalysis(written), measured, 300_000).outcome).toBe('Inconclusive');
  });

  it('says of the other side that it has no data', () => {
    const analysis = anAnalysis({ ...compare({ maxRatio: 2 }), max: 10 });
    expect([500, 5].map((value) => judge(analysis, of(value), 0).message)).toEqual([
      'Expected max 10, at most 2 times stable, got 500 (stable: no data).',
      '5 (stable: no data) matches neither pass nor fail: max 10, at most 2 times stable.',
    ]);
  });

  it('says which group is the worst, and what it was held against', () =>
    expect(judge(anAnalysis({ max: 1, ...groupBy('worst') }), groups(0, 3, 2), 0)).toEqual({
      outcome: 'Failed',
      value: 3,
      group: 'pod:1',
      threshold: 'max 1',
      message: 'Expected max 1, got 3.',
    }));

  it('of 10,000 groups names none of them', () => {
    const many = groups(...Array.from({ length: 10_000 }, () => 0));
    expect(judge(anAnalysis({ max: 1, ...groupBy('worst', 100) }), many, 0).message).toBe(
      'The query returned 10000 groups; at most 100 are allowed (groupBy.cap). Group by something with fewer values.',
    );
  });
});

describe('an expression', () => {
  it.each([
    ['valu < 1', 'Unknown variable: valu'],
    ['value', 'the type is double. It must be true or false'],
    ['value <', 'Unexpected token'],
    ['baseline < 1.0', 'Unknown variable: baseline'],
    ['value / 2 < 1', 'no such overload'],
  ])('%s is refused: %s', (pass, message) =>
    expect(expressionProblems(anAnalysis({ pass }))).toEqual([expect.stringContaining(message)]),
  );

  it('may name the other side, and how much there was', () =>
    expect(
      expressionProblems(
        anAnalysis({
          pass: 'value - baseline < 1.0 || samples < 5.0',
          ...compare({ maxRatio: 9 }),
          ...fewer,
        }),
      ),
    ).toEqual([]));
});

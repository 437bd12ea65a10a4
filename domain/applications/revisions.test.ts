import { describe, expect, it } from 'vitest';
import { outdatedRevisions, servedBy } from './revisions.ts';

const revisions = (count: number, good: readonly number[] = []) =>
  Array.from({ length: count }, (_, index) => ({ number: index + 1, isGood: good.includes(index + 1) }));

describe('revisions that are kept', () => {
  it.each([
    ['are the last ten', revisions(12), [], [2, 1]],
    ['are all of ten', revisions(10), [], []],
    ['include the last good one', revisions(13, [1, 2]), [], [3, 1]],
    ['include those that are in use', revisions(12), [1], [2]],
  ])('%s', (_, all, named, want) => expect(outdatedRevisions(all, named)).toEqual(want));
});

describe('revisions that a Cell serves', () => {
  const of = (...versions: string[]) => versions.map((version) => ({ version }));

  it('are those of its version', () => expect(servedBy(of('3', '2', '1'), '2')).toEqual(of('2')));
  it('are the newest two of many that serve the same', () =>
    expect(servedBy(of('3', '1', '1', '1'), '1')).toEqual(of('1', '1')));
  it('are none where it serves none', () => expect(servedBy(of('3', '2'), undefined)).toEqual([]));
});

import { describe, expect, it } from 'vitest';
import { outdatedRevisions } from './revisions.ts';

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

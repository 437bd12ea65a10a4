import type { CheckAnalysis } from '../../crds/check.ts';

type Bounds = Pick<CheckAnalysis, 'min' | 'max' | 'pass' | 'fail' | 'compare'>;

/** What a value is held against, for people. */
export function thresholdOf({ min, max, pass, fail, compare }: Bounds): string {
  const parts = [
    min === undefined ? undefined : `min ${min}`,
    max === undefined ? undefined : `max ${max}`,
    pass === undefined ? undefined : `pass: ${pass}`,
    fail === undefined ? undefined : `fail: ${fail}`,
    compare?.maxRatio === undefined ? undefined : `at most ${compare.maxRatio} times ${compare.to}`,
    compare?.maxDifference === undefined ? undefined : `at most ${compare.maxDifference} above ${compare.to}`,
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}

import { describe, expect, it } from 'vitest';

import { countsLine } from '../test/support/plain-reporter.ts';

describe('countsLine', () => {
  it('names skipped tests only when there are some', () => {
    expect(countsLine({ passed: 3, failed: 0, skipped: 0 })).toBe('3 passed, 0 failed');
    expect(countsLine({ passed: 3, failed: 1, skipped: 2 })).toBe('3 passed, 1 failed, 2 skipped');
  });
});

import { describe, expect, it } from 'vitest';
import { NO_TIME } from '../testing/builders.ts';
import { awaitMissing, missingProblems, type Grace } from './missing.ts';

const now = Date.parse('2026-11-22T12:10:00.000Z');
const at = (time: string): string => `2026-11-22T${time}.000Z`;
const grace = (before: Grace['before'] = [], seconds = 180): Grace => ({ before, now, seconds });
const missed = (name: string, time: string) => ({ name, since: at(time) });

describe('what is missed', () => {
  it.each([
    ['is waited for from when it is first missed', grace(), [missed('cdk1', '12:10:00')], 180],
    [
      'is waited for since the status says so',
      grace([missed('cdk1', '12:08:00')]),
      [missed('cdk1', '12:08:00')],
      60,
    ],
    ['is given up when its time is over', grace([missed('cdk1', '12:07:00')]), [], undefined],
    ['is given up at once where there is no time', grace([], 0), [], undefined],
    [
      'does not wait longer because a clock was ahead',
      grace([missed('cdk1', '12:30:00')]),
      [missed('cdk1', '12:10:00')],
      180,
    ],
    [
      'is waited for from now when the status has no time',
      grace([{ name: 'cdk1', since: NO_TIME }]),
      [missed('cdk1', '12:10:00')],
      180,
    ],
    ['has no time of another', grace([missed('cdk2', '12:00:00')]), [missed('cdk1', '12:10:00')], 180],
  ])('%s', (_, given, missing, againInSeconds) => {
    const found = awaitMissing(['cdk1', 'cdk1'], given);
    expect(found.missing).toEqual(missing);
    expect(found.againInSeconds).toBe(againInSeconds);
    expect(found.isAwaited('cdk1')).toBe(missing.length > 0);
  });

  it('looks again when the first is over, and writes down no more than a status takes', () => {
    const names = Array.from({ length: 1500 }, (_, index) => `c${index}`);
    const found = awaitMissing(names, grace([missed('c1499', '12:09:00')]));
    expect(found.missing).toHaveLength(1000);
    expect(found.missing[0]).toEqual(missed('c1499', '12:09:00'));
    expect(found.againInSeconds).toBe(120);
    expect(names.every(found.isAwaited)).toBe(true);
  });

  it('forgets what is there again, and says when nothing is missed', () => {
    expect(awaitMissing([], grace([missed('cdk1', '12:00:00')]))).toMatchObject({ missing: [] });
  });

  it('is a problem that says until when', () => {
    const given = grace([missed('cdk1', '12:08:00')]);
    const texts = {
      expected: (name: string) => `Expected ${name}, got none`,
      stays: () => 'All stays',
      advice: 'make it.',
    };
    expect(missingProblems(awaitMissing(['cdk1'], given), given, texts)).toEqual([
      {
        cluster: 'cdk1',
        reason: 'ClusterMissing',
        message: `Expected cdk1, got none since ${at('12:08:00')}. All stays until ${at('12:11:00')}; make it.`,
      },
    ]);
  });
});

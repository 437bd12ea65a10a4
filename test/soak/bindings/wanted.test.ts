import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallRecord } from '../../../local/elbv2-proxy/control.ts';
import { Wanted, type Want } from './wanted.ts';

const arn = 'arn:aws:elasticloadbalancing:us-east-1:111122223333:targetgroup/g2/1';
const target = 'i-1:81';
const wants: Want = { arn, targets: new Set([target]) };

/** Something that changes at a second. */
type Change = readonly [second: number, wanting: readonly string[], isHidden?: boolean];

/** What is wrong with a call at a second that takes the target out. */
function wrongAt(second: number, ...changes: readonly Change[]): number {
  const wanted = new Wanted('i-9:8080');
  for (const [at, wanting, isHidden = false] of changes) {
    vi.setSystemTime(at * 1000);
    wanted.note(new Map(wanting.map((name) => [name, wants])), () => isHidden);
  }
  const call = {
    seq: 1,
    action: 'DeregisterTargets',
    applied: true,
    startedAt: second * 1000,
    endedAt: second * 1000 + 50,
    parameters: { TargetGroupArn: arn, Targets: [{ Id: 'i-1', Port: '81' }] },
  } as unknown as CallRecord;
  return wanted.wronglyGone([call]).length;
}

describe('a target that is taken out of a target group', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it.each<[string, number, readonly Change[], number]>([
    ['was wanted for long', 20, [[0, ['b1']]], 1],
    ['was wanted for a moment', 10, [[0, ['b1']]], 0],
    [
      'is not wanted any more',
      40,
      [
        [0, ['b1']],
        [30, []],
      ],
      0,
    ],
    [
      'was wanted for long by another, too',
      40,
      [
        [0, ['b1', 'b2']],
        [30, ['b2']],
      ],
      1,
    ],
    [
      'was wanted again for a moment',
      40,
      [
        [0, ['b1']],
        [20, []],
        [30, ['b1']],
      ],
      0,
    ],
    [
      'was seen for long before its cluster went',
      60,
      [
        [0, ['b1']],
        [20, ['b1'], true],
      ],
      1,
    ],
    [
      'is of a cluster that was away since another than the one that had it asked for it',
      60,
      [
        [0, ['b1']],
        [20, ['b1'], true],
        [25, ['b1', 'b2'], true],
        [50, ['b2'], true],
      ],
      0,
    ],
    [
      'could be seen for moments only',
      60,
      [
        [0, ['b1'], true],
        [20, ['b1']],
        [30, ['b1'], true],
        [40, ['b1']],
        [50, ['b1'], true],
      ],
      0,
    ],
    [
      'has been in sight for long again',
      60,
      [
        [0, ['b1'], true],
        [40, ['b1']],
      ],
      1,
    ],
  ])('%s', (_, second, changes, wrong) => expect(wrongAt(second, ...changes)).toBe(wrong));
});

import { describe, expect, it } from 'vitest';
import type { WeightedTargetGroup } from '../model/target-group.ts';
import { initialState } from '../model/state.ts';
import { aCell, arnOf } from '../testing/builders.ts';
import { guard } from './guard.ts';

const shareOf = (name: string, weight: number): WeightedTargetGroup => ({ name, arn: arnOf(name), weight });

/** A Cell whose status says that a serves, while b was asked for, and whether that was written is not known. */
const unconfirmed = {
  ...aCell().withGroups('1.0.0', 'b').withGroups('2.0.0', 'c').serving({ a: 100 }).seen(),
  desired: [shareOf('b', 100)],
  isApplied: false,
};

describe('a group that is attached while the write before is not confirmed', () => {
  it('requires healthy targets of those that keep a weight which that write may have taken away', () => {
    const { cell } = unconfirmed;
    if (cell === undefined) throw new Error('Expected a Cell.');
    const shift = {
      do: 'Shift',
      purpose: 'ShiftingTraffic',
      version: '2.0.0',
      shares: [shareOf('c', 100)],
      urgent: false,
      message: 'Setting the weight of 2.0.0 to 100.',
    } as const;
    expect(guard(shift, { observed: unconfirmed, cell, state: initialState, now: 0 })).toMatchObject({
      purpose: 'AttachingTargetGroups',
      shares: [shareOf('a', 100), shareOf('c', 0)],
      requires: { healthy: [arnOf('a')], registered: [arnOf('c')] },
    });
  });
});

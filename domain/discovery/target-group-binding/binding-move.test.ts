import { describe, expect, it } from 'vitest';
import { isFilled, turnTo, withFormer, type Entry } from './binding-move.ts';

const targets = (...ids: string[]) => [{ name: 'nodes', port: 80, ids }];
const at = (...ids: string[]) => ids.map((id) => ({ id, port: 80 }));

describe('an object that turns to another target group', () => {
  const inA: Entry = { targetGroupARN: 'a', created: false, targets: targets('i-a') };
  const former = { targetGroupARN: 'a', created: false, targets: targets('i-a') };
  const toB = { targetGroupARN: 'b', created: false };
  it.each([
    ['remembers what is in the one before', inA, toB, { ...toB, targets: [], former: [former] }],
    ['stays where it is', inA, { targetGroupARN: 'a', created: false }, inA],
    ['begins anywhere', { targets: [] }, toB, { ...toB, targets: [] }],
    [
      'takes up again what is still there when it goes back',
      { ...toB, targets: targets('i-b'), former: [former] },
      { targetGroupARN: 'a', created: false },
      { ...former, former: [{ ...toB, targets: targets('i-b') }] },
    ],
    ['remembers none in which there is nothing', { ...inA, targets: [] }, toB, { ...toB, targets: [] }],
  ])('%s', (_, entry, to, want) => expect(turnTo(entry, to)).toEqual(want));

  it('forgets the one before when nothing is left there', () => {
    const entry = turnTo(inA, toB);
    expect(withFormer(entry, former, targets('i-a')).former).toEqual([former]);
    expect(withFormer(entry, former, [])).toEqual({ ...toB, targets: [] });
  });
});

describe('the target group before', () => {
  const wanted = { targets: targets('i-a', 'i-b'), problems: [], isIncomplete: false };
  const nothing = { failed: [], reasons: [] };
  const refused = { failed: at('i-a'), reasons: ['InvalidTarget'] };
  const noRoom = { failed: at('i-a'), reasons: ['TooManyTargets'], withoutRoom: at('i-a') };
  const slow = { reason: 'Unreachable', message: '' };
  it.each([
    ['is left when all is registered', wanted, nothing, true],
    ['is left when AWS refuses one of several by itself', wanted, refused, true],
    ['stays when AWS refuses some together', wanted, { ...refused, unsettled: at('i-a') }, false],
    ['stays when there is no room for one', wanted, noRoom, false],
    ['stays when AWS refuses all', wanted, { failed: at('i-a', 'i-b'), reasons: ['InvalidTarget'] }, false],
    ['stays when a call fails', wanted, { failed: at('i-a'), reasons: ['AccessDenied'] }, false],
    ['stays while it has what cannot be found', { ...wanted, isIncomplete: true }, nothing, false],
    ['is left when nothing is wanted', { ...wanted, targets: [] }, nothing, true],
    ['stays when nothing could be found', { ...wanted, targets: [], problems: [slow] }, nothing, false],
  ])('%s', (_, decision, outcome, want) =>
    expect(isFilled(decision, { unsettled: [], withoutRoom: [], ...outcome })).toBe(want),
  );
});

import { describe, expect, it } from 'vitest';
import { sharedTargets, type OtherBinding } from './shared-targets.ts';

const target = (changed: Partial<OtherBinding['targets'][number]> = {}) => ({
  name: 'web',
  port: 80,
  ids: ['i-a'],
  ...changed,
});
const other = (changed: Partial<OtherBinding> = {}): OtherBinding => ({
  uid: 'other',
  isDeleting: false,
  targetGroupARN: 'arn:web',
  targets: [target()],
  ...changed,
});
const place = { targetGroupARN: 'arn:web', targets: [target()] };

describe('a target that another object has registered', () => {
  it.each([
    ['is shared, and stays when this one lets it go', other(), true, true],
    [
      'is shared when it was found in a cluster',
      other({ targets: [target({ byCluster: [{ cluster: 'c1', ids: ['i-a'] }] })] }),
      true,
      true,
    ],
    [
      'is shared, and does not stay, when that is leaving it',
      other({ targets: [target({ byCluster: [] })] }),
      true,
      false,
    ],
    ['is shared, and does not stay, when that is being deleted', other({ isDeleting: true }), true, false],
    [
      'is shared, and does not stay, when that moves elsewhere',
      other({ targetGroupARN: 'arn:api', targets: [], former: [place] }),
      true,
      false,
    ],
    ['is not shared in another target group', other({ targetGroupARN: 'arn:api' }), false, false],
    ['is not shared at another port', other({ targets: [target({ port: 81 })] }), false, false],
    ['is not shared with itself', other({ uid: 'mine' }), false, false],
  ])('%s', (_, one, isTheirs, isKept) => {
    const shared = sharedTargets([one], {
      uid: 'mine',
      targetGroupARN: 'arn:web',
      isLeft: false,
      isInUse: false,
    });
    const registration = { id: 'i-a', port: 80 };
    expect([shared.isTheirs(registration), shared.isKept(registration)]).toEqual([isTheirs, isKept]);
  });

  it.each([
    [
      'stays when that moves elsewhere',
      other({ targetGroupARN: 'arn:api', targets: [], former: [place] }),
      true,
    ],
    [
      'does not stay when that was leaving it before it moved elsewhere',
      other({
        targetGroupARN: 'arn:api',
        targets: [],
        former: [{ ...place, targets: [target({ byCluster: [] })] }],
      }),
      false,
    ],
    [
      'stays when that is being deleted, and has created the target group',
      other({ isDeleting: true, created: true }),
      true,
    ],
    ['does not stay when that is being deleted otherwise', other({ isDeleting: true }), false],
  ])('%s, while a load balancer forwards to what this one leaves', (_, one, isKept) => {
    const shared = sharedTargets([one], {
      uid: 'mine',
      targetGroupARN: 'arn:web',
      isLeft: true,
      isInUse: true,
    });
    expect(shared.isKept({ id: 'i-a', port: 80 })).toBe(isKept);
  });

  it.each([
    ['stays when that has moved elsewhere, and keeps it up there', { targetsHash: 'now' }, true, true],
    ['does not stay when that asks for other targets by now', { targetsHash: 'before' }, true, false],
    ['does not stay when nobody knows what that had asked for', {}, true, false],
    ['does not stay when that may leave it', { targetsHash: 'now' }, false, false],
  ])('%s, where this one stays and lets it go', (_, former, isInUse, isKept) => {
    const moved = other({
      targetGroupARN: 'arn:api',
      targets: [],
      former: [{ ...place, ...former }],
      targetsHashNow: 'now',
    });
    const shared = sharedTargets([moved], { uid: 'mine', targetGroupARN: 'arn:web', isLeft: false, isInUse });
    expect(shared.isKept({ id: 'i-a', port: 80 })).toBe(isKept);
  });
});

import { describe, expect, it } from 'vitest';
import { findSharedTargets } from './registered-target.ts';

const target = (changed: object = {}) => ({
  name: 'web',
  port: 80,
  ids: ['i-a'],
  ...changed,
});
type Other = Parameters<typeof findSharedTargets>[0][number];
const other = (status: Other['status'] = {}, metadata: Partial<Other['metadata']> = {}): Other => ({
  metadata: { name: 'other', uid: 'other', ...metadata },
  status: { targetGroupARN: 'arn:web', targets: [target()], ...status },
});
const deletionTimestamp = '2026-11-23T00:00:00Z';
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
    [
      'is shared, and does not stay, when that is being deleted',
      other({}, { deletionTimestamp }),
      true,
      false,
    ],
    ['is not shared in another target group', other({ targetGroupARN: 'arn:api' }), false, false],
    ['is not shared at another port', other({ targets: [target({ port: 81 })] }), false, false],
    ['is not shared with itself', other({}, { uid: 'mine' }), false, false],
  ])('%s', (_, one, isTheirs, isKept) => {
    const shared = findSharedTargets([one], {
      uid: 'mine',
      targetGroupARN: 'arn:web',
      isLeftInUse: false,
    });
    const registration = { id: 'i-a', port: 80 };
    expect([shared.isTheirs(registration), shared.isKept(registration)]).toEqual([isTheirs, isKept]);
  });

  it.each([
    [
      'stays when that is being deleted, and has created the target group',
      other({ created: true }, { deletionTimestamp }),
      true,
    ],
    ['does not stay when that is being deleted otherwise', other({}, { deletionTimestamp }), false],
  ])('%s, while a load balancer forwards to what this one leaves', (_, one, isKept) => {
    const shared = findSharedTargets([one], {
      uid: 'mine',
      targetGroupARN: 'arn:web',
      isLeftInUse: true,
    });
    expect(shared.isKept({ id: 'i-a', port: 80 })).toBe(isKept);
  });
});

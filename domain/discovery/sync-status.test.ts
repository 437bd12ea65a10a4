import { describe, expect, it } from 'vitest';
import { awsTargetGroupSet } from '../../crds/aws-target-group-set.ts';
import { namesOf, deriveSyncStatus } from './sync-status.ts';

const at = { generation: 1, time: '2026-11-20T00:00:00Z' };

describe('the status of a sync', () => {
  it('is one that the schema takes, however much is wrong and with however long names', () => {
    const problem = {
      cluster: 'c'.repeat(300),
      object: `${'s'.repeat(253)}/${'n'.repeat(63)}/${'b'.repeat(253)}`,
      reason: 'NameTaken',
      message: 'm'.repeat(2000),
    };
    const status = deriveSyncStatus(
      { message: 'ok', problems: Array.from({ length: 200 }, () => problem) },
      {},
      at,
    );
    expect(awsTargetGroupSet.status.safeParse(status).error?.issues ?? []).toEqual([]);
    expect(status.problems).toHaveLength(100);
  });
});

describe('the names of clusters', () => {
  it('are no more than a status has room for', () => {
    const many = Array.from({ length: 1001 }, (_, index) => `c${index}`);
    expect(namesOf(many).names).toHaveLength(1000);
    expect(namesOf(['a', 'b'])).toEqual({ names: ['a', 'b'] });
  });
});

import { describe, expect, it } from 'vitest';
import type { AWSTargetGroupBindingSpec } from '../../crds/aws-target-group-binding.ts';
import { hasMoved } from './leave.ts';

const named = (targetGroupARN: string): AWSTargetGroupBindingSpec => ({ targetGroupARN, targets: [] });
const asked: AWSTargetGroupBindingSpec = {
  targetGroup: { protocol: 'HTTP', vpcID: 'vpc-01234567', targetType: 'ip' },
  targets: [],
};

describe('a binding', () => {
  it.each([
    ['has not moved before it was anywhere', named('a'), {}, false],
    ['has not moved while it names the same group', named('a'), { targetGroupARN: 'a' }, false],
    ['has moved when it names another group', named('b'), { targetGroupARN: 'a' }, true],
    ['has moved from the group that it created', named('b'), { targetGroupARN: 'a', created: true }, true],
    ['has not moved while it has created its group', asked, { targetGroupARN: 'a', created: true }, false],
    ['has moved to a group that it is to create', asked, { targetGroupARN: 'a', created: false }, true],
  ])('%s', (_, spec, entry, want) => expect(hasMoved(spec, { targets: [], ...entry })).toBe(want));
});

import { describe, expect, it } from 'vitest';
import { faultSchema, settingsChangeSchema, targetsSchema } from './switches.ts';

const groupArn = 'arn:aws:elasticloadbalancing:us-east-1:123456789012:targetgroup/a/1';

describe('switches', () => {
  it.each([
    ['an unknown kind', faultSchema, { kind: 'explode' }, 'kind'],
    ['an unknown action', faultSchema, { kind: 'drop', match: { action: 'ModifyRules' } }, 'match.action'],
    ['a misspelt field', faultSchema, { kind: 'drop', time: 2 }, ''],
    ['a delay of unknown length', faultSchema, { kind: 'delay' }, 'delayMs'],
    ['throttling after the fact', faultSchema, { kind: 'throttle', when: 'after' }, 'when'],
    ['slowness of unknown length', faultSchema, { kind: 'unseen' }, 'forMs'],
    ['slowness after the fact', faultSchema, { kind: 'draining', forMs: 1, when: 'after' }, 'when'],
    ['a bucket that drops', faultSchema, { kind: 'drop', bucket: { burst: 1, perSecond: 1 } }, 'bucket'],
    ['no times at all', faultSchema, { kind: 'drop', times: 0 }, 'times'],
    ['a page of 0', settingsChangeSchema, { pageSize: 0 }, 'pageSize'],
    ['an unknown setting', settingsChangeSchema, { pagesize: 1 }, ''],
    ['both kinds of staleness', settingsChangeSchema, { staleReads: { ms: 1, calls: 1 } }, 'staleReads'],
    ['an unknown throttling code', settingsChangeSchema, { throttle: { code: 'Slow' } }, 'throttle.code'],
    ['an unknown state', targetsSchema, { targetGroupArn: groupArn, state: 'ill' }, 'state'],
    [
      'a reason of another state',
      targetsSchema,
      { targetGroupArn: groupArn, state: 'initial', reason: 'Target.Timeout' },
      'reason',
    ],
    ['a group that is no ARN', targetsSchema, { targetGroupArn: 'a', state: 'healthy' }, 'targetGroupArn'],
  ])('refuse %s', (_, schema, input, path) => {
    const parsed = schema.safeParse(input);
    expect(parsed.error?.issues.map((issue) => issue.path.join('.'))).toContain(path);
  });

  it('fill in what is left out of a fault', () => {
    expect(faultSchema.parse({ kind: 'drop' })).toEqual({
      kind: 'drop',
      when: 'before',
      match: {},
      times: 1,
    });
  });
});

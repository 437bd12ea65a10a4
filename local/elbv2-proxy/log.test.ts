import { describe, expect, it } from 'vitest';
import { createCallLog, type CallRecord } from './log.ts';
import { groupArn, listenerArn, ruleArn } from './world/sample.ts';

const record = (action: string, change: Partial<CallRecord>): Omit<CallRecord, 'seq'> => ({
  startedAt: 1,
  endedAt: 2,
  action,
  parameters: {},
  account: '123456789012',
  region: 'us-east-1',
  userAgent: 'test',
  outcome: { status: 200 },
  applied: false,
  ...change,
});

const forward = [{ arn: groupArn('a'), weight: 100 }];

function filled() {
  const log = createCallLog();
  log.add(record('CreateRule', { parameters: { ListenerArn: listenerArn('web') } }));
  log.add(record('ModifyRule', { parameters: { RuleArn: ruleArn('web', 'r1') } }));
  log.add(record('ModifyRule', { parameters: { RuleArn: ruleArn('other', 'r1') } }));
  const view = {
    ruleArn: ruleArn('web', 'r1'),
    listenerArn: listenerArn('web'),
    priority: '10',
    conditions: [],
    forward,
  };
  log.add(record('DeleteLoadBalancer', { before: [view], after: [] }));
  log.add(record('DescribeTargetHealth', { parameters: { TargetGroupArn: groupArn('a') } }));
  return log;
}

const numbers = (filter: Parameters<ReturnType<typeof createCallLog>['find']>[0]): readonly number[] =>
  filled()
    .find(filter)
    .map((call) => call.seq);

describe('the log', () => {
  it.each([
    ['everything', {}, [1, 2, 3, 4, 5]],
    ['what came later', { since: 3 }, [4, 5]],
    ['calls on a listener, on its rules, and on what they were', { listener: listenerArn('web') }, [1, 2, 4]],
    ['calls on a target group, and on rules that forward to it', { targetGroup: groupArn('a') }, [4, 5]],
    ['calls that mention something', { mentions: ['other', ruleArn('web', 'r1')] }, [2, 3]],
    ['one action', { action: 'ModifyRule' }, [2, 3]],
    ['all of that at once', { since: 1, listener: listenerArn('web'), action: 'ModifyRule' }, [2]],
  ])('finds %s', (_, filter, want) => {
    expect(numbers(filter)).toEqual(want);
  });

  it('keeps the last calls and their numbers when it is full', () => {
    const log = createCallLog(10);
    for (let made = 0; made < 100; made += 1) log.add(record('DescribeRules', {}));
    const kept = log.find({}).map((call) => call.seq);
    expect(kept.length).toBeLessThanOrEqual(11);
    expect(kept.at(-1)).toBe(100);
    expect(log.last()).toBe(100);
  });
});

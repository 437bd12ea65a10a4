import { expect, it } from 'vitest';
import { createCallLog } from '../elbv2-proxy/log.ts';
import { RESTING_ARNS, RESTING_WORKFLOWS } from './resting.ts';

const arn = (rest: string): string => `arn:aws:elasticloadbalancing:us-east-1:123456789012:${rest}`;

it.each([
  ['a listener of theirs', { ListenerArn: arn('listener/app/resting/0/0') }, 1],
  ['a rule of theirs', { RuleArn: arn('listener-rule/app/resting/0/0/0') }, 1],
  ['a target group of theirs', { TargetGroupArn: arn('targetgroup/group-3/0') }, 1],
  ['a rule of others', { RuleArn: arn('listener-rule/app/bench-1a/0/0/0') }, 0],
  ['a target group of others', { TargetGroupArn: arn('targetgroup/new-0-1-0-0/0') }, 0],
])('counts a call about %s for Cells at rest, or leaves it out', (_, parameters, count) => {
  const log = createCallLog();
  const outcome = { status: 200 };
  const of = { action: 'Any', account: '', region: '', userAgent: '', startedAt: 0, endedAt: 0 };
  log.add({ ...of, parameters, outcome, applied: false });
  expect(log.find({ mentions: RESTING_ARNS })).toHaveLength(count);
});

it('knows the workflows of Cells at rest by their namespace', () => {
  expect(RESTING_WORKFLOWS).toBe('cell/resting/');
});

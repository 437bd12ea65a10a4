import { describe, expect, it } from 'vitest';
import type { Fields } from '../protocol/fields.ts';
import { aWorld, forwardTo, ruleArn, withGroups, withRule } from '../world/sample.ts';
import { judge } from './rules.ts';
import { create, fixed, modify } from './sample.ts';

describe('priorities and quotas', () => {
  it('lets two rules swap their priorities, and refuses one that a third holds', () => {
    const two = withRule(aWorld(), 'web', { priority: '20', action: fixed });
    const world = withRule(two, 'web', { priority: '30', action: fixed });
    const move = (first: string, second: string): Fields => ({
      RulePriorities: [
        { RuleArn: ruleArn('web', 'a10'), Priority: first },
        { RuleArn: ruleArn('web', 'a20'), Priority: second },
      ],
    });
    const judged = (parameters: Fields) =>
      judge({ action: 'SetRulePriorities', parameters, world })?.refusal.code;
    expect([judged(move('20', '10')), judged(move('30', '10')), judged(move('40', '40'))]).toEqual([
      undefined,
      'PriorityInUse',
      'ValidationError',
    ]);
  });

  it('refuses rule 101 of a load balancer', () => {
    const priorities = Array.from({ length: 99 }, (_, index) => String(1000 + index));
    const full = priorities.reduce(
      (world, priority) => withRule(world, 'web', { priority, action: fixed }),
      aWorld(),
    );
    expect(judge({ action: 'CreateRule', parameters: create(), world: full })?.refusal.code).toBe(
      'TooManyRules',
    );
  });

  it('refuses target group 101 of a load balancer, and takes one that is used already', () => {
    const names = Array.from({ length: 99 }, (_, index) => `g${index}`);
    const full = names.reduce(
      (world, name, index) =>
        withRule(world, 'web', { priority: String(1000 + index), action: forwardTo({ [name]: 1 }) }),
      withGroups(aWorld(), names),
    );
    const parameters = (name: string): Fields => modify({ Actions: [forwardTo({ a: 1, [name]: 1 })] });
    const judged = (name: string) =>
      judge({ action: 'ModifyRule', parameters: parameters(name), world: full })?.refusal.code;
    expect([judged('b'), judged('g7')]).toEqual(['TooManyUniqueTargetGroupsPerLoadBalancer', undefined]);
  });
});

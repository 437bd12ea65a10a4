import { describe, expect, it } from 'vitest';
import { arnKindOf, listenerOfRule, loadBalancerOfListener } from './arns.ts';
import { createHistory } from './history.ts';
import {
  aWorld,
  forwardTo,
  groupArn,
  listenerArn,
  loadBalancerArn,
  pathOf,
  ruleArn,
  withRule,
} from './sample.ts';
import { shownRule, shownTargetGroup } from './shown.ts';
import { update } from './update.ts';
import { byPriority, usersOf, viewOf } from './world.ts';

const forwarded = (world = aWorld(), rule = 'a10') => viewOf(world, ruleArn('web', rule))?.forward;

const rewritten = (groups: Readonly<Record<string, number>>) => ({
  action: 'ModifyRule',
  parameters: {},
  result: { Rules: [{ RuleArn: ruleArn('web', 'a10'), Priority: '10', Actions: [forwardTo(groups)] }] },
});

describe('ARNs', () => {
  it.each(['web', 'net'])('lead from a rule of %s to its listener and load balancer', (name) => {
    expect(listenerOfRule(ruleArn(name, 'r'))).toBe(listenerArn(name));
    expect(loadBalancerOfListener(listenerArn(name))).toBe(loadBalancerArn(name));
  });

  it.each([
    [ruleArn('web', 'r'), 'listener rule'],
    [listenerArn('web'), 'listener'],
    [loadBalancerArn('web'), 'load balancer'],
    [groupArn('a'), 'target group'],
    [`${groupArn('a')}/more`, undefined],
    ['arn:aws:s3:::bucket', undefined],
  ])('are told apart: %s', (arn, want) => {
    expect(arnKindOf(arn)).toBe(want);
  });
});

describe('the world', () => {
  it('follows a changed rule', () => {
    const next = update(aWorld(), rewritten({ a: 0, b: 100 }));
    expect(forwarded(next)).toEqual([
      { arn: groupArn('a'), weight: 0 },
      { arn: groupArn('b'), weight: 100 },
    ]);
  });

  it('counts a group at weight 0 as used', () => {
    expect([...usersOf(update(aWorld(), rewritten({ a: 100, b: 0 })), groupArn('b'))]).toEqual([
      loadBalancerArn('web'),
    ]);
    expect([...usersOf(aWorld(), groupArn('b'))]).toEqual([]);
  });

  it.each([
    ['DeleteRule', { RuleArn: ruleArn('web', 'a10') }],
    ['DeleteListener', { ListenerArn: listenerArn('web') }],
    ['DeleteLoadBalancer', { LoadBalancerArn: loadBalancerArn('web') }],
  ])('loses what %s takes away, and nothing else', (action, parameters) => {
    const next = update(aWorld(), { action, parameters, result: {} });
    expect([next.rules.has(ruleArn('web', 'a10')), next.rules.has(ruleArn('other', 'a10'))]).toEqual([
      false,
      true,
    ]);
  });

  it('gives the default rule the new default action of its listener', () => {
    const listener = { ListenerArn: listenerArn('web'), DefaultActions: [forwardTo({ b: 1 })] };
    const next = update(aWorld(), {
      action: 'ModifyListener',
      parameters: {},
      result: { Listeners: [listener] },
    });
    expect(forwarded(next, 'default')).toEqual([{ arn: groupArn('b'), weight: 1 }]);
  });

  it('follows tags given at creation, added and removed', () => {
    const rule = { RuleArn: ruleArn('web', 'r2'), Priority: '2' };
    const created = update(aWorld(), {
      action: 'CreateRule',
      parameters: { Tags: [{ Key: 'owner', Value: 'a' }] },
      result: { Rules: [rule] },
    });
    const arns = { ResourceArns: [rule.RuleArn] };
    const added = update(created, {
      action: 'AddTags',
      parameters: { ...arns, Tags: [{ Key: 'x' }] },
      result: {},
    });
    const removed = update(added, {
      action: 'RemoveTags',
      parameters: { ...arns, TagKeys: ['owner'] },
      result: {},
    });
    expect([created, added, removed].map((world) => viewOf(world, rule.RuleArn)?.tags)).toEqual([
      { owner: 'a' },
      { owner: 'a', x: '' },
      { x: '' },
    ]);
  });

  it('shows the tags of a listener with its default rule, and with no other', () => {
    const world = update(aWorld(), {
      action: 'AddTags',
      parameters: { ResourceArns: [listenerArn('web')], Tags: [{ Key: 'owner', Value: 'a' }] },
      result: {},
    });
    expect(viewOf(world, ruleArn('web', 'default'))).toMatchObject({ listenerTags: { owner: 'a' } });
    expect(viewOf(world, ruleArn('web', 'default'))).not.toHaveProperty('tags');
    expect(viewOf(world, ruleArn('web', 'a10'))).not.toHaveProperty('listenerTags');
  });

  it('lists rules by priority, the default rule last', () => {
    const rules = ['default', '30', '4'].map((Priority) => ({ Priority }));
    expect(byPriority(rules).map((rule) => rule['Priority'])).toEqual(['4', '30', 'default']);
  });
});

describe('what AWS fills in', () => {
  it('is both forms of a forward action to one group, and of a path condition', () => {
    const rule = {
      Actions: [{ Type: 'forward', TargetGroupArn: 'a' }],
      Conditions: [{ Field: 'path-pattern', Values: ['/'] }],
    };
    expect(shownRule(rule)).toEqual({
      Actions: [
        {
          Type: 'forward',
          TargetGroupArn: 'a',
          ForwardConfig: {
            TargetGroups: [{ TargetGroupArn: 'a', Weight: '1' }],
            TargetGroupStickinessConfig: { Enabled: 'false' },
          },
        },
      ],
      Conditions: [{ Field: 'path-pattern', Values: ['/'], PathPatternConfig: { Values: ['/'] } }],
    });
    expect(shownRule({ Conditions: [pathOf('/')] })['Conditions']).toEqual(shownRule(rule)['Conditions']);
  });

  it('names no single group where there are several', () => {
    const [action] = [shownRule({ Actions: [forwardTo({ a: 1, b: 2 })] })['Actions']].flat();
    expect(action).not.toHaveProperty('TargetGroupArn');
  });

  it('names the load balancers that use a group', () => {
    expect(shownTargetGroup(aWorld(), { TargetGroupArn: groupArn('a') })['LoadBalancerArns']).toEqual([
      loadBalancerArn('web'),
    ]);
  });
});

describe('history', () => {
  const first = aWorld();
  const second = withRule(first, 'web', { priority: '11', action: forwardTo({ b: 1 }) });
  const subject = [listenerArn('web')];

  function two() {
    const history = createHistory();
    history.record({ at: 1000, touched: subject, before: first });
    history.record({ at: 2000, touched: subject, before: second });
    return history;
  }

  it.each([
    [500, 2400, second],
    [500, 2600, undefined],
    [1500, 2400, first],
  ])('looks %i ms back at %i', (ms, now, want) => {
    expect(two().past(subject, { ms }, now)).toBe(want);
  });

  it('looks back for a number of reads after the last write', () => {
    const history = two();
    const seen = [1, 2, 3].map(() => history.past(subject, { calls: 2 }, 9000));
    expect(seen).toEqual([second, second, undefined]);
  });

  it('looks past the last write', () => {
    expect(two().past(subject, { lastWrite: true }, 9000)).toBe(second);
  });

  it('does not look back for what no write has touched', () => {
    expect(two().past([listenerArn('other')], { lastWrite: true }, 2001)).toBeUndefined();
  });
});

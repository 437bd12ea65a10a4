import { describe, expect, it } from 'vitest';
import type { Fields } from '../protocol/fields.ts';
import { createAges } from './ages.ts';
import { aWorld, forwardTo, groupArn, ruleArn, withLoadBalancer, withRule } from './sample.ts';
import { update } from './update.ts';
import { emptyWorld, type World } from './world.ts';

const one: Fields = { Id: '10.0.0.1', Port: '80' };
const two: Fields = { Id: '10.0.0.2', Port: '80' };

const targets = (world: World, action: string, ...Targets: readonly Fields[]): World =>
  update(world, { action, parameters: { TargetGroupArn: groupArn('b'), Targets }, result: {} });

const first = aWorld();
const registered = targets(first, 'RegisterTargets', one, two);
const left = targets(registered, 'DeregisterTargets', one);
const used = withRule(left, 'web', { priority: '11', action: forwardTo({ b: 100 }) });

function lived() {
  const ages = createAges();
  ages.record(first, registered, 1000);
  ages.record(registered, left, 2000);
  ages.record(left, used, 3000);
  return ages;
}

describe('ages', () => {
  it('know which rules were created since', () => {
    expect([...lived().rulesSince(2999)]).toEqual([ruleArn('web', 'a11')]);
    expect([...lived().rulesSince(3000)]).toEqual([]);
  });

  it('take the default rule of a new listener for no new rule', () => {
    const ages = createAges();
    ages.record(emptyWorld, withLoadBalancer(emptyWorld, 'web'), 1000);
    expect([...ages.rulesSince(0)]).toEqual([]);
  });

  it('know since when a target is checked: registered, and its group in use', () => {
    const ages = createAges();
    ages.record(first, registered, 1000);
    expect(ages.checkedSince(groupArn('b'), '10.0.0.2:80')).toBe(1000);
    expect(lived().checkedSince(groupArn('b'), '10.0.0.2:80')).toBe(3000);
    expect(lived().checkedSince(groupArn('a'), '10.0.0.2:80')).toBe(0);
  });

  it('know which targets have left since, and forget those that are back', () => {
    const ages = lived();
    expect(ages.leftSince(groupArn('b'), 1999)).toEqual([{ key: '10.0.0.1:80', target: one, at: 2000 }]);
    expect(ages.leftSince(groupArn('b'), 2000)).toEqual([]);
    ages.record(used, targets(used, 'RegisterTargets', one), 4000);
    expect(ages.leftSince(groupArn('b'), 0)).toEqual([]);
  });
});

describe('the targets of a group', () => {
  it('are known by id and port, and leave with their group', () => {
    const more = targets(registered, 'RegisterTargets', { ...one, Port: '8080' });
    expect([...(more.targets.get(groupArn('b'))?.keys() ?? [])]).toEqual([
      '10.0.0.1:80',
      '10.0.0.2:80',
      '10.0.0.1:8080',
    ]);
    const parameters = { TargetGroupArn: groupArn('b') };
    const gone = update(more, { action: 'DeleteTargetGroup', parameters, result: {} });
    expect(gone.targets.has(groupArn('b'))).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';
import type { Answer } from '../emulator.ts';
import { actions, isRead } from '../protocol/actions.ts';
import type { Fields } from '../protocol/fields.ts';
import { createAnswers } from './answers.ts';
import { aWorld, groupArn, listenerArn, loadBalancerArn, ruleArn } from './sample.ts';
import { isFollowed, update } from './update.ts';
import type { World } from './world.ts';

const world = aWorld();

/** What asks an emulator that counts what it is asked. */
function counting() {
  const answers = createAnswers();
  let asked = 0;
  let answer = (): Answer => ({ ok: true, result: { Asked: String(asked) } });
  const ask = () => {
    asked += 1;
    return Promise.resolve(answer());
  };
  return {
    read: (action: string, parameters: Fields, seen: World = world) =>
      answers.spoken(ask, seen)(action, parameters),
    asked: () => asked,
    clear: () => answers.clear(),
    refuse: () => {
      answer = () => ({ ok: false, error: { code: 'InternalFailure', message: '', status: 500 } });
    },
  };
}

const written = (action: string, parameters: Fields, result: Fields = {}): World =>
  update(world, { action, parameters, result });

const [rule, otherRule, listener] = [ruleArn('web', 'a10'), ruleArn('other', 'a10'), listenerArn('web')];
const ruleIs = (RuleArn: string): Fields => ({ Rules: [{ RuleArn, Priority: '7' }] });
const target = { Id: '10.0.0.1', Port: '80' };
const tag = { Key: 'k', Value: 'v' };

const reads: Readonly<Record<string, readonly [action: string, parameters: Fields]>> = {
  'rules by name': ['DescribeRules', { RuleArns: [rule] }],
  'rules of a listener': ['DescribeRules', { ListenerArn: listener }],
  listeners: ['DescribeListeners', { ListenerArns: [listener] }],
  'tags of a rule': ['DescribeTags', { ResourceArns: [rule] }],
  'tags of a target group': ['DescribeTags', { ResourceArns: [groupArn('a')] }],
  'target groups': ['DescribeTargetGroups', { TargetGroupArns: [groupArn('a')] }],
  attributes: ['DescribeTargetGroupAttributes', { TargetGroupArn: groupArn('a') }],
  health: ['DescribeTargetHealth', { TargetGroupArn: groupArn('a') }],
};

/** The writes to what is read, and what of the above each of them changes. */
const writes: readonly (readonly [action: string, after: World, changes: readonly string[]])[] = [
  [
    'ModifyRule',
    written('ModifyRule', { RuleArn: rule }, ruleIs(rule)),
    ['rules by name', 'rules of a listener'],
  ],
  ['ModifyRule of another', written('ModifyRule', { RuleArn: otherRule }, ruleIs(otherRule)), []],
  [
    'SetRulePriorities',
    written('SetRulePriorities', {}, ruleIs(rule)),
    ['rules by name', 'rules of a listener'],
  ],
  [
    'CreateRule',
    written('CreateRule', { ListenerArn: listener }, ruleIs(ruleArn('web', 'a7'))),
    ['rules of a listener'],
  ],
  ['DeleteRule of its neighbour', written('DeleteRule', { RuleArn: otherRule }), []],
  [
    'ModifyListener',
    written('ModifyListener', { ListenerArn: listener }, { Listeners: [{ ListenerArn: listener }] }),
    ['rules of a listener', 'listeners'],
  ],
  ['AddTags', written('AddTags', { ResourceArns: [rule], Tags: [tag] }), ['tags of a rule']],
  [
    'AddTags to a target group',
    written('AddTags', { ResourceArns: [groupArn('a')], Tags: [tag] }),
    ['tags of a target group'],
  ],
  [
    'ModifyTargetGroup',
    written('ModifyTargetGroup', {}, { TargetGroups: [{ TargetGroupArn: groupArn('a') }] }),
    ['target groups', 'attributes', 'health'],
  ],
  [
    'ModifyTargetGroupAttributes',
    written('ModifyTargetGroupAttributes', { TargetGroupArn: groupArn('a'), Attributes: [tag] }),
    ['attributes'],
  ],
  [
    'RegisterTargets',
    written('RegisterTargets', { TargetGroupArn: groupArn('a'), Targets: [target] }),
    ['health'],
  ],
  [
    'DeregisterTargets',
    written('DeregisterTargets', { TargetGroupArn: groupArn('a'), Targets: [target] }),
    ['health'],
  ],
  [
    'DeregisterTargets of another',
    written('DeregisterTargets', { TargetGroupArn: groupArn('b'), Targets: [] }),
    [],
  ],
];

const cases = writes.flatMap(([write, after, changes]) =>
  Object.keys(reads).map((name) => [name, write, changes.includes(name), after] as const),
);

describe('a read', () => {
  it.each(Object.entries(reads))(
    'of %s is answered by the emulator once',
    async (_, [action, parameters]) => {
      const emulator = counting();
      const first = await emulator.read(action, parameters);
      expect(await emulator.read(action, { ...parameters })).toEqual(first);
      expect(emulator.asked()).toBe(1);
    },
  );

  it.each(cases)('of %s after %s is asked again: %s', async (name, _, isAsked, after) => {
    const [action, parameters] = reads[name] ?? ['', {}];
    const emulator = counting();
    await emulator.read(action, parameters);
    await emulator.read(action, parameters, after);
    await emulator.read(action, parameters, after);
    expect(emulator.asked()).toBe(isAsked ? 2 : 1);
  });

  it('is asked again for something else, for the next page and by another filter', async () => {
    const emulator = counting();
    await emulator.read('DescribeRules', { RuleArns: [rule] });
    await emulator.read('DescribeRules', { RuleArns: [rule, otherRule] });
    await emulator.read('DescribeRules', { ListenerArn: listener });
    await emulator.read('DescribeRules', { ListenerArn: listener, Marker: '400' });
    expect(emulator.asked()).toBe(4);
  });

  it.each([
    ['DescribeTargetGroups', { Names: ['a'] }],
    ['DescribeTargetGroups', { LoadBalancerArn: loadBalancerArn('web') }],
    ['DescribeLoadBalancers', {}],
    ['DescribeListeners', { LoadBalancerArn: loadBalancerArn('web') }],
  ])('of what many writes change is asked each time: %s %o', async (action, parameters) => {
    const emulator = counting();
    await emulator.read(action, parameters);
    await emulator.read(action, parameters);
    expect(emulator.asked()).toBe(2);
  });

  it('of the health of instances is asked each time, as that is EC2 to say', async () => {
    const emulator = counting();
    const TargetGroupArn = groupArn('a');
    const Targets = [{ Id: 'i-0123456789abcdef0' }];
    const registered = written('RegisterTargets', { TargetGroupArn, Targets });
    for (const _ of [1, 2]) {
      await emulator.read('DescribeTargetHealth', { TargetGroupArn }, registered);
      await emulator.read('DescribeTargetHealth', { TargetGroupArn, Targets });
    }
    expect(emulator.asked()).toBe(4);
  });

  it('of the health of what may get instances from others is asked each time', async () => {
    const emulator = counting();
    for (const _ of [1, 2])
      await emulator.read('DescribeTargetHealth', { TargetGroupArn: groupArn('nodes') });
    expect(emulator.asked()).toBe(2);
  });

  it('that failed is asked again', async () => {
    const emulator = counting();
    emulator.refuse();
    await emulator.read('DescribeRules', { RuleArns: [rule] });
    await emulator.read('DescribeRules', { RuleArns: [rule] });
    expect(emulator.asked()).toBe(2);
  });

  it('is asked again when its answer came after all was forgotten', async () => {
    const emulator = counting();
    const early = emulator.read('DescribeRules', { RuleArns: [rule] });
    emulator.clear();
    await early;
    await emulator.read('DescribeRules', { RuleArns: [rule] });
    expect(emulator.asked()).toBe(2);
  });

  it('is asked again when all was forgotten', async () => {
    const emulator = counting();
    await emulator.read('DescribeRules', { RuleArns: [rule] });
    emulator.clear();
    await emulator.read('DescribeRules', { RuleArns: [rule] });
    expect(emulator.asked()).toBe(2);
  });
});

describe('the writes that are not followed', () => {
  it('are those that change what the world does not have', () => {
    expect(actions.filter((action) => !isRead(action) && !isFollowed(action))).toEqual([
      'AddListenerCertificates',
      'AddTrustStoreRevocations',
      'CreateTrustStore',
      'DeleteSharedTrustStoreAssociation',
      'DeleteTrustStore',
      'ModifyCapacityReservation',
      'ModifyIpPools',
      'ModifyListenerAttributes',
      'ModifyTrustStore',
      'RemoveListenerCertificates',
      'RemoveTrustStoreRevocations',
      'SetIpAddressType',
      'SetSecurityGroups',
      'SetSubnets',
    ]);
  });
});

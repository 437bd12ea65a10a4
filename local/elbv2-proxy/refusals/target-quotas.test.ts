import { describe, expect, it } from 'vitest';
import type { Fields } from '../protocol/fields.ts';
import { aWorld, forwardTo, groupArn, listenerArn } from '../world/sample.ts';
import { update } from '../world/update.ts';
import type { World } from '../world/world.ts';
import { judge } from './rules.ts';
import { create } from './sample.ts';

const addresses = (count: number, from = 0): readonly Fields[] =>
  Array.from({ length: count }, (_, index) => ({
    Id: `10.0.${Math.floor((from + index) / 250)}.${(from + index) % 250}`,
    Port: '80',
  }));

const registering = (name: string, Targets: readonly Fields[]): Fields => ({
  TargetGroupArn: groupArn(name),
  Targets,
});

const holding = (world: World, name: string, count: number): World =>
  update(world, { action: 'RegisterTargets', parameters: registering(name, addresses(count)), result: {} });

const ruling = (action: string, parameters: Fields, world: World): readonly (string | undefined)[] => {
  const verdict = judge({ action, parameters, world });
  return [verdict?.rule, verdict?.refusal.code];
};

const balancing = (listener: string, groups: Readonly<Record<string, number>>): Fields => ({
  ListenerArn: listenerArn(listener),
  DefaultActions: [forwardTo(groups)],
});

const taken = [undefined, undefined];
const tooManyInGroup = ['thousand-targets-per-group', 'TooManyTargets'];
const tooManyBehind = ['targets-per-load-balancer', 'TooManyTargets'];

describe('the number of targets', () => {
  it('is at most 1,000 in a group, those that are registered already counted once', () => {
    const world = holding(aWorld(), 'b', 1000);
    expect(ruling('RegisterTargets', registering('b', addresses(1, 1000)), world)).toEqual(tooManyInGroup);
    expect(ruling('RegisterTargets', registering('b', addresses(1, 999)), world)).toEqual(taken);
  });

  it('is at most 1,000 behind an Application Load Balancer, by a registration and by a rule', () => {
    const world = holding(holding(aWorld(), 'a', 999), 'b', 2);
    expect(ruling('RegisterTargets', registering('a', addresses(2, 999)), world)).toEqual(tooManyInGroup);
    const [some, more] = [create({ Actions: [forwardTo({ c: 1 })] }), create()];
    expect(ruling('CreateRule', some, world)).toEqual(taken);
    expect(ruling('CreateRule', more, world)).toEqual(tooManyBehind);
    const balanced = update(world, {
      action: 'CreateRule',
      parameters: {},
      result: {
        Rules: [
          {
            RuleArn: listenerArn('web').replace(':listener/', ':listener-rule/') + '/c',
            Actions: [forwardTo({ c: 1 })],
          },
        ],
      },
    });
    expect(ruling('RegisterTargets', registering('c', addresses(2)), balanced)).toEqual(tooManyBehind);
  });

  it('is at most 500 behind a Network Load Balancer across zones, and 3,000 behind others', () => {
    const world = holding(aWorld(), 'tcp', 501);
    expect(ruling('ModifyListener', balancing('net', { tcp: 1 }), world)).toEqual(tooManyBehind);
    expect(ruling('ModifyListener', balancing('net-dual', { tcp: 1 }), world)).toEqual(taken);
  });
});

describe('the zone of a target', () => {
  it('is refused for instances, and taken for addresses', () => {
    const AvailabilityZone = 'us-east-1a';
    const node = registering('nodes', [{ Id: 'i-0123456789abcdef0', AvailabilityZone }]);
    expect(ruling('RegisterTargets', node, aWorld())).toEqual(['zone-of-addresses', 'ValidationError']);
    const address = registering('b', [{ Id: '10.0.0.1', AvailabilityZone }]);
    expect(ruling('RegisterTargets', address, aWorld())).toEqual(taken);
  });
});

import { describe } from 'vitest';
import type { Fields } from '../protocol/fields.ts';
import { forwardTo, groupArn, listenerArn, pathOf, ruleArn } from '../world/sample.ts';
import { networkRules } from './network-rules.ts';
import { create, invalid, itRefuses, itTakes, sources, type Row } from './sample.ts';

const addresses = (IpAddressType: string): Fields => ({
  Field: 'source-ip',
  SourceIpConfig: { IpAddressType },
});

/** A CreateRule call on the listener of a Network Load Balancer. */
const onNetwork = (name: string, change: Fields = {}): Fields =>
  create({
    ListenerArn: listenerArn(name),
    Conditions: [addresses('ipv6')],
    Actions: [forwardTo({ ipv6: 100 })],
    ...change,
  });

const byPath: Row = [
  'a path on a Network Load Balancer',
  'CreateRule',
  onNetwork('net-dual', { Conditions: [pathOf('/*')] }),
  'network-rules-by-address-type',
  invalid,
];

describe('rules of Network Load Balancers', () => {
  itRefuses(networkRules, [
    byPath,
    [
      'address ranges on a Network Load Balancer',
      'CreateRule',
      onNetwork('net-dual', { Conditions: [sources('10.0.0.0/8')] }),
      'network-rules-by-address-type',
      invalid,
    ],
    [
      'an unknown type of addresses',
      'CreateRule',
      onNetwork('net-dual', { Conditions: [addresses('ipv5')] }),
      'network-rules-by-address-type',
      invalid,
    ],
    [
      'a type of addresses on an Application Load Balancer',
      'ModifyRule',
      { RuleArn: ruleArn('web', 'a10'), Conditions: [addresses('ipv4')] },
      'network-rules-by-address-type',
      invalid,
    ],
    [
      'a rule of a Network Load Balancer for IPv4 alone',
      'CreateRule',
      onNetwork('net'),
      'network-rules-on-dual-stack',
      'InvalidConfigurationRequest',
    ],
    [
      'transforms on a Network Load Balancer',
      'CreateRule',
      onNetwork('net-dual', { Transforms: [{ Type: 'url-rewrite' }] }),
      'network-rules-without-transforms',
      invalid,
    ],
    [
      'a response on a Network Load Balancer',
      'CreateRule',
      onNetwork('net-dual', {
        Actions: [{ Type: 'fixed-response', FixedResponseConfig: { StatusCode: '503' } }],
      }),
      'network-listeners-forward-only',
      'InvalidLoadBalancerAction',
    ],
    [
      'IPv4 and IPv6 groups together',
      'CreateRule',
      onNetwork('net-dual', { Actions: [forwardTo({ tcp: 50, ipv6: 50 })] }),
      'one-address-type-per-forward',
      'InvalidLoadBalancerAction',
    ],
  ]);

  itTakes([
    ['a rule for IPv6', 'CreateRule', onNetwork('net-dual')],
    [
      'a rule for IPv4 of several groups',
      'CreateRule',
      onNetwork('net-dual', {
        Conditions: [addresses('ipv4')],
        Actions: [forwardTo({ tcp: 90, tcp2: 10 })],
      }),
    ],
    [
      'another group by default',
      'ModifyListener',
      {
        ListenerArn: listenerArn('net'),
        DefaultActions: [{ Type: 'forward', TargetGroupArn: groupArn('tcp') }],
      },
    ],
  ]);
});

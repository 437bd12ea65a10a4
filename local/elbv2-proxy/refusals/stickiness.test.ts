import { describe, expect, it } from 'vitest';
import type { Fields } from '../protocol/fields.ts';
import { aWorld, forwardTo, groupArn, listenerArn } from '../world/sample.ts';
import { update } from '../world/update.ts';
import { judge } from './rules.ts';
import { doing, itRefuses, itTakes } from './sample.ts';
import { crossZoneRules } from './cross-zone.ts';
import { stickinessRules } from './stickiness.ts';

const modify = 'ModifyTargetGroupAttributes';

const stickyGroup = (name: string, Value = 'true'): Fields => ({
  TargetGroupArn: groupArn(name),
  Attributes: [{ Key: 'stickiness.enabled', Value }],
});

const balance = (
  groups: Readonly<Record<string, number>>,
  stickiness?: Fields,
  more: Fields = {},
): Fields => ({
  ListenerArn: listenerArn('net'),
  DefaultActions: [forwardTo(groups, stickiness)],
  ...more,
});

const on = { Enabled: 'true' };
const minute = { ...on, DurationSeconds: '60' };
const badAction = 'InvalidLoadBalancerAction';

describe('forward actions to several groups', () => {
  itRefuses(
    [...stickinessRules, ...crossZoneRules],
    [
      [
        'group stickiness where nodes keep to their zone',
        'ModifyListener',
        { ...balance({ tcp: 50, tcp2: 50 }, on), ListenerArn: listenerArn('net-dual') },
        'sticky-forward-across-zones',
        badAction,
      ],
      [
        'group stickiness with a group that keeps to its zone',
        'ModifyListener',
        balance({ tcp: 50, zonal: 50 }, on),
        'sticky-forward-across-zones',
        badAction,
      ],
      [
        'a sticky group without group stickiness',
        'CreateRule',
        doing(forwardTo({ b: 50, sticky: 50 })),
        'sticky-forward-to-sticky-groups',
        badAction,
      ],
      [
        'a sticky group at weight 0 with group stickiness switched off',
        'CreateRule',
        doing(forwardTo({ b: 100, sticky: 0 }, { Enabled: 'false' })),
        'sticky-forward-to-sticky-groups',
        badAction,
      ],
      [
        'a sticky group of a Network Load Balancer without group stickiness',
        'ModifyListener',
        balance({ tcp: 50, 'sticky-tcp': 50 }),
        'sticky-forward-to-sticky-groups',
        badAction,
      ],
      [
        'target stickiness of one of several groups without group stickiness',
        modify,
        stickyGroup('z'),
        'sticky-group-behind-sticky-forwards',
        'InvalidConfigurationRequest',
      ],
      [
        'group stickiness for TLS',
        'ModifyListener',
        balance({ tcp: 50, tcp2: 50 }, on, { Protocol: 'TLS' }),
        'tls-listener-not-sticky',
        badAction,
      ],
      [
        'TCP and TLS groups for TLS',
        'ModifyListener',
        balance({ tcp: 50, tls: 50 }, undefined, { Protocol: 'TLS' }),
        'one-protocol-behind-tls-listener',
        'IncompatibleProtocols',
      ],
      [
        'groups of IPv4 and IPv6',
        'ModifyListener',
        balance({ tcp: 50, ipv6: 50 }),
        'one-address-type-per-forward',
        badAction,
      ],
    ],
  );
  itTakes([
    ['a sticky group alone', 'CreateRule', doing(forwardTo({ sticky: 100 }))],
    ['a sticky group with group stickiness', 'CreateRule', doing(forwardTo({ b: 50, sticky: 50 }, minute))],
    [
      'a sticky group of a Network Load Balancer with group stickiness',
      'ModifyListener',
      balance({ tcp: 50, 'sticky-tcp': 50 }, on),
    ],
    ['target stickiness of a group that a rule forwards to alone', modify, stickyGroup('a')],
    ['target stickiness of one of several groups with group stickiness', modify, stickyGroup('w')],
    ['the end of target stickiness of one of several groups', modify, stickyGroup('z', 'false')],
    ['TCP and TCP_UDP groups for TCP', 'ModifyListener', balance({ tcp: 50, 'tcp-udp': 50 })],
    ['TLS groups alone for TLS', 'ModifyListener', balance({ tls: 100 }, undefined, { Protocol: 'TLS' })],
  ]);

  it('are judged again when the protocol of their listener changes', () => {
    const result = { Listeners: [{ Protocol: 'TCP', ...balance({ tcp: 50, tcp2: 50 }, on) }] };
    const world = update(aWorld(), { action: 'ModifyListener', parameters: {}, result });
    const parameters = { ListenerArn: listenerArn('net'), Protocol: 'TLS' };
    expect(judge({ action: 'ModifyListener', parameters, world })?.rule).toBe('tls-listener-not-sticky');
  });
});

import { describe, expect, it } from 'vitest';
import type { Fields } from '../protocol/fields.ts';
import { aWorld, groupArn } from '../world/sample.ts';
import { update } from '../world/update.ts';
import { attributeRules, groupAttributeRules } from './attributes.ts';
import { judge } from './rules.ts';
import { invalid, itRefuses, itTakes, type Row } from './sample.ts';

const modify = 'ModifyTargetGroupAttributes';

/** A call that sets attributes of a target group. */
const attributes = (name: string, values: Readonly<Record<string, string>>): Fields => ({
  TargetGroupArn: groupArn(name),
  Attributes: Object.entries(values).map(([key, Value]) => ({ Key: `stickiness.${key}`, Value })),
});

/** A call that sets attributes of a target group, by their whole names. */
const plain = (name: string, values: Readonly<Record<string, string>>): Fields => ({
  TargetGroupArn: groupArn(name),
  Attributes: Object.entries(values).map(([Key, Value]) => ({ Key, Value })),
});

const unsupported = 'InvalidConfigurationRequest';

const delay = 'deregistration_delay.timeout_seconds';
const slowStart = 'slow_start.duration_seconds';
const crossZone = 'load_balancing.cross_zone.enabled';

const outOfRange = (key: string, value: string): Row => [
  `${key} of ${value}`,
  modify,
  plain('b', { [key]: value }),
  'delay-and-slow-start',
  invalid,
];

describe('target group attributes', () => {
  itRefuses(
    [...attributeRules, ...groupAttributeRules],
    [
      outOfRange(delay, '3601'),
      outOfRange(delay, '-1'),
      outOfRange(delay, '5m'),
      outOfRange(slowStart, '29'),
      outOfRange(slowStart, '901'),
      ['a slow start of TCP', modify, plain('tcp', { [slowStart]: '30' }), 'slow-start-of-http', unsupported],
      [
        'stickiness without leaving the zone',
        modify,
        plain('b', { 'stickiness.enabled': 'true', [crossZone]: 'false' }),
        'sticky-group-across-zones',
        unsupported,
      ],
      [
        'staying within the zone with stickiness',
        modify,
        plain('sticky', { [crossZone]: 'false' }),
        'sticky-group-across-zones',
        unsupported,
      ],
      ['attributes of nothing', modify, { Attributes: [] }, 'required-parameter', invalid],
      [
        'no attributes',
        modify,
        { TargetGroupArn: groupArn('b'), Attributes: '' },
        'required-parameter',
        invalid,
      ],
      [
        'an unknown group',
        modify,
        attributes('gone', { enabled: 'true' }),
        'resource-exists',
        'TargetGroupNotFound',
      ],
      [
        'an unknown group',
        'DescribeTargetGroupAttributes',
        { TargetGroupArn: groupArn('gone') },
        'resource-exists',
        'TargetGroupNotFound',
      ],
      [
        'neither true nor false',
        modify,
        attributes('b', { enabled: 'yes' }),
        'stickiness-true-or-false',
        invalid,
      ],
      [
        'stickiness without value',
        modify,
        attributes('b', { enabled: '' }),
        'stickiness-true-or-false',
        invalid,
      ],
      [
        'a cookie of 0 s',
        modify,
        attributes('b', { 'lb_cookie.duration_seconds': '0' }),
        'cookie-duration',
        invalid,
      ],
      [
        'a cookie of over 7 days',
        modify,
        attributes('b', { 'lb_cookie.duration_seconds': '604801' }),
        'cookie-duration',
        invalid,
      ],
      [
        'an application cookie of over 7 days',
        modify,
        attributes('b', { 'app_cookie.duration_seconds': '604801' }),
        'cookie-duration',
        invalid,
      ],
      [
        'a duration with a unit',
        modify,
        attributes('b', { 'app_cookie.duration_seconds': '1h' }),
        'cookie-duration',
        invalid,
      ],
      ...['AWSALB', 'AWSALBAPP-0', 'AWSALBTG'].map(
        (name) =>
          [
            `a cookie named ${name}`,
            modify,
            attributes('b', { 'app_cookie.cookie_name': name }),
            'cookie-name-not-reserved',
            invalid,
          ] as const,
      ),
      ['an unknown type', modify, attributes('b', { type: 'glue' }), 'stickiness-type', invalid],
      [
        'source_ip for an HTTP group',
        modify,
        attributes('b', { type: 'source_ip' }),
        'stickiness-type',
        unsupported,
      ],
      ...['tcp', 'udp', 'tcp-udp', 'tls', 'geneve'].map(
        (name) =>
          [
            `lb_cookie for a ${name} group`,
            modify,
            attributes(name, { type: 'lb_cookie' }),
            'stickiness-type',
            unsupported,
          ] as const,
      ),
      [
        'an application cookie without name',
        modify,
        attributes('b', { enabled: 'true', type: 'app_cookie' }),
        'app-cookie-has-name',
        unsupported,
      ],
      [
        'stickiness of a TLS group',
        modify,
        attributes('tls', { enabled: 'true' }),
        'tls-group-not-sticky',
        unsupported,
      ],
    ],
  );
  itTakes([
    ['a delay of an hour', modify, plain('b', { [delay]: '3600' })],
    ['no delay', modify, plain('tcp', { [delay]: '0' })],
    ['the longest slow start', modify, plain('b', { [slowStart]: '900' })],
    ['no slow start', modify, plain('tcp', { [slowStart]: '0' })],
    ['staying within the zone without stickiness', modify, plain('b', { [crossZone]: 'false' })],
    [
      'stickiness of a group that nobody forwards to',
      modify,
      attributes('b', { enabled: 'true', type: 'lb_cookie' }),
    ],
    ['a cookie of 1 s', modify, attributes('b', { 'lb_cookie.duration_seconds': '1' })],
    ['an application cookie of 7 days', modify, attributes('b', { 'app_cookie.duration_seconds': '604800' })],
    [
      'a named application cookie',
      modify,
      attributes('b', { enabled: 'true', type: 'app_cookie', 'app_cookie.cookie_name': 'SESSION' }),
    ],
    ['source addresses for a TCP group', modify, attributes('tcp', { enabled: 'true', type: 'source_ip' })],
    ['source addresses for a TLS group', modify, attributes('tls', { enabled: 'false', type: 'source_ip' })],
    [
      'flows for a GENEVE group',
      modify,
      attributes('geneve', { enabled: 'true', type: 'source_ip_dest_ip' }),
    ],
  ]);

  it('are judged with those that were set before', () => {
    const set = (world: ReturnType<typeof aWorld>, values: Readonly<Record<string, string>>) =>
      update(world, { action: modify, parameters: attributes('b', values), result: {} });
    const typed = set(aWorld(), { type: 'app_cookie' });
    const named = set(typed, { 'app_cookie.cookie_name': 'SESSION' });
    const parameters = attributes('b', { enabled: 'true' });
    const judged = [typed, named].map((world) => judge({ action: modify, parameters, world })?.rule);
    expect(judged).toEqual(['app-cookie-has-name', undefined]);
  });

  it('are gone with their group', () => {
    const parameters = { TargetGroupArn: groupArn('sticky') };
    const world = update(aWorld(), { action: 'DeleteTargetGroup', parameters, result: {} });
    expect([...world.attributes.keys()]).not.toContain(groupArn('sticky'));
  });
});

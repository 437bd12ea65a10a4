import { describe } from 'vitest';
import type { Fields } from '../protocol/fields.ts';
import { groupArn } from '../world/sample.ts';
import { invalid, itRefuses, itTakes, type Row } from './sample.ts';
import { targetFormRules, targetGroupRules } from './targets.ts';

const group = (change: Fields = {}): Fields => ({
  Name: 'web',
  Protocol: 'HTTP',
  Port: '80',
  VpcId: 'vpc-01234567',
  ...change,
});

const targets = (name: string, ...Targets: readonly Fields[]): Fields => ({
  TargetGroupArn: groupArn(name),
  Targets,
});

const named = (Name: string): Row => [
  `the name ${Name}`,
  'CreateTargetGroup',
  group({ Name }),
  'group-name',
  invalid,
];

const checked = (name: string, value: string): Row => [
  `${name} of ${value}`,
  'ModifyTargetGroup',
  { TargetGroupArn: groupArn('a'), [name]: value },
  'health-check-ranges',
  invalid,
];

describe('target groups and targets', () => {
  itRefuses(
    [...targetFormRules, ...targetGroupRules],
    [
      named('a'.repeat(33)),
      named('web.1'),
      named('-web'),
      named('web-'),
      ...['Protocol', 'Port', 'VpcId'].map((name): Row => [
        `no ${name}`,
        'CreateTargetGroup',
        group({ [name]: undefined }),
        'group-settings-required',
        invalid,
      ]),
      checked('HealthCheckIntervalSeconds', '4'),
      checked('HealthCheckTimeoutSeconds', '121'),
      checked('HealthyThresholdCount', '1'),
      checked('UnhealthyThresholdCount', '11'),
      ['port 0', 'RegisterTargets', targets('a', { Id: '10.0.0.1', Port: '0' }), 'target-port', invalid],
      [
        '201 targets',
        'RegisterTargets',
        targets('a', ...Array.from({ length: 201 }, () => ({ Id: '10.0.0.1' }))),
        'two-hundred-targets-per-call',
        invalid,
      ],
      [
        'an instance in a group of addresses',
        'RegisterTargets',
        targets('a', { Id: 'i-0123456789abcdef0' }),
        'target-of-its-type',
        invalid,
      ],
      [
        'an address in a group of instances',
        'RegisterTargets',
        targets('nodes', { Id: '10.0.0.1' }),
        'target-of-its-type',
        invalid,
      ],
      [
        'a public address',
        'RegisterTargets',
        targets('a', { Id: '10.0.0.1' }, { Id: '198.51.100.7' }),
        'target-of-its-type',
        'InvalidTarget',
      ],
      [
        'a health check by TCP of a group of HTTP',
        'CreateTargetGroup',
        group({ HealthCheckProtocol: 'TCP' }),
        'health-check-protocol',
        'InvalidConfigurationRequest',
      ],
    ],
  );

  itTakes([
    ['a name of 32 characters', 'CreateTargetGroup', group({ Name: 'a'.repeat(32) })],
    ['a function without port', 'CreateTargetGroup', { Name: 'web', TargetType: 'lambda' }],
    [
      'a health check by HTTP of a group of TCP',
      'ModifyTargetGroup',
      { TargetGroupArn: groupArn('tcp'), HealthCheckProtocol: 'HTTP' },
    ],
    [
      'private addresses',
      'RegisterTargets',
      targets('a', { Id: '10.0.0.1', Port: '80' }, { Id: '172.31.0.1' }, { Id: '100.64.0.1' }),
    ],
    ['instances', 'RegisterTargets', targets('nodes', { Id: 'i-0123456789abcdef0', Port: '8080' })],
    ['what is not registered', 'DeregisterTargets', targets('a', { Id: '10.0.0.77' })],
    ['a group that is gone', 'DeleteTargetGroup', { TargetGroupArn: groupArn('gone') }],
  ]);
});

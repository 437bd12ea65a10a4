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

const quic = (name: string, QuicServerId?: string): Fields =>
  targets(name, { Id: '10.0.0.1', ...(QuicServerId === undefined ? {} : { QuicServerId }) });

const serverId = (sentence: string, parameters: Fields): Row => [
  sentence,
  'RegisterTargets',
  parameters,
  'quic-server-id',
  invalid,
];

const named = (Name: string): Row => [
  `the name ${Name}`,
  'CreateTargetGroup',
  group({ Name }),
  'group-name',
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
      serverId('no server id for QUIC', quic('tcp-quic')),
      serverId('a server id of another form for QUIC', quic('quic', '0xA1B2C3D4E5F60718')),
      serverId('a server id for TCP', quic('tcp', '0xa1b2c3d4e5f60718')),
    ],
  );

  itTakes([
    ['a name of 32 characters', 'CreateTargetGroup', group({ Name: 'a'.repeat(32) })],
    ['a function without port', 'CreateTargetGroup', { Name: 'web', TargetType: 'lambda' }],
    [
      'private addresses',
      'RegisterTargets',
      targets('a', { Id: '10.0.0.1', Port: '80' }, { Id: '172.31.0.1' }, { Id: '100.64.0.1' }),
    ],
    ['a server id for QUIC', 'RegisterTargets', quic('quic', '0xa1b2c3d4e5f60718')],
    ['instances', 'RegisterTargets', targets('nodes', { Id: 'i-0123456789abcdef0', Port: '8080' })],
    ['what is not registered', 'DeregisterTargets', targets('a', { Id: '10.0.0.77' })],
    ['a group that is gone', 'DeleteTargetGroup', { TargetGroupArn: groupArn('gone') }],
  ]);
});

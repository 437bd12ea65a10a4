import { describe } from 'vitest';
import type { Fields } from '../protocol/fields.ts';
import { groupArn } from '../world/sample.ts';
import { healthCheckFormRules, healthCheckRules } from './health-checks.ts';
import { invalid, itRefuses, itTakes, type Row } from './sample.ts';

const group = (change: Fields): Fields => ({
  Name: 'web',
  Protocol: 'HTTP',
  Port: '80',
  VpcId: 'vpc-01234567',
  ...change,
});

const changed = (name: string, change: Fields): Fields => ({ TargetGroupArn: groupArn(name), ...change });

const outside = (name: string, value: string): Row => [
  `${name} of ${value}`,
  'ModifyTargetGroup',
  changed('a', { [name]: value }),
  'health-check-ranges',
  invalid,
];

const late = (sentence: string, change: Fields): Row => [
  sentence,
  'CreateTargetGroup',
  group(change),
  'interval-above-timeout',
  invalid,
];

describe('health checks', () => {
  itRefuses(
    [...healthCheckFormRules, ...healthCheckRules],
    [
      outside('HealthCheckIntervalSeconds', '4'),
      outside('HealthCheckTimeoutSeconds', '121'),
      outside('HealthyThresholdCount', '1'),
      outside('UnhealthyThresholdCount', '11'),
      [
        'a health check by TCP of a group of HTTP',
        'CreateTargetGroup',
        group({ HealthCheckProtocol: 'TCP' }),
        'health-check-protocol',
        'InvalidConfigurationRequest',
      ],
      late('an interval as long as the timeout', {
        HealthCheckIntervalSeconds: '5',
        HealthCheckTimeoutSeconds: '5',
      }),
      late('an interval within the timeout that AWS fills in', { HealthCheckIntervalSeconds: '6' }),
      late('a timeout beyond the interval that AWS fills in', { HealthCheckTimeoutSeconds: '30' }),
      late('an interval within the timeout that AWS fills in for TCP', {
        Protocol: 'TCP',
        HealthCheckIntervalSeconds: '10',
      }),
      [
        'a timeout beyond the interval that the group has',
        'ModifyTargetGroup',
        changed('a', { HealthCheckTimeoutSeconds: '30' }),
        'interval-above-timeout',
        invalid,
      ],
    ],
  );

  itTakes([
    [
      'a health check by HTTP of a group of TCP',
      'ModifyTargetGroup',
      changed('tcp', { HealthCheckProtocol: 'HTTP' }),
    ],
    [
      'an interval above the timeout that AWS fills in',
      'CreateTargetGroup',
      group({ HealthCheckIntervalSeconds: '7' }),
    ],
    [
      'an interval above the timeout',
      'ModifyTargetGroup',
      changed('a', { HealthCheckIntervalSeconds: '6', HealthCheckTimeoutSeconds: '5' }),
    ],
  ]);
});

import { enum as choice, object, optional, type z } from 'zod';
import { integer, nonEmpty } from './common.ts';
import { withRules, type Rule } from './rules.ts';
import { pattern } from './sets.ts';

const healthCheck = withRules(
  object({
    protocol: optional(choice(['HTTP', 'HTTPS', 'TCP'])).describe(
      'The protocol of the health check: HTTP, HTTPS or TCP. Default: what AWS chooses for the protocol of the target group.',
    ),
    path: optional(nonEmpty(1024)).describe('The path to request. Default: /.'),
    port: optional(integer(1, 65_535)).describe(
      'The port to check. Default: the port that the target listens on.',
    ),
    intervalSeconds: optional(integer(5, 300)).describe(
      'Seconds between two checks of a target, more than timeoutSeconds. Default: what AWS chooses; above timeoutSeconds if that is set.',
    ),
    timeoutSeconds: optional(integer(2, 120)).describe(
      'Seconds until a check fails. Default: what AWS chooses, or one second less than intervalSeconds if intervalSeconds is not above that.',
    ),
    healthyThreshold: optional(integer(2, 10)).describe('Successes in a row that make a target healthy.'),
    unhealthyThreshold: optional(integer(2, 10)).describe('Failures in a row that make a target unhealthy.'),
    matcher: optional(nonEmpty(100)).describe(
      'The HTTP status codes of a healthy target, for example 200-299.',
    ),
  }),
  [
    {
      cel: "!(has(self.path) || has(self.matcher)) || !has(self.protocol) || self.protocol != 'TCP'",
      message: 'healthCheck.path and healthCheck.matcher are only allowed with HTTP or HTTPS. Remove them.',
      holds: ({ path, matcher, protocol }) =>
        (path === undefined && matcher === undefined) || protocol !== 'TCP',
    },
    {
      cel: '!has(self.intervalSeconds) || !has(self.timeoutSeconds) || self.intervalSeconds > self.timeoutSeconds',
      message:
        'healthCheck.intervalSeconds must be greater than healthCheck.timeoutSeconds, as AWS requires. Correct one of them.',
      holds: ({ intervalSeconds, timeoutSeconds }) =>
        intervalSeconds === undefined || timeoutSeconds === undefined || intervalSeconds > timeoutSeconds,
    },
  ],
);

/** The schema of a target group that Okra creates. */
export const newTargetGroup = object({
  protocol: choice(['HTTP', 'HTTPS', 'TCP', 'TLS', 'UDP', 'TCP_UDP'])
    .default('HTTP')
    .describe(
      'HTTP or HTTPS for an Application Load Balancer; TCP, TLS, UDP or TCP_UDP for a Network Load Balancer.',
    ),
  port: optional(integer(1, 65_535)).describe(
    'The port for targets without their own. Default: the port of the first entry of targets.',
  ),
  vpcID: optional(
    pattern(nonEmpty(32), {
      pattern: '^vpc-[0-9a-f]{8,17}$',
      expected: 'the id of a VPC, such as vpc-0123456789abcdef0',
    }),
  ).describe('The VPC of the targets. Default: the VPC in the secrets of their clusters.'),
  targetType: choice(['instance', 'ip'])
    .default('instance')
    .describe('The type of the targets: instance for nodes, ip for pods or nodes.'),
  healthCheck: optional(healthCheck).describe('The health check of the targets. Default: what AWS chooses.'),
});

/** What Okra creates where a spec neither names a target group nor describes one. */
export const usualTargetGroup = newTargetGroup.parse({});

interface Asking {
  readonly targetGroupARN?: string | undefined;
  readonly targetGroup?: NewTargetGroup | undefined;
  readonly targets: readonly { readonly ids?: readonly string[] | undefined }[];
}

/** What holds of a spec that names a target group, or has one created: someone says the VPC of that one. */
export const targetGroupRules: readonly Rule<Asking>[] = [
  {
    cel: '!has(self.targetGroupARN) || !has(self.targetGroup)',
    message: 'Only one of targetGroupARN and targetGroup may be set. Remove one.',
    holds: (value) => value.targetGroupARN === undefined || value.targetGroup === undefined,
  },
  {
    cel: 'has(self.targetGroupARN) || (has(self.targetGroup) && has(self.targetGroup.vpcID)) || self.targets.exists(t, !has(t.ids))',
    message:
      'targetGroup.vpcID is required, because all targets are ids, so no cluster gives their VPC. Set it.',
    holds: ({ targetGroupARN, targetGroup, targets }) =>
      targetGroupARN !== undefined ||
      targetGroup?.vpcID !== undefined ||
      targets.some(({ ids }) => ids === undefined),
  },
];

/** A target group that Okra creates. */
export type NewTargetGroup = z.output<typeof newTargetGroup>;

import type { TargetGroup } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { HealthCheckInput } from '../../../clients/aws/elbv2-calls.ts';
import type {
  ExistingTargetGroup,
  HealthCheck,
} from '../../../domain/discovery/target-group-binding/new-target-group.ts';

/** A target group as it is compared with what is asked for. */
export const existingOf = (group: TargetGroup): ExistingTargetGroup => ({
  protocol: group.Protocol,
  port: group.Port,
  vpcID: group.VpcId,
  targetType: group.TargetType,
  healthCheck: {
    protocol: group.HealthCheckProtocol,
    path: group.HealthCheckPath,
    port: group.HealthCheckPort,
    intervalSeconds: group.HealthCheckIntervalSeconds,
    timeoutSeconds: group.HealthCheckTimeoutSeconds,
    healthyThreshold: group.HealthyThresholdCount,
    unhealthyThreshold: group.UnhealthyThresholdCount,
    matcher: group.Matcher?.HttpCode,
  },
});

/** A health check as ELBv2 takes it. */
export const healthCheckInput = (check: HealthCheck): HealthCheckInput => ({
  HealthCheckProtocol: check.protocol,
  HealthCheckPath: check.path,
  HealthCheckPort: check.port,
  HealthCheckIntervalSeconds: check.intervalSeconds,
  HealthCheckTimeoutSeconds: check.timeoutSeconds,
  HealthyThresholdCount: check.healthyThreshold,
  UnhealthyThresholdCount: check.unhealthyThreshold,
  ...(check.matcher === undefined ? {} : { Matcher: { HttpCode: check.matcher } }),
});

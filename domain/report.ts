import type { AWSApplicationLoadBalancerConfigStatus } from '../crds/aws-application-load-balancer-config.ts';
import type { CellStatus } from '../crds/cell.ts';
import type { ObjectKey } from './ids.ts';

/** A Kubernetes Event to emit; `id` makes a repeated report emit it once. */
export interface ReportedEvent {
  readonly id: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** What is written to the status of a Cell. */
export interface CellReport {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly status: CellStatus;
  readonly events: readonly ReportedEvent[];
}

/** What is written to the status of an AWSApplicationLoadBalancerConfig. */
export interface LoadBalancerReport {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly status: AWSApplicationLoadBalancerConfigStatus;
  readonly events: readonly ReportedEvent[];
}

import type { ElasticLoadBalancingV2 } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import type { Route } from '../../../domain/load-balancers/load-balancer.ts';
import type { CallRecord } from '../../../local/elbv2-proxy/control.ts';
import type { Okrad } from '../../../local/okrad.ts';
import type { TemporalDesk } from './temporal.ts';

/** The weights of a rule by the names of the target groups. */
export type Weights = Readonly<Record<string, number>>;

/** What of a stage is looked at when it is closed. */
export interface OkraStage {
  readonly namespace: string;
  readonly kubernetes: KubernetesClient;
  readonly elbv2: ElasticLoadBalancingV2;
  readonly okrad: Okrad;
  /** The files that its process writes to besides its log. */
  readonly moreLogs: readonly string[];
  readonly desk: TemporalDesk;
  /** What AWS serves by a route; undefined when it has no rule there. */
  servedBy(route: Route): Promise<Weights | undefined>;
  /** All calls that the proxy has seen for this stage. */
  allCalls(): Promise<readonly CallRecord[]>;
}

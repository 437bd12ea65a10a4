import type { Client } from '@temporalio/client';
import { lateCloudWatch } from '../clients/aws/late.ts';
import type { TellEvent } from '../clients/datadog/events.ts';
import type { Notification } from '../domain/rollout/report/notifications.ts';
import { accessPolicies } from '../clients/kubernetes/access-policies.ts';
import { connectPrometheus } from '../clients/prometheus/client.ts';
import { checkActivities } from './checks/check.ts';
import type { OwnDatadog } from './checks/providers/index.ts';
import { checkStepActivities } from './checks/step.ts';
import type { AwsScope } from '../clients/aws/aws-credentials.ts';
import type { EKS } from '../clients/aws/eks.ts';
import type { ELBv2Regions } from '../clients/aws/elbv2.ts';
import type { TellRequests } from '../clients/aws/request-count.ts';
import type { Installation } from '../clients/kubernetes/installation.ts';
import type { KubernetesClient } from '../clients/kubernetes/kubernetes.ts';
import type { Log } from '../clients/log.ts';
import type { RemoteClusters } from '../clients/kubernetes/remote-clusters.ts';
import type { RateLimiters } from '../clients/rate-limiter.ts';
import { analysisActivities } from './rollout/analysis.ts';
import { approvalActivities, cellActivities } from './rollout/cell.ts';
import { applicationsActivities } from './applications/applications.ts';
import { createClusterReader } from './discovery/clusters/reader.ts';
import { clusterSetActivities, createReadClusters } from './discovery/cluster-set/cluster-set.ts';
import type { Activities } from './contract.ts';
import { driftActivities } from './load-balancers/drift.ts';
import { experimentActivities } from './rollout/experiment.ts';
import { gateActivities } from './gate.ts';
import { jobActivities } from './rollout/job.ts';
import { translated } from './failure.ts';
import { measurementActivities } from './rollout/measurements.ts';
import { loadBalancerConfigActivities } from './load-balancers/load-balancer-config.ts';
import { answerInterval } from './discovery/lifetime.ts';
import { targetGroupSetActivities } from './discovery/target-group-set/target-group-set.ts';
import { targetGroupActivities } from './discovery/target-group/target-groups.ts';
import { targetGroupBindingActivities } from './discovery/target-group-binding/target-group-binding.ts';
import { alive } from './heartbeat.ts';
import { stagedActivities } from './staged/staged.ts';
import { surroundingsReader } from './rollout/surroundings.ts';
import { trafficActivities } from './rollout/traffic.ts';

/** What all activities are made of. */
export interface Dependencies {
  readonly kubernetes: KubernetesClient;
  /** The namespaces that this Okra is about; none: all. */
  readonly watchNamespaces: readonly string[];
  readonly temporal: Client;
  readonly elbv2: ELBv2Regions;
  readonly eks: (scope: AwsScope) => EKS;
  readonly clusters: RemoteClusters;
  /** The region of clusters whose generator names none, and of target groups that are created. */
  readonly region?: string;
  readonly limits: RateLimiters;
  /** The organisation of Datadog that is asked when a Check names no keys. */
  readonly datadog: OwnDatadog;
  readonly tellEvent?: TellEvent | undefined;
  readonly notify?: ((notification: Notification) => void) | undefined;
  readonly log?: Log | undefined;
  readonly cloudWatchEndpoint?: string | undefined;
  readonly stsEndpoint?: string | undefined;
  readonly installation: Installation;
  /** The task queue of the workflows; calls to ELBv2 have one of their own. */
  readonly taskQueue: string;
  /** How often to look at what nobody tells of, in seconds. */
  readonly intervals: { readonly drift: number; readonly sync: number };
  /** How long clusters that are missing keep what they had. */
  readonly graceSeconds: number;
  readonly tell?: TellRequests | undefined;
}

/** Makes every activity; whatever one throws is a failure listed in domain/failures.ts. */
export function makeActivities(dependencies: Dependencies): Activities {
  const { kubernetes, clusters, intervals, graceSeconds, limits } = dependencies;
  const surroundings = surroundingsReader(kubernetes);
  const writing = { ...dependencies, writes: limits.writes, surroundings };
  const reader = createClusterReader({ kubernetes, clusters });
  const activities = {
    ...cellActivities({ ...dependencies, surroundings }),
    ...approvalActivities(kubernetes),
    ...loadBalancerConfigActivities(writing),
    ...analysisActivities(kubernetes),
    ...experimentActivities(kubernetes),
    ...jobActivities(kubernetes),
    ...measurementActivities(kubernetes),
    ...checkStepActivities(kubernetes),
    ...gateActivities(dependencies),
    ...measuringChecks(dependencies),
    ...trafficActivities(writing),
    ...answerInterval(driftActivities(dependencies), intervals.drift),
  };
  const synced = {
    ...targetGroupSetActivities({ kubernetes, reader, graceSeconds }),
    ...clusterSetActivities({ kubernetes, readClusters: createReadClusters(dependencies), graceSeconds }),
    ...stagedActivities(dependencies),
    ...applicationsActivities(dependencies),
    ...targetGroupActivities(dependencies),
    ...targetGroupBindingActivities({ ...dependencies, reader }),
  };
  return alive(translated({ ...activities, ...answerInterval(synced, intervals.sync) }));
}

const measuringChecks = (dependencies: Dependencies): Pick<Activities, 'runCheck'> =>
  checkActivities({
    ...dependencies,
    policies: accessPolicies(dependencies.kubernetes),
    queries: dependencies.limits.queries,
    datadog: {
      own: dependencies.datadog,
      // okrad has loaded it at its start where it has keys of Datadog.
      ask: async (...asked) => (await import('../clients/datadog/queries.ts')).askDatadog(...asked),
    },
    askCloudWatch: lateCloudWatch({
      endpoint: dependencies.cloudWatchEndpoint,
      stsEndpoint: dependencies.stsEndpoint,
      tell: dependencies.tell,
    }),
    askPrometheus: connectPrometheus(),
  });

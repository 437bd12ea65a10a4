import type { Client } from '@temporalio/client';
import type { ELBv2 } from '../clients/elbv2.ts';
import type { KubernetesClient } from '../clients/kubernetes.ts';
import type { WriteBudget } from '../clients/write-budget.ts';
import { analysisActivities } from './analysis.ts';
import { cellActivities } from './cell.ts';
import type {
  AnalysisActivities,
  CellActivities,
  DriftActivities,
  ExperimentActivities,
  ListenerRuleActivities,
  LoadBalancerConfigActivities,
  TrafficActivities,
} from './contract.ts';
import { driftActivities } from './drift.ts';
import { experimentActivities } from './experiment.ts';
import { translated } from './failure.ts';
import { loadBalancerActivities } from './load-balancer.ts';
import { loadBalancerConfigActivities } from './load-balancer-config.ts';
import { trafficActivities } from './traffic.ts';

/** What all activities are made of. */
export interface Dependencies {
  readonly kubernetes: KubernetesClient;
  readonly temporal: Client;
  readonly elbv2: (arn: string) => ELBv2;
  readonly budget: WriteBudget;
  /** The task queue of the workflows; calls to ELBv2 have one of their own. */
  readonly taskQueue: string;
}

/** Every activity. */
export type Activities = CellActivities &
  LoadBalancerConfigActivities &
  AnalysisActivities &
  ExperimentActivities &
  TrafficActivities &
  ListenerRuleActivities &
  DriftActivities;

/** Makes every activity; whatever one throws is a failure listed in domain/failures.ts. */
export function makeActivities(dependencies: Dependencies): Activities {
  const { kubernetes } = dependencies;
  return {
    ...translated(cellActivities(kubernetes)),
    ...translated(loadBalancerConfigActivities(kubernetes)),
    ...translated(analysisActivities(kubernetes)),
    ...translated(experimentActivities(kubernetes)),
    ...translated(trafficActivities(dependencies)),
    ...translated(loadBalancerActivities(dependencies)),
    ...translated(driftActivities(dependencies)),
  };
}

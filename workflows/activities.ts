import { ActivityCancellationType, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type {
  AnalysisActivities,
  CellActivities,
  ClusterSetActivities,
  DriftActivities,
  ExperimentActivities,
  ListenerRuleActivities,
  LoadBalancerConfigActivities,
  TargetGroupActivities,
  TargetGroupBindingActivities,
  TargetGroupSetActivities,
  TrafficActivities,
} from '../activities/contract.ts';

type TrafficReads = Pick<TrafficActivities, 'readTargetHealth' | 'inspectLoadBalancer'>;
type ShiftActivities = Pick<TrafficActivities, 'shiftTraffic'>;

type SyncActivities = ClusterSetActivities &
  TargetGroupSetActivities &
  TargetGroupBindingActivities &
  TargetGroupActivities;

/** Calls to the Kubernetes API: short, and repeated until they are answered. */
const kubernetes = {
  startToCloseTimeout: '12s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '5s' },
} as const;

/** Looks into the Kubernetes API and reports to it. */
export const objects = (summary: string) =>
  proxyActivities<CellActivities & LoadBalancerConfigActivities>({ ...kubernetes, summary });

/** Starts, reads and ends AnalysisRuns and Experiments. */
export const measurements = (summary: string) =>
  proxyActivities<AnalysisActivities & ExperimentActivities>({ ...kubernetes, summary });

/** Makes one sync of an object with what is outside; its caller looks again after a while, whatever came of it. */
export const syncs = (summary: string) =>
  proxyActivities<SyncActivities>({
    startToCloseTimeout: '2m',
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumAttempts: 3 },
    summary,
  });

/**
 * Shifts traffic through the writer of the rule, for as long as that takes. Not waited for when it is cancelled: a
 * write that comes too late is refused by its sequence.
 */
export const traffic = (summary: string) =>
  proxyActivities<ShiftActivities>({
    startToCloseTimeout: '24h',
    heartbeatTimeout: '5s',
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '2s' },
    summary,
  });

/** The name of the task queue on which the calls to ELBv2 wait. */
const elbv2Queue = (): string => `${workflowInfo().taskQueue}-elbv2`;

/** How the calls to ELBv2 are ordered: what takes traffic back goes first (1 is the highest of 5). */
const priority = (urgent: boolean) => ({ priorityKey: urgent ? 1 : 3 });

/** Reads from ELBv2, again and again until it answers. */
export const elbv2Reads = (summary: string) =>
  proxyActivities<TrafficReads & DriftActivities>({
    taskQueue: elbv2Queue(),
    startToCloseTimeout: '30s',
    retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '15s' },
    priority: priority(false),
    summary,
  });

/** Makes one attempt to write a rule; its caller decides on another, with what is wanted by then. */
export const elbv2Write = (summary: string, urgent: boolean) =>
  proxyActivities<ListenerRuleActivities>({
    taskQueue: elbv2Queue(),
    startToCloseTimeout: '2m',
    heartbeatTimeout: '4s',
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { maximumAttempts: 1 },
    priority: priority(urgent),
    summary,
  });

import {
  ActivityCancellationType,
  proxyActivities,
  scheduleActivity,
  workflowInfo,
} from '@temporalio/workflow';
import type {
  Activities,
  AnalysisActivities,
  CheckActivities,
  ExperimentActivities,
  JobActivities,
  MeasurementActivities,
  Synced,
} from '../activities/contract.ts';
import { cutToBytes } from '../domain/text.ts';

/** A summary as long as Temporal takes it: up to 400 bytes. */
export const inShort = (summary: string): string => cutToBytes(summary, 200);

type Only<Name extends keyof Activities> = Pick<Activities, Name>;

/** What was begun by a process that was killed is given to another after this time; each activity heartbeats four times a second. */
const HEARTBEAT = { heartbeatTimeout: '1500ms' } as const;

const CALM_HEARTBEAT = { heartbeatTimeout: '5s' } as const;

/** Calls to the Kubernetes API: short, repeated a few times, and not waited for when something more urgent cancels them. */
const kubernetes = {
  startToCloseTimeout: '12s',
  ...HEARTBEAT,
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '2s', maximumAttempts: 3 },
} as const;

/** Looks into the Kubernetes API, reports to it, lets objects go, and asks about those who approve. */
export const objects = (summary: string) =>
  proxyActivities<
    Only<
      | 'observeCell'
      | 'reportCell'
      | 'readLostRun'
      | 'releaseLoadBalancer'
      | 'releaseApplications'
      | 'reportStaged'
      | 'releaseStaged'
      | 'reviewApproval'
    >
  >({ ...kubernetes, summary: inShort(summary) });

/** The activities that start, read and end AnalysisRuns, Experiments, Checks and Jobs. */
export type MeasuringActivities = AnalysisActivities &
  ExperimentActivities &
  JobActivities &
  MeasurementActivities &
  Omit<CheckActivities, 'runCheck'>;

/** Starts, reads and ends AnalysisRuns, Experiments, Checks and Jobs. */
export const measurements = (summary: string) =>
  proxyActivities<MeasuringActivities>({ ...kubernetes, summary: inShort(summary) });

/** What takes traffic of an application back or holds it, in the Kubernetes API alone: not on the queue of what may not answer. */
export const urgentApplications = (summary: string) =>
  proxyActivities<Only<'observeApplications' | 'performApplication'>>({
    ...kubernetes,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    summary: inShort(summary),
  });

/** Calls to what may not answer, on a queue of their own, so that they hold up nothing else. */
const slow = (queue: 'discovery' | 'checks', summary: string) => ({
  taskQueue: `${workflowInfo().taskQueue}-${queue}`,
  startToCloseTimeout: '2m' as const,
  ...CALM_HEARTBEAT,
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumAttempts: 3 } as const,
  summary: inShort(summary),
});

const stepwise = (summary: string) => ({
  ...slow('discovery', summary),
  startToCloseTimeout: '1m' as const,
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumAttempts: 3 } as const,
});

/** Makes one sync of an object with what is outside, by the activity of this name; its caller looks again after a while, whatever came of it. */
export const sync = (activity: string, summary: string, args: readonly unknown[]): Promise<Synced> =>
  scheduleActivity(activity, [...args], slow('discovery', summary));

/** Compares the AWSTargetGroups of a namespace with AWS; its caller looks again after a while as well. */
export const checks = (summary: string) =>
  proxyActivities<Only<'checkTargetGroups'>>(slow('discovery', summary));

/** Takes a sample of a Check. */
export const samples = (summary: string) => proxyActivities<Only<'runCheck'>>(slow('checks', summary));

/** Looks at a StagedBindingPolicy and performs its next step. */
export const stages = (summary: string) =>
  proxyActivities<Only<'observeStaged' | 'applyStage' | 'selectClusters' | 'removeStage'>>(stepwise(summary));

/** Looks at a Cell with applications, which asks EKS and its clusters; nobody waits for a look that was given up. */
export const applicationLooks = (summary: string) =>
  proxyActivities<Only<'observeApplications'>>({
    ...stepwise(summary),
    cancellationType: ActivityCancellationType.TRY_CANCEL,
  });

/** Performs what is decided for an application; one that was given up has ended before another is begun. */
export const applicationActs = (summary: string) =>
  proxyActivities<Only<'performApplication'>>({
    ...stepwise(summary),
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  });

const elbv2Queue = (): string => `${workflowInfo().taskQueue}-elbv2`;

/** How the calls to ELBv2 are ordered, where the server orders them (1 is the highest of 5): writes wait for the rate limit, and reads must not wait for writes. */
const PRIORITY = { urgent: { priorityKey: 1 }, read: { priorityKey: 2 }, write: { priorityKey: 3 } } as const;

/** Reads from ELBv2; what is refused is tried again by the caller. */
export const elbv2Reads = (summary: string) =>
  proxyActivities<Only<'readTargetHealth' | 'inspectLoadBalancer' | 'findDrift' | 'wakeWriter'>>({
    taskQueue: elbv2Queue(),
    startToCloseTimeout: '30s',
    ...HEARTBEAT,
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '15s', maximumAttempts: 3 },
    priority: PRIORITY.read,
    summary: inShort(summary),
  });

/** For how long the gate of a version tries before it says that the version cannot work. */
const gated = {
  startToCloseTimeout: '20s',
  scheduleToCloseTimeout: '3m',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '15s', maximumAttempts: 6 },
} as const;

/** Looks whether the API server answers this worker; or ELBv2, on the queue of what writes to it. */
export const gate = (summary: string, queue?: 'elbv2') =>
  proxyActivities<Only<'reachKubernetes' | 'reachELBv2'>>({
    ...gated,
    ...(queue && { taskQueue: elbv2Queue() }),
    summary: inShort(summary),
  });

/** One attempt to write; its caller decides on another, with what is wanted by then. */
const write = {
  startToCloseTimeout: '2m',
  ...HEARTBEAT,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { maximumAttempts: 1 },
} as const;

/** Makes one attempt to shift traffic. */
export const traffic = (summary: string, urgent: boolean) =>
  proxyActivities<Only<'shiftTraffic'>>({
    ...write,
    // What takes traffic back has slots of its own.
    taskQueue: urgent ? `${elbv2Queue()}-urgent` : elbv2Queue(),
    priority: urgent ? PRIORITY.urgent : PRIORITY.write,
    summary: inShort(summary),
  });

/** Makes one attempt to apply an object that configures a load balancer, or to remove what it has made. */
export const configs = (summary: string) =>
  proxyActivities<Only<'applyLoadBalancer' | 'removeLoadBalancer'>>({
    ...write,
    taskQueue: elbv2Queue(),
    priority: PRIORITY.write,
    summary: inShort(summary),
  });

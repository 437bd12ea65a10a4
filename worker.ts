import { asyncLocalStorage } from '@temporalio/activity';
import { Worker, type NativeConnection, type WorkerOptions } from '@temporalio/worker';
import { makeActivities, type Activities } from './activities/index.ts';
import { accessPolicies } from './clients/kubernetes/access-policies.ts';
import { datadogEvents, type TellEvent } from './clients/datadog/events.ts';
import { connectEKS } from './clients/aws/eks.ts';
import { readPace } from './clients/aws/elbv2-pace.ts';
import { connectELBv2 } from './clients/aws/elbv2.ts';
import { installationIn, type Installation } from './clients/kubernetes/installation.ts';
import { connectKubernetes } from './clients/kubernetes/kubernetes.ts';
import type { Log } from './clients/log.ts';
import { connectClusters } from './clients/kubernetes/remote-clusters.ts';
import { sharedBudget } from './clients/aws/shared-budget.ts';
import { budgetStates } from './clients/aws/budget-states.ts';
import type { Metrics } from './clients/metrics/metrics.ts';
import { activityMetrics } from './clients/temporal/activity-metrics.ts';
import { payloadConverter } from './clients/temporal/payload-codec.ts';
import { installRuntime } from './clients/temporal/runtime.ts';
import { connectTemporal } from './clients/temporal/temporal.ts';
import { versioned } from './clients/temporal/worker-version.ts';
import { runWorkers } from './clients/temporal/temporal-workers.ts';
import type { Waiting } from './clients/waiting.ts';
import type { Config } from './config.ts';
import { builtBundle, workflowBundle as bundledWorkflows } from './clients/temporal/workflow-bundle.ts';

/** What a worker runs with. */
export interface WorkerSettings {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'count' | 'observe' | 'states'>;
  /** Ends the worker: what runs is given time to end, and is taken up elsewhere otherwise. */
  readonly signal: AbortSignal;
  /** Told what is waited for. */
  readonly waiting: {
    readonly temporal: Waiting;
    /** Until Temporal has seen the worker poll. */
    readonly polls: Waiting;
  };
}

/** Runs the workflows and the activities until the signal; throws when one of the workers fails. */
export async function runWorker({ config, log, metrics, signal, waiting }: WorkerSettings): Promise<void> {
  installRuntime({ log, ...config.temporalTelemetry });
  const [dataConverter, temporal, workflows] = await Promise.all([
    payloadConverter(config.temporal.codec),
    connectTemporal(config, { log, signal, waiting: waiting.temporal }),
    workflowCode(config, signal),
  ]);
  const kubernetes = connectKubernetes(config.kubernetes.kubeconfig);
  const installation = installationIn({ kubernetes, namespace: config.lease.namespace });
  tell(installation, log);
  const shared = {
    kubernetes,
    namespace: config.lease.namespace,
    rates: { ...config.elbv2, queries: config.datadog.queries },
  };
  metrics.states('budgets', budgetStates(shared));
  const activities = makeActivities({
    kubernetes,
    temporal: temporal.client,
    elbv2: connectELBv2({
      endpoint: config.aws.elbv2Endpoint,
      pace: readPace(config.elbv2.reads, () => activityQueue() === urgentQueueOf(config)),
      tell: metrics,
    }),
    eks: connectEKS({
      endpoint: config.aws.eksEndpoint,
      stsEndpoint: config.aws.stsEndpoint,
      tell: metrics,
    }),
    clusters: connectClusters(config, accessPolicies(kubernetes)),
    ...(config.aws.region === undefined ? {} : { region: config.aws.region }),
    budgets: sharedBudget({ ...shared, log }),
    tell: metrics,
    datadog: config.datadog,
    tellEvent: eventsOf(config, log, signal),
    cloudWatchEndpoint: config.aws.cloudWatchEndpoint,
    stsEndpoint: config.aws.stsEndpoint,
    installation,
    taskQueue: config.taskQueue,
    intervals: { drift: config.driftIntervalSeconds, sync: config.syncIntervalSeconds },
    graceSeconds: config.graceSeconds,
  });
  const { namespace } = config.temporal;
  const { identity, taskQueue, elbv2TaskQueue } = config;
  const always: Omit<WorkerOptions, 'taskQueue'> = {
    namespace,
    identity,
    dataConverter,
    interceptors: { activity: [activityMetrics(metrics)] },
    // A beat passes soon, so that a cancellation arrives soon.
    maxHeartbeatThrottleInterval: '500ms',
    shutdownGraceTime: '5s',
    shutdownForceTime: '10s',
  };
  const create = async (connection: NativeConnection): Promise<readonly Worker[]> => {
    const common = { ...always, ...(await versioned(config.deployment, connection)) };
    return Promise.all([
      Worker.create({
        ...common,
        ...workflows,
        connection,
        activities,
        taskQueue,
        stickyQueueScheduleToStartTimeout: '2s',
        maxConcurrentActivityTaskExecutions: SLOTS,
      }),
      // A cluster that does not answer holds a sync up, and never a rollout.
      Worker.create({
        ...common,
        connection,
        activities: only(onDiscoveryQueue, activities),
        taskQueue: `${taskQueue}-discovery`,
        maxConcurrentActivityTaskExecutions: SLOTS,
      }),
      // A provider of metrics that does not answer holds Checks up, and nothing else.
      Worker.create({
        ...common,
        connection,
        activities: only(['runCheck'], activities),
        taskQueue: `${taskQueue}-checks`,
        maxConcurrentActivityTaskExecutions: SLOTS,
      }),
      Worker.create({
        ...common,
        connection,
        activities: only(onElbv2Queue, activities),
        taskQueue: elbv2TaskQueue,
        maxConcurrentActivityTaskExecutions: SLOTS,
      }),
      // What takes traffic back has slots of its own, so that it never waits for those of others.
      Worker.create({
        ...common,
        connection,
        activities: only(['shiftTraffic'], activities),
        taskQueue: urgentQueueOf(config),
        maxConcurrentActivityTaskExecutions: SLOTS,
      }),
    ]);
  };
  const queues = [
    { taskQueue, types: ['workflow', 'activity'] },
    { taskQueue: `${taskQueue}-discovery`, types: ['activity'] },
    { taskQueue: `${taskQueue}-checks`, types: ['activity'] },
    { taskQueue: elbv2TaskQueue, types: ['activity'] },
    { taskQueue: urgentQueueOf(config), types: ['activity'] },
  ] as const;
  try {
    await runWorkers(create, {
      temporal: config.temporal,
      poller: { namespace, identity, queues },
      log,
      signal,
      waiting: waiting.polls,
    });
  } finally {
    await temporal.connection.close();
  }
}

/** What tells Datadog of rollouts, when that is asked for. */
function eventsOf({ datadog }: Config, log: Log, signal: AbortSignal): TellEvent | undefined {
  const { events, apiKey, site, endpoint } = datadog;
  if (!events) return undefined;
  if (apiKey !== undefined)
    return datadogEvents({ url: endpoint ?? `https://api.${site}`, apiKey, log, signal });
  log.warn('Expected DD_API_KEY with OKRA_DATADOG_EVENTS, got none. No events are told.');
  return undefined;
}

async function workflowCode(
  { workflowBundle = builtBundle() }: Config,
  signal: AbortSignal,
): Promise<Pick<WorkerOptions, 'workflowBundle'>> {
  if (workflowBundle !== undefined) return { workflowBundle: { codePath: workflowBundle } };
  return { workflowBundle: { code: await bundledWorkflows(signal) } };
}

/** Says which installation this is, before anything in AWS is tagged with it; what needs it asks again. */
function tell(installation: Installation, log: Log): void {
  installation().then(
    (id) => log.info({ installation: id }, 'installation known'),
    (error: unknown) => log.warn({ err: error }, 'installation not known yet'),
  );
}

/** The queue of what takes traffic back. */
const urgentQueueOf = ({ elbv2TaskQueue }: Config): string => `${elbv2TaskQueue}-urgent`;

/** The queue of the activity that runs this. */
const activityQueue = (): string | undefined => asyncLocalStorage.getStore()?.info.taskQueue;

/** The names of the activities that wait on the task queue of ELBv2. */
const onElbv2Queue: readonly (keyof Activities)[] = [
  'shiftTraffic',
  'applyLoadBalancer',
  'removeLoadBalancer',
  'inspectLoadBalancer',
  'readTargetHealth',
  'findDrift',
  'wakeWriter',
];

/** The names of the activities that read clusters and AWS for discovery. */
const onDiscoveryQueue: readonly (keyof Activities)[] = [
  'syncClusterSet',
  'syncTargetGroupSet',
  'syncTargetGroupBinding',
  'checkTargetGroups',
  'observeStaged',
  'observeApplications',
  'performApplication',
  'applyStage',
  'selectClusters',
  'removeStage',
];

/**
 * How many activities go on at once in one worker, on each queue. More of them only make each slower, until they take
 * longer than they may: what waits for a slot waits in Temporal, where no timeout runs.
 */
const SLOTS = 25;

const only = (names: readonly (keyof Activities)[], all: Activities): object =>
  Object.fromEntries(names.map((name) => [name, all[name]]));

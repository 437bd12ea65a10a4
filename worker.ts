import { randomUUID } from 'node:crypto';
import { asyncLocalStorage } from '@temporalio/activity';
import { Worker, type NativeConnection, type WorkerOptions } from '@temporalio/worker';
import type { Activities } from './activities/contract.ts';
import { makeActivities } from './activities/index.ts';
import { accessPolicies } from './clients/kubernetes/access-policies.ts';
import { notifyWebhooks, readWebhooks } from './clients/notifications/webhooks.ts';
import type { TellEvent } from './clients/datadog/events.ts';
import { readPace, type ReadPriority } from './clients/aws/elbv2-pace.ts';
import { connectELBv2 } from './clients/aws/elbv2.ts';
import { lateEKS } from './clients/aws/late.ts';
import { installationIn, type Installation } from './clients/kubernetes/installation.ts';
import { connectKubernetes } from './clients/kubernetes/kubernetes.ts';
import type { Log } from './clients/log.ts';
import { connectClusters } from './clients/kubernetes/remote-clusters.ts';
import { limitRates, waitingCalls } from './clients/rate-limiter.ts';
import type { Metrics } from './clients/metrics/metrics.ts';
import { noTraces, openTraces } from './clients/traces/traces.ts';
import { activityTraces, activityMetrics, failingLooks } from './clients/temporal/activity-metrics.ts';
import { payloadConverter } from './clients/temporal/temporal-connection.ts';
import { installRuntime } from './clients/temporal/runtime.ts';
import { connectTemporal } from './clients/temporal/temporal.ts';
import { versioned, runWorkers } from './clients/temporal/temporal-workers.ts';
import type { Waiting } from './clients/backoff.ts';
import { type Config, settingsOfActivities } from './config/config.ts';
import { builtBundle, bundleWorkflowsApart } from './clients/temporal/workflow-bundle.ts';

interface WorkerSettings {
  readonly config: Config;
  readonly log: Log;
  readonly version: string;
  readonly metrics: Pick<Metrics, 'count' | 'observe' | 'states'>;
  readonly signal: AbortSignal;
  readonly waiting: {
    readonly temporal: Waiting;
    readonly polls: Waiting;
  };
}

/** Runs the workflows and the activities until the signal; throws when one of the workers fails. */
export async function runWorker({
  config,
  log,
  version,
  metrics,
  signal,
  waiting,
}: WorkerSettings): Promise<void> {
  const webhooks = config.notifications === undefined ? [] : readWebhooks(config.notifications);
  installRuntime({ log, ...config.temporalTelemetry });
  const [dataConverter, temporal, workflows] = await Promise.all([
    payloadConverter(config.temporal.codec),
    connectTemporal(config, { log, signal, waiting: waiting.temporal }),
    workflowCode(config, signal),
  ]);
  const { tracesEndpoint: endpoint } = config;
  const traces = endpoint === undefined ? noTraces : await openTraces({ endpoint, version });
  const told = { ...metrics, part: traces.part };
  const kubernetes = connectKubernetes(config.kubernetes.kubeconfig);
  const installation = installationIn({ kubernetes, namespace: config.lease.namespace });
  tell(installation, log);
  const limits = limitRates({ ...config.elbv2, queries: config.datadog.queries });
  metrics.states('limits', waitingCalls(limits));
  const settings = settingsOfActivities(config);
  const looks = failingLooks(settings.intervals);
  metrics.states('looks', looks.states);
  const activities = makeActivities({
    ...settings,
    kubernetes,
    temporal: temporal.client,
    elbv2: connectELBv2({
      endpoint: config.aws.elbv2Endpoint,
      pace: readPace(config.elbv2.reads, () => readPriority(config)),
      tell: told,
    }),
    eks: lateEKS({
      endpoint: config.aws.eksEndpoint,
      stsEndpoint: config.aws.stsEndpoint,
      tell: told,
    }),
    clusters: connectClusters(config, accessPolicies(kubernetes)),
    limits,
    tell: told,
    tellEvent: await openDatadog(config, log, signal),
    notify: notifyWebhooks(webhooks, { log, signal }),
    log,
    installation,
  });
  const { namespace } = config.temporal;
  const { taskQueue } = config;
  // A container that restarts in its pod keeps its name in the Lease; its polls must not be taken for those of the one before.
  const identity = `${config.identity}-${randomUUID().slice(0, 8)}`;
  const queues = activityQueuesOf(config);
  const create = async (connection: NativeConnection): Promise<readonly Worker[]> => {
    const common: Omit<WorkerOptions, 'taskQueue'> = {
      ...(await versioned(config.deployment, connection)),
      connection,
      namespace,
      identity,
      dataConverter,
      interceptors: { activity: [activityMetrics(metrics, looks), activityTraces(traces)] },
      // A beat passes soon, so that a cancellation arrives soon.
      maxHeartbeatThrottleInterval: '200ms',
      shutdownGraceTime: '5s',
      shutdownForceTime: '10s',
      maxConcurrentActivityTaskExecutions: SLOTS,
    };
    const first = Worker.create({
      ...common,
      ...workflows,
      activities,
      taskQueue,
      // What waits for a worker that was killed goes to another after this time.
      stickyQueueScheduleToStartTimeout: '750ms',
      maxCachedWorkflows: CACHED,
    });
    const others = queues.map((queue) => {
      const some = Object.fromEntries(queue.names.map((name) => [name, activities[name]]));
      return Worker.create({ ...common, activities: some, taskQueue: queue.taskQueue });
    });
    return Promise.all([first, ...others]);
  };
  try {
    await runWorkers(create, {
      temporal: config.temporal,
      poller: {
        namespace,
        identity,
        queues: [
          { taskQueue, types: ['workflow', 'activity'] },
          ...queues.map((queue) => ({ taskQueue: queue.taskQueue, types: ['activity'] as const })),
        ],
      },
      log,
      signal,
      waiting: waiting.polls,
    });
  } finally {
    await traces.end();
    await temporal.connection.close();
  }
}

/** Loads the client of Datadog where okrad has keys, as that holds the event loop up for seconds; gives the way for events. */
async function openDatadog(
  { datadog }: Config,
  log: Log,
  signal: AbortSignal,
): Promise<TellEvent | undefined> {
  const { events, apiKey, site, endpoint } = datadog;
  if (apiKey === undefined) {
    if (events) log.warn('DD_API_KEY not found: OKRA_DATADOG_EVENTS sends no events.');
    return undefined;
  }
  const [{ postDatadogEvents }] = await Promise.all([
    import('./clients/datadog/events.ts'),
    import('./clients/datadog/queries.ts'),
  ]);
  return events
    ? postDatadogEvents({ url: endpoint ?? `https://api.${site}`, apiKey, log, signal })
    : undefined;
}

async function workflowCode(
  { workflowBundle = builtBundle() }: Config,
  signal: AbortSignal,
): Promise<Pick<WorkerOptions, 'workflowBundle'>> {
  if (workflowBundle !== undefined) return { workflowBundle: { codePath: workflowBundle } };
  return { workflowBundle: { code: await bundleWorkflowsApart(signal) } };
}

/** Says which installation this is, before anything in AWS is tagged with it; what needs it asks again. */
function tell(installation: Installation, log: Log): void {
  installation().then(
    (id) => log.info({ installation: id }, 'installation known'),
    (error: unknown) => log.warn({ err: error }, 'installation not known yet'),
  );
}

function readPriority({ taskQueue, elbv2TaskQueue }: Config): ReadPriority {
  const queue = asyncLocalStorage.getStore()?.info.taskQueue;
  if (queue === `${elbv2TaskQueue}-urgent`) return 'Urgent';
  return queue === `${taskQueue}-discovery` ? 'Background' : 'Usual';
}

const activityQueuesOf = ({
  taskQueue,
  elbv2TaskQueue,
}: Config): readonly { readonly taskQueue: string; readonly names: readonly (keyof Activities)[] }[] => [
  // A cluster that does not answer holds a sync up, and never a rollout.
  { taskQueue: `${taskQueue}-discovery`, names: onDiscoveryQueue },
  // A provider of metrics that does not answer holds Checks up, and nothing else.
  { taskQueue: `${taskQueue}-checks`, names: ['runCheck'] },
  { taskQueue: elbv2TaskQueue, names: onElbv2Queue },
  // What takes traffic back has slots of its own, so that it never waits for those of others.
  { taskQueue: `${elbv2TaskQueue}-urgent`, names: ['shiftTraffic'] },
];

const onElbv2Queue: readonly (keyof Activities)[] = [
  'shiftTraffic',
  'applyLoadBalancer',
  'removeLoadBalancer',
  'inspectLoadBalancer',
  'readTargetHealth',
  'findDrift',
  'wakeWriter',
  'reachELBv2',
];

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

/** How many activities one worker runs at once on each queue; more make each slower, and no timeout runs while one waits for a slot. */
const SLOTS = 25;

/** How many runs a worker keeps in memory, so as not to replay them: hundreds of rollouts fit, while the SDK's own limit goes by the heap. */
const CACHED = 500;

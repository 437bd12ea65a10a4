import { asyncLocalStorage } from '@temporalio/activity';
import type { NativeConnection, Worker, WorkerOptions } from '@temporalio/worker';
import { makeActivities } from './activities/index.ts';
import { accessPolicies } from './clients/kubernetes/access-policies.ts';
import { datadogEvents, type TellEvent } from './clients/datadog/events.ts';
import { readPace } from './clients/aws/elbv2-pace.ts';
import { connectELBv2 } from './clients/aws/elbv2.ts';
import { lateEKS } from './clients/aws/late.ts';
import { installationIn, type Installation } from './clients/kubernetes/installation.ts';
import { connectKubernetes } from './clients/kubernetes/kubernetes.ts';
import type { Log } from './clients/log.ts';
import { connectClusters } from './clients/kubernetes/remote-clusters.ts';
import { sharedBudget } from './clients/aws/shared-budget.ts';
import { budgetStates } from './clients/aws/budget-states.ts';
import type { Metrics } from './clients/metrics/metrics.ts';
import { noTraces, openTraces } from './clients/traces/traces.ts';
import { activityTraces } from './clients/temporal/activity-traces.ts';
import { activityMetrics } from './clients/temporal/activity-metrics.ts';
import { failingLooks } from './clients/temporal/failing-looks.ts';
import { payloadConverter } from './clients/temporal/payload-codec.ts';
import { installRuntime } from './clients/temporal/runtime.ts';
import { connectTemporal } from './clients/temporal/temporal.ts';
import { versioned } from './clients/temporal/worker-version.ts';
import { runWorkers } from './clients/temporal/temporal-workers.ts';
import type { Waiting } from './clients/waiting.ts';
import type { Config } from './config.ts';
import { createWorkers, queuesOf, readPriority } from './worker-queues.ts';
import { builtBundle, bundleWorkflowsApart } from './clients/temporal/workflow-bundle.ts';

/** What a worker runs with. */
export interface WorkerSettings {
  readonly config: Config;
  readonly log: Log;
  /** That of okrad. */
  readonly version: string;
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
export async function runWorker({
  config,
  log,
  version,
  metrics,
  signal,
  waiting,
}: WorkerSettings): Promise<void> {
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
  const shared = {
    kubernetes,
    namespace: config.lease.namespace,
    rates: { ...config.elbv2, queries: config.datadog.queries },
  };
  metrics.states('budgets', budgetStates(shared));
  const intervals = { drift: config.driftIntervalSeconds, sync: config.syncIntervalSeconds };
  const looks = failingLooks(intervals);
  metrics.states('looks', looks.states);
  const activities = makeActivities({
    kubernetes,
    watchNamespaces: config.kubernetes.watchNamespaces,
    temporal: temporal.client,
    elbv2: connectELBv2({
      endpoint: config.aws.elbv2Endpoint,
      pace: readPace(config.elbv2.reads, () => readPriority(activityQueue(), config)),
      tell: told,
    }),
    eks: lateEKS({
      endpoint: config.aws.eksEndpoint,
      stsEndpoint: config.aws.stsEndpoint,
      tell: told,
    }),
    clusters: connectClusters(config, accessPolicies(kubernetes)),
    ...(config.aws.region === undefined ? {} : { region: config.aws.region }),
    budgets: sharedBudget({ ...shared, log }),
    tell: told,
    datadog: config.datadog,
    tellEvent: eventsOf(config, log, signal),
    cloudWatchEndpoint: config.aws.cloudWatchEndpoint,
    stsEndpoint: config.aws.stsEndpoint,
    installation,
    taskQueue: config.taskQueue,
    intervals,
    graceSeconds: config.graceSeconds,
  });
  const { namespace } = config.temporal;
  const { identity } = config;
  const always: Omit<WorkerOptions, 'taskQueue'> = {
    namespace,
    identity,
    dataConverter,
    interceptors: { activity: [activityMetrics(metrics, looks), activityTraces(traces)] },
    // A beat passes soon, so that a cancellation arrives soon.
    maxHeartbeatThrottleInterval: '200ms',
    shutdownGraceTime: '5s',
    shutdownForceTime: '10s',
  };
  const create = async (connection: NativeConnection): Promise<readonly Worker[]> => {
    const common = { ...always, ...(await versioned(config.deployment, connection)) };
    return createWorkers({ ...common, connection }, { config, activities, workflows });
  };
  try {
    await runWorkers(create, {
      temporal: config.temporal,
      poller: { namespace, identity, queues: queuesOf(config) },
      log,
      signal,
      waiting: waiting.polls,
    });
  } finally {
    await traces.end();
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
  return { workflowBundle: { code: await bundleWorkflowsApart(signal) } };
}

/** Says which installation this is, before anything in AWS is tagged with it; what needs it asks again. */
function tell(installation: Installation, log: Log): void {
  installation().then(
    (id) => log.info({ installation: id }, 'installation known'),
    (error: unknown) => log.warn({ err: error }, 'installation not known yet'),
  );
}

/** The queue of the activity that runs this. */
const activityQueue = (): string | undefined => asyncLocalStorage.getStore()?.info.taskQueue;

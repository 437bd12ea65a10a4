import { DefaultLogger, NativeConnection, Runtime, Worker, type WorkerOptions } from '@temporalio/worker';
import { makeActivities, type Activities } from './activities/index.ts';
import { connectEKS } from './clients/eks.ts';
import { connectELBv2 } from './clients/elbv2.ts';
import { connectKubernetes } from './clients/kubernetes.ts';
import type { Log } from './clients/log.ts';
import { connectClusters } from './clients/remote-clusters.ts';
import { connectTemporal, temporalOptions } from './clients/temporal.ts';
import { sharedBudget } from './clients/shared-budget.ts';
import type { Config } from './config.ts';
import { bundleWorkflowsApart } from './clients/workflow-bundle.ts';

/** What a worker runs with. */
export interface WorkerSettings {
  readonly config: Config;
  readonly log: Log;
  /** Ends the worker: what runs is given time to end, and is taken up elsewhere otherwise. */
  readonly signal: AbortSignal;
}

/** Runs the workflows and the activities until the signal; throws when one of the workers fails. */
export async function runWorker({ config, log, signal }: WorkerSettings): Promise<void> {
  Runtime.install({ logger: logTo(log) });
  const [temporal, workflows] = await Promise.all([
    connectTemporal(config, { log, signal }),
    workflowCode(config, signal),
  ]);
  const connection = await NativeConnection.connect(await temporalOptions(config.temporal));
  const kubernetes = connectKubernetes(config.kubernetes.kubeconfig);
  const { writesPerSecond: perSecond, writeBurst: burst } = config.elbv2;
  const activities = makeActivities({
    kubernetes,
    temporal: temporal.client,
    elbv2: connectELBv2({ endpoint: config.aws.elbv2Endpoint }),
    eks: connectEKS({ endpoint: config.aws.eksEndpoint, stsEndpoint: config.aws.stsEndpoint }),
    clusters: connectClusters(config),
    ...(config.aws.region === undefined ? {} : { region: config.aws.region }),
    budget: sharedBudget({ kubernetes, namespace: config.lease.namespace, rate: { perSecond, burst }, log }),
    taskQueue: config.taskQueue,
  });
  const common: Omit<WorkerOptions, 'taskQueue'> = {
    connection,
    namespace: config.temporal.namespace,
    identity: config.identity,
    // A beat passes soon, so that a cancellation arrives soon.
    maxHeartbeatThrottleInterval: '500ms',
    shutdownGraceTime: '5s',
    shutdownForceTime: '10s',
  };
  try {
    const workers = await Promise.all([
      Worker.create({
        ...common,
        ...workflows,
        activities,
        taskQueue: config.taskQueue,
        stickyQueueScheduleToStartTimeout: '2s',
      }),
      Worker.create({
        ...common,
        activities: only(onElbv2Queue, activities),
        taskQueue: config.elbv2TaskQueue,
      }),
      // What takes traffic back has slots of its own, so that it never waits for those of others.
      Worker.create({
        ...common,
        activities: only(['shiftTraffic'], activities),
        taskQueue: `${config.elbv2TaskQueue}-urgent`,
        maxConcurrentActivityTaskExecutions: URGENT_SLOTS,
      }),
    ]);
    log.info({ taskQueue: config.taskQueue }, 'worker started');
    await untilAborted(workers, signal);
  } finally {
    await Promise.all([temporal.connection.close(), connection.close()]);
  }
}

async function untilAborted(workers: readonly Worker[], signal: AbortSignal): Promise<void> {
  const stop = (): void => workers.forEach((worker) => worker.getState() === 'RUNNING' && worker.shutdown());
  signal.addEventListener('abort', stop, { once: true });
  const running = workers.map((worker) => worker.run());
  if (signal.aborted) stop();
  try {
    await Promise.all(running);
  } finally {
    stop();
    await Promise.allSettled(running);
    signal.removeEventListener('abort', stop);
  }
}

async function workflowCode(
  { workflowBundle }: Config,
  signal: AbortSignal,
): Promise<Pick<WorkerOptions, 'workflowBundle'>> {
  if (workflowBundle !== undefined) return { workflowBundle: { codePath: workflowBundle } };
  return { workflowBundle: { code: await bundleWorkflowsApart(signal) } };
}

/** The names of the activities that wait on the task queue of ELBv2. */
const onElbv2Queue: readonly (keyof Activities)[] = [
  'shiftTraffic',
  'applyLoadBalancerConfig',
  'removeLoadBalancerConfig',
  'inspectLoadBalancer',
  'readTargetHealth',
  'findDrift',
  'wakeWriter',
];

/** How many writes that take traffic back go on at once in one worker. */
const URGENT_SLOTS = 50;

const only = (names: readonly (keyof Activities)[], all: Activities): object =>
  Object.fromEntries(names.map((name) => [name, all[name]]));

/** What the Temporal SDK has to say goes into the same log; that it starts and polls is of no interest. */
const logTo = (log: Log): DefaultLogger =>
  new DefaultLogger('WARN', ({ level, message, meta }) => {
    const event = { ...meta };
    if (level === 'ERROR') log.error(event, message);
    else log.warn(event, message);
  });

import { Worker, type WorkerOptions } from '@temporalio/worker';
import type { Activities } from './activities/contract.ts';
import type { ReadPriority } from './clients/aws/elbv2-pace.ts';
import type { PolledQueue } from './clients/temporal/polls.ts';
import type { Config } from './config.ts';

type Queues = Pick<Config, 'taskQueue' | 'elbv2TaskQueue'>;

/** The queue of what takes traffic back. */
export const urgentQueueOf = ({ elbv2TaskQueue }: Pick<Config, 'elbv2TaskQueue'>): string =>
  `${elbv2TaskQueue}-urgent`;

/** The queue of what reads clusters and AWS for discovery. */
const discoveryQueueOf = ({ taskQueue }: Pick<Config, 'taskQueue'>): string => `${taskQueue}-discovery`;

/** What the reads of an activity are for, by its task queue; undefined: of no activity. */
export function readPriority(taskQueue: string | undefined, config: Queues): ReadPriority {
  if (taskQueue === urgentQueueOf(config)) return 'Urgent';
  return taskQueue === discoveryQueueOf(config) ? 'Background' : 'Usual';
}

/** All that the worker polls. */
export const queuesOf = (config: Queues): readonly PolledQueue[] => [
  { taskQueue: config.taskQueue, types: ['workflow', 'activity'] },
  ...activityQueuesOf(config).map(({ taskQueue }): PolledQueue => ({ taskQueue, types: ['activity'] })),
];

/** What the workers do. */
export interface Work {
  readonly config: Queues;
  readonly activities: Activities;
  readonly workflows: Pick<WorkerOptions, 'workflowBundle'>;
}

/** Makes a worker for each queue. */
export const createWorkers = (
  common: Omit<WorkerOptions, 'taskQueue'>,
  { config, activities, workflows }: Work,
): Promise<readonly Worker[]> =>
  Promise.all([
    Worker.create({
      ...common,
      ...workflows,
      activities,
      taskQueue: config.taskQueue,
      // What waits for a worker that was killed goes to another after this time.
      stickyQueueScheduleToStartTimeout: '750ms',
      maxConcurrentActivityTaskExecutions: SLOTS,
      maxCachedWorkflows: CACHED,
    }),
    ...activityQueuesOf(config).map(({ taskQueue, names }) =>
      Worker.create({
        ...common,
        activities: only(names, activities),
        taskQueue,
        maxConcurrentActivityTaskExecutions: SLOTS,
      }),
    ),
  ]);

/** A queue for activities alone. */
interface ActivityQueue {
  readonly taskQueue: string;
  readonly names: readonly (keyof Activities)[];
}

const activityQueuesOf = (config: Queues): readonly ActivityQueue[] => [
  // A cluster that does not answer holds a sync up, and never a rollout.
  { taskQueue: discoveryQueueOf(config), names: onDiscoveryQueue },
  // A provider of metrics that does not answer holds Checks up, and nothing else.
  { taskQueue: `${config.taskQueue}-checks`, names: ['runCheck'] },
  { taskQueue: config.elbv2TaskQueue, names: onElbv2Queue },
  // What takes traffic back has slots of its own, so that it never waits for those of others.
  { taskQueue: urgentQueueOf(config), names: ['shiftTraffic'] },
];

/** The names of the activities that wait on the task queue of ELBv2. */
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

/**
 * How many runs a worker keeps in memory, where the next task of each finds it as it was; the others are replayed. Without
 * it the SDK goes by the size of the heap, and a machine with much memory keeps thousands that sleep. Hundreds of rollouts
 * that go on at once have to fit: what is put out and replayed by turns takes the time of all, aborts included.
 */
const CACHED = 500;

const only = (names: readonly (keyof Activities)[], all: Activities): object =>
  Object.fromEntries(names.map((name) => [name, all[name]]));

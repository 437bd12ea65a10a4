import type { ConnectionLike } from '@temporalio/client';
import { optionalTsToMs } from '@temporalio/common/lib/time.js';
import { hasCode, statusCodes } from './grpc-status.ts';

type TaskType = 'workflow' | 'activity';

/** What a worker polls, and by which name Temporal knows it. */
export interface Poller {
  readonly namespace: string;
  readonly identity: string;
  readonly queues: readonly PolledQueue[];
}

/** A task queue, and for what it is polled. */
export interface PolledQueue {
  readonly taskQueue: string;
  readonly types: readonly TaskType[];
}

/** When Temporal has last seen each poll, by its own clock, in milliseconds; a poll that it has not seen is left out. */
export type Polls = ReadonlyMap<string, number>;

// temporal.api.enums.v1.TaskQueueType, TaskQueueKind and DescribeTaskQueueMode
const typeNumbers = { workflow: 1, activity: 2 } as const;
const NORMAL = 1;
const ENHANCED = 1;

type Asked = Pick<ConnectionLike, 'workflowService' | 'withDeadline'>;

/**
 * What of a queue Temporal tells of: its root partition, to which polls of the others are passed on when it can take them,
 * or all, and then as they were some seconds ago.
 */
type Extent = 'root partition' | 'all partitions';

/** Asks Temporal which polls of a worker it has seen; throws when it does not answer in time. */
export async function readPolls(
  connection: Asked,
  { namespace, identity, queues }: Poller,
  extent: Extent,
): Promise<Polls> {
  const found = await Promise.all(
    queues.flatMap(({ taskQueue, types }) =>
      types.map(async (type): Promise<readonly (readonly [string, number])[]> => {
        const pollers = await pollersOf(connection, { namespace, taskQueue, type }, extent);
        const times = pollers.filter((one) => one.identity === identity).map(({ at }) => at);
        return times.length === 0 ? [] : [[nameOf(taskQueue, type), Math.max(...times)]];
      }),
    ),
  );
  return new Map(found.flat());
}

/** Says which polls are missing; to be asked again and again, as a poll that goes on is seen at least once a minute. */
export interface PollWatch {
  /** Takes what Temporal has seen by now; answers with the polls that it waits for. */
  readonly see: (polls: Polls) => readonly string[];
}

// A poll is held for a minute; one of which nothing was seen for longer is over.
const STALE_MILLISECONDS = 150_000;

/** Watches the polls of a worker; those that were seen before it ran are those of an earlier one of the same name. */
export function createPollWatch(
  queues: readonly PolledQueue[],
  before: Polls,
  now: () => number = () => performance.now(),
): PollWatch {
  const names = queues.flatMap(({ taskQueue, types }) => types.map((type) => nameOf(taskQueue, type)));
  const seen = new Map<string, { readonly at: number; readonly since: number }>();
  return {
    see: (polls) =>
      names.filter((name) => {
        const at = polls.get(name);
        // Only the server's own times are compared with each other: its clock is not ours.
        const known = seen.get(name);
        if (at !== undefined && at > (known?.at ?? before.get(name) ?? 0)) {
          seen.set(name, { at, since: now() });
          return false;
        }
        return known === undefined || now() - known.since > STALE_MILLISECONDS;
      }),
  };
}

/** The queues for which Temporal knows of no worker that polls them, or has polled them in the last minutes. */
export async function unpolled(
  connection: Asked,
  { namespace, queues }: Omit<Poller, 'identity'>,
): Promise<readonly string[]> {
  const found = await Promise.all(
    queues.flatMap(({ taskQueue, types }) =>
      types.map(async (type) => {
        const pollers = await pollersOf(connection, { namespace, taskQueue, type }, 'all partitions');
        return pollers.length === 0 ? [nameOf(taskQueue, type)] : [];
      }),
    ),
  );
  return found.flat();
}

const nameOf = (taskQueue: string, type: TaskType): string => `${taskQueue} (${type} tasks)`;

interface SeenPoller {
  readonly identity: string;
  readonly at: number;
}

interface TypedQueue {
  readonly namespace: string;
  readonly taskQueue: string;
  readonly type: TaskType;
}

async function pollersOf(
  connection: Asked,
  queue: TypedQueue,
  extent: Extent,
): Promise<readonly SeenPoller[]> {
  if (extent === 'root partition') return describe(connection, queue, undefined);
  try {
    return await describe(connection, queue, ENHANCED);
  } catch (error) {
    // The mode is deprecated.
    if (!hasCode(error, statusCodes.INVALID_ARGUMENT) && !hasCode(error, statusCodes.UNIMPLEMENTED))
      throw error;
    return await describe(connection, queue, undefined);
  }
}

const CALL_MILLISECONDS = 4_000;

async function describe(
  connection: Asked,
  { namespace, taskQueue, type }: TypedQueue,
  apiMode: typeof ENHANCED | undefined,
): Promise<readonly SeenPoller[]> {
  const number = typeNumbers[type];
  const wanted = {
    namespace,
    taskQueue: { name: taskQueue, kind: NORMAL },
    taskQueueType: number,
    ...(apiMode === undefined ? {} : { apiMode, taskQueueTypes: [number], reportPollers: true }),
  };
  const answer = await connection.withDeadline(Date.now() + CALL_MILLISECONDS, () =>
    // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- its enums are in a package that is no dependency
    connection.workflowService.describeTaskQueue(wanted),
  );
  const ofAll = Object.values(answer.versionsInfo ?? {}).flatMap(
    ({ typesInfo }) => typesInfo?.[number]?.pollers ?? [],
  );
  return [...ofAll, ...(answer.pollers ?? [])].map(({ identity, lastAccessTime }) => ({
    identity: identity ?? '',
    at: optionalTsToMs(lastAccessTime) ?? 0,
  }));
}

import type { ConnectionLike } from '@temporalio/client';
import { hasCode, statusCodes } from './grpc-status.ts';

/** What a worker polls, and by which name Temporal knows it; undefined: whoever polls. */
export interface Poller {
  readonly namespace: string;
  readonly identity?: string;
  readonly queues: readonly {
    readonly taskQueue: string;
    readonly types: readonly (keyof typeof typeNumbers)[];
  }[];
}

// temporal.api.enums.v1.TaskQueueType, TaskQueueKind and DescribeTaskQueueMode
const typeNumbers = { workflow: 1, activity: 2 } as const;
const NORMAL = 1;
const ENHANCED = 1;

/** The queues that Temporal has not seen polled in the last minutes; throws when it does not answer in time. */
export async function unpolled(
  connection: Pick<ConnectionLike, 'workflowService' | 'withDeadline'>,
  { namespace, identity, queues }: Poller,
): Promise<readonly string[]> {
  async function describe(
    taskQueue: string,
    type: keyof typeof typeNumbers,
    apiMode?: typeof ENHANCED,
  ): Promise<boolean> {
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
    return [...ofAll, ...(answer.pollers ?? [])].some(
      (poller) => identity === undefined || poller.identity === identity,
    );
  }

  /** Asks about the root partition, to which polls of the others are passed on when it can take them, and then about all. */
  async function isPolled(taskQueue: string, type: keyof typeof typeNumbers): Promise<boolean> {
    if (await describe(taskQueue, type)) return true;
    try {
      return await describe(taskQueue, type, ENHANCED);
    } catch (error) {
      // The mode is deprecated.
      if (hasCode(error, statusCodes.INVALID_ARGUMENT) || hasCode(error, statusCodes.UNIMPLEMENTED))
        return false;
      throw error;
    }
  }

  const found = await Promise.all(
    queues.flatMap(({ taskQueue, types }) =>
      types.map(async (type) => ((await isPolled(taskQueue, type)) ? [] : [`${taskQueue} (${type} tasks)`])),
    ),
  );
  return found.flat();
}

const CALL_MILLISECONDS = 4_000;

import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { alive } from '../../../activities/heartbeat.ts';
import { createLog } from '../../../clients/log.ts';
import { untilRegistered } from '../../../clients/temporal/search-attributes.ts';
import type { StackView } from '../../support/setup.ts';
import { quietRuntime } from '../../support/temporal/runtime.ts';
import { activitiesIn } from './activities.ts';
import { UnderWay } from './under-way.ts';
import type { World } from './world.ts';

/** A worker of the real workflows on the stack's Temporal server, with activities that play with worlds in memory. */
export interface Theatre {
  readonly client: Client;
  readonly taskQueue: string;
  readonly worlds: Map<string, World>;
  readonly underWay: UnderWay;
  readonly close: () => Promise<void>;
}

/** Starts the workers of the three task queues. */
export async function openTheatre({ temporal, built }: StackView): Promise<Theatre> {
  quietRuntime();
  const { address, namespace } = temporal;
  const connection = await Connection.connect({ address });
  const { signal } = new AbortController();
  await untilRegistered(connection, { namespace, log: createLog('silent'), signal });
  const client = new Client({ connection, namespace });
  const native = await NativeConnection.connect({ address });
  const worlds = new Map<string, World>();
  const underWay = new UnderWay();
  const taskQueue = `theatre-${process.pid}-${Date.now().toString(36)}`;
  const common: Omit<WorkerOptions, 'taskQueue'> = {
    connection: native,
    namespace,
    activities: alive(underWay.counting(activitiesIn(worlds))),
    maxHeartbeatThrottleInterval: '100ms',
    shutdownForceTime: '5s',
  };
  const workers = await Promise.all([
    Worker.create({ ...common, taskQueue, workflowBundle: { codePath: built.workflowBundle } }),
    Worker.create({ ...common, taskQueue: `${taskQueue}-elbv2` }),
    Worker.create({ ...common, taskQueue: `${taskQueue}-elbv2-urgent` }),
  ]);
  const running = workers.map((worker) => worker.run());
  return {
    client,
    taskQueue,
    worlds,
    underWay,
    close: async () => {
      for (const world of worlds.values()) world.troubles.lift();
      for (const worker of workers) worker.shutdown();
      await Promise.all(running);
      await Promise.all([native.close(), connection.close()]);
    },
  };
}

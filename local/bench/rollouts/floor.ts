import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { Client } from '@temporalio/client';
import type { Stack } from '../../stack.ts';
import { installRuntime } from '../../../clients/temporal/runtime.ts';
import { createLog } from '../../../clients/log.ts';
import { upTo } from '../each.ts';

const taskQueue = 'bench-floor';

/** Measures how many seconds a bare workflow takes for as many activities that do nothing, on the same Temporal. */
export async function measureFloor(
  { temporal: { address, namespace } }: Stack,
  client: Client,
  { activities, rounds }: { readonly activities: number; readonly rounds: number },
): Promise<readonly number[]> {
  installRuntime({ log: createLog('silent'), level: 'error' });
  const connection = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue,
    workflowsPath: fileURLToPath(new URL('floor-workflow.ts', import.meta.url)),
    activities: { nothing: () => Promise.resolve() },
  });
  try {
    return await worker.runUntil(async () => {
      const seconds: number[] = [];
      for (const _ of upTo(rounds + 1)) {
        const began = performance.now();
        await client.workflow.execute('floor', { taskQueue, workflowId: randomUUID(), args: [activities] });
        seconds.push((performance.now() - began) / 1000);
      }
      // The first one warms up.
      return seconds.slice(1);
    });
  } finally {
    await connection.close();
  }
}

import { randomUUID } from 'node:crypto';
import { ApplicationFailure, type Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import type { DriftFinding, Synced } from '../../activities/contract.ts';
import { createLog } from '../../clients/log.ts';
import { connectTemporal, type Temporal } from '../../clients/temporal/temporal.ts';
import {
  driftWatchStart,
  objectStart,
  targetGroupCheckStart,
  type WorkflowStart,
} from '../../clients/temporal/workflow-start.ts';
import { createDispatcher, workflowCalls } from '../../watchers/dispatch.ts';
import { quietRuntime } from '../support/temporal/runtime.ts';
import { until } from '../support/until.ts';

const stack = inject('stack');
const log = createLog('silent');
const taskQueue = `long-lived-${process.pid}`;
const listenerARN = `arn:aws:elasticloadbalancing:eu-central-1:1:listener/app/${randomUUID()}/1/1`;
const temporalConfig = { address: stack.temporal.address, namespace: stack.temporal.namespace };

/** What the world answers to the next look or sync; each answer says what the interval is now. */
let answer: () => Promise<Synced & DriftFinding>;
let looks: number;

const found = (intervalSeconds?: number): Synced & DriftFinding => ({
  isPresent: true,
  message: 'looked',
  watched: 1,
  drifted: [],
  unhealthy: [],
  changed: [],
  isSplit: false,
  ...(intervalSeconds === undefined ? {} : { intervalSeconds }),
});

const look = (): Promise<Synced & DriftFinding> => {
  looks += 1;
  return answer();
};

/** What waits on the queue of ELBv2. */
const drift = { findDrift: look };
/** What waits on the queue of discovery, so that a cluster that does not answer holds no rollout up. */
const syncs = {
  syncClusterSet: look,
  syncTargetGroupSet: look,
  syncTargetGroupBinding: look,
  checkTargetGroups: look,
};

let temporal: Temporal;
let client: Client;
let end: () => Promise<void>;
beforeAll(async () => {
  quietRuntime();
  temporal = await connectTemporal({ temporal: temporalConfig, identity: 'test' }, { log });
  ({ client } = temporal);
  const connection = await NativeConnection.connect({ address: stack.temporal.address });
  const workflowBundle = { codePath: stack.built.workflowBundle };
  const workers = await Promise.all([
    Worker.create({ connection, taskQueue, workflowBundle }),
    Worker.create({ connection, taskQueue: `${taskQueue}-elbv2`, activities: drift }),
    Worker.create({ connection, taskQueue: `${taskQueue}-discovery`, activities: syncs }),
  ]);
  const running = workers.map((worker) => worker.run());
  end = async () => {
    for (const worker of workers) worker.shutdown();
    await Promise.all(running);
    await connection.close();
  };
});
afterAll(async () => {
  await end();
  await temporal.connection.close();
});

let started: readonly WorkflowStart[] = [];
afterEach(async () => {
  for (const { options } of started) {
    await client.workflow
      .getHandle(options.workflowId)
      .terminate()
      .catch(() => undefined);
  }
});

const key = { namespace: 'default', name: `long-${process.pid}` };
const starts = (intervalSeconds: number): readonly WorkflowStart[] => [
  driftWatchStart({ type: 'AWSApplicationLoadBalancer', place: listenerARN, intervalSeconds }, taskQueue),
  objectStart({ kind: 'ClusterSet', key, intervalSeconds }, taskQueue),
  objectStart({ kind: 'AWSTargetGroupSet', key, intervalSeconds }, taskQueue),
  objectStart({ kind: 'AWSTargetGroupBinding', key, intervalSeconds }, taskQueue),
  targetGroupCheckStart({ namespace: key.name, intervalSeconds }, taskQueue),
];
const named = starts(1).map(({ type }, index) => [type, index] as const);

/** Starts one of the workflows, with an interval of so many seconds. */
async function start(index: number, intervalSeconds: number): Promise<string> {
  const one = starts(intervalSeconds)[index];
  if (one === undefined) throw new Error(`Expected a workflow, got none at ${index}.`);
  started = [one];
  looks = 0;
  await client.workflow.start(one.type, one.options);
  return one.options.workflowId;
}

const untilLooks = (count: number): Promise<unknown> =>
  until(`${count} looks`, async () => looks >= count, {
    seen: () => Promise.resolve(looks),
  });

/** A history beyond what a run may have: 1,000 events, or 4 MB, after which Temporal suggests another run. */
const LONG = { events: 1_100, bytes: 5_000_000 };

/** What makes a history long by its events. */
const manyEvents = { atOnce: 50, text: '' };
/** The same by its bytes, for a fraction of the work: all share what decides on another run (`workflows/entity.ts`), and one of them meets the count. */
const largeEvents = { atOnce: 5, text: 'x'.repeat(200_000) };

const describeRun = async (id: string) => {
  const { status, runId, historyLength, historySize = 0 } = await client.workflow.getHandle(id).describe();
  return { status: status.name, runId, historyLength, historySize };
};

describe.each(named)('%s', (_, index) => {
  it('takes up an interval that is set after it was started', async () => {
    answer = () => Promise.resolve(found());
    const id = await start(index, 3600);
    await untilLooks(1);
    answer = () => Promise.resolve(found(1));
    await client.workflow.getHandle(id).signal('changed');
    await untilLooks(4);
    expect((await describeRun(id)).status).toBe('RUNNING');
  });

  it('continues after answers that are for good', async () => {
    const types = ['AccessDenied', 'ObjectNotFound', 'InvalidObject', 'Refused'];
    answer = () => {
      const type = types.shift();
      if (type === undefined) return Promise.resolve(found());
      return Promise.reject(ApplicationFailure.nonRetryable('Expected to be let in, got 403.', type));
    };
    const id = await start(index, 1);
    await untilLooks(6);
    expect(types).toEqual([]);
    expect((await describeRun(id)).status).toBe('RUNNING');
  });

  it('continues as a new run before its history is long, also while it waits', async () => {
    answer = () => Promise.resolve(found());
    const id = await start(index, 3600);
    await untilLooks(1);
    const { runId } = await describeRun(id);
    const handle = client.workflow.getHandle(id);
    // Nobody takes this signal: nothing but the history continues.
    const { atOnce, text } = index === 0 ? manyEvents : largeEvents;
    await until(
      'another run',
      async () => {
        const now = await describeRun(id);
        if (now.runId !== runId) return true;
        // Once it is long, no more than begins another task: one that begins with the end of the task before it is told
        // how long the history was without what has come since.
        const isLong = now.historyLength >= LONG.events || now.historySize >= LONG.bytes;
        const more = isLong ? [''] : Array.from({ length: atOnce }, () => text);
        await Promise.all(more.map((one) => handle.signal('unheardOf', one)));
        return false;
      },
      { seen: () => describeRun(id) },
    );
    await untilLooks(2);
    expect((await describeRun(id)).historyLength).toBeLessThan(1000);
  });

  it('says in the Web UI what keeps it', async () => {
    answer = () =>
      Promise.reject(ApplicationFailure.nonRetryable('Expected to be let in, got 403.', 'AccessDenied'));
    const id = await start(index, 3600);
    const details = async (): Promise<string> => {
      const metadata = await client.workflow
        .getHandle(id)
        .query<{ currentDetails?: string }>('__temporal_workflow_metadata');
      return metadata.currentDetails ?? '';
    };
    await until('the details', async () => (await details()).includes('got 403'), { seen: details });
  });
});

describe('the watchers', () => {
  it('have a listener that is watched looked at again, so that it takes up another interval', async () => {
    answer = () => Promise.resolve(found());
    const id = await start(0, 3600);
    await untilLooks(1);
    answer = () => Promise.resolve(found(1));
    const config = { taskQueue, driftIntervalSeconds: 1, syncIntervalSeconds: 1, temporal: temporalConfig };
    const { signal } = new AbortController();
    const { dispatch, idle } = createDispatcher({ calls: workflowCalls(client), config, log, signal });
    const { runId } = await describeRun(id);
    dispatch({ do: 'Watch', type: 'AWSApplicationLoadBalancer', place: listenerARN });
    await idle();
    await untilLooks(4);
    expect((await describeRun(id)).runId).toBe(runId);
  });
});

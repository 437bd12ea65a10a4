import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type { StagedActivities } from '../../activities/contract.ts';
import { quietRuntime } from '../support/temporal/runtime.ts';
import { until } from '../support/until.ts';
import { World, type Kill } from './kills/world.ts';

vi.setConfig({ maxConcurrency: 64 });

describe('a StagedBindingPolicy whose worker is killed', () => {
  const worlds = new Map<string, World>();
  let client: Client;
  let taskQueue: string;
  let close: () => Promise<void>;

  beforeAll(async () => {
    quietRuntime();
    const { temporal, built } = inject('stack');
    const { address, namespace } = temporal;
    const connection = await Connection.connect({ address });
    client = new Client({ connection, namespace });
    const native = await NativeConnection.connect({ address });
    taskQueue = `kills-${process.pid}-${Date.now().toString(36)}`;
    const common: Omit<WorkerOptions, 'taskQueue'> = {
      connection: native,
      namespace,
      activities: activitiesIn(worlds),
      // Those that are dead keep their place.
      maxConcurrentActivityTaskExecutions: 500,
      shutdownForceTime: '1s',
    };
    const workers = await Promise.all([
      Worker.create({ ...common, taskQueue, workflowBundle: { codePath: built.workflowBundle } }),
      Worker.create({ ...common, taskQueue: `${taskQueue}-discovery` }),
    ]);
    const running = workers.map((worker) => worker.run());
    close = async () => {
      for (const worker of workers) worker.shutdown();
      await Promise.all(running);
      await Promise.all([native.close(), connection.close()]);
    };
  });
  afterAll(() => close());

  /** Takes a policy through its stages, and answers with the activities that it has taken. */
  async function play(name: string, kill?: Kill): Promise<readonly string[]> {
    const world = new World(name, client, kill);
    worlds.set(name, world);
    await world.prepare();
    const workflow = await client.workflow.start('stagedBinding', {
      taskQueue,
      workflowId: `staged-binding-policy/${name}`,
      args: [{ key: { namespace: '', name } }],
    });
    const isOver = async (): Promise<boolean> => {
      if ((await world.status()).phase !== 'Completed') return false;
      if (!world.isCalm) await workflow.signal('changed');
      return world.isCalm;
    };
    await until(`${name} to be completed`, isOver, { seen: () => world.status() });
    const begun = [...world.begun];
    const hasLooked = async (): Promise<boolean> => world.begun.length > begun.length;
    // Whatever has come late is put right, and nothing else is done.
    await workflow.signal('changed');
    await until(`${name} to have looked again`, hasLooked);
    await until(`${name} to stay completed`, async () => (await world.status()).phase === 'Completed');
    expect(await world.placed()).toEqual([`${name}-dev`, `${name}-prod`]);
    expect(world.made.toSorted()).toEqual([`${name}--clusters`, `${name}-dev`, `${name}-prod`]);
    expect(world.deleted).toEqual([`${name}--clusters`]);
    expect(world.taken).toEqual([]);
    await world.end();
    await workflow.signal('changed');
    await workflow.result();
    return begun;
  }

  it('has every BindingPolicy once, and loses none, at whichever activity that is', async () => {
    const begun = await play(`calm-${process.pid}`);
    const kills = begun.flatMap((activity, index): readonly Kill[] => {
      const at = index + 1;
      // A look changes nothing, and a report is the same when it is made again.
      if (activity === 'observeStaged') return [{ at, death: 'before' }];
      if (activity === 'reportStaged') return [{ at, death: 'after' }];
      return [
        { at, death: 'before' },
        { at, death: 'after' },
        { at, death: 'late' },
      ];
    });
    await Promise.all(kills.map((kill) => play(`kill-${kill.at}-${kill.death}-${process.pid}`, kill)));
  });
});

function activitiesIn(worlds: ReadonlyMap<string, World>): StagedActivities {
  const of = (name: string): StagedActivities => {
    const world = worlds.get(name);
    if (world === undefined) throw new Error(`Expected a world ${name}, got none.`);
    return world.activities;
  };
  return {
    observeStaged: (look) => of(look.name).observeStaged(look),
    applyStage: (change) => of(change.name).applyStage(change),
    selectClusters: (ref) => of(ref.name).selectClusters(ref),
    removeStage: (request) => of(request.name).removeStage(request),
    releaseStaged: (name) => of(name).releaseStaged(name),
    reportStaged: (report) => of(report.name).reportStaged(report),
  };
}

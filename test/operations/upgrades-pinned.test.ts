import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Okrad } from '../../local/okrad.ts';
import { reservePorts } from '../../local/ports.ts';
import { startTemporalServer, type TemporalServer } from '../../local/temporal-server/start.ts';
import { Stage } from '../support/stage/stage.ts';
import { unreadable } from '../support/temporal/unreadable.ts';
import { until } from '../support/until.ts';
import { makeCurrent, resume, startVersion, untilOn, versionOf } from './upgrades/versions.ts';

const DEPLOYMENT = 'okra';

/** Temporal has runs change their version since 1.30.2, so that of the stack cannot. */
describe('a Temporal server that pins runs to the version of the worker on which they began', () => {
  let server: TemporalServer;
  let stage: Stage;
  let next: Okrad | undefined;
  const ports = reservePorts();
  beforeAll(async () => {
    const stack = inject('stack');
    server = await startTemporalServer(stack.logs);
    const { address } = server;
    const environment = { ...stack.environment, TEMPORAL_ADDRESS: address };
    const temporal = { ...stack.temporal, address };
    stage = await Stage.open({ ...stack, environment, temporal }, versionOf(DEPLOYMENT, 'one'), {
      endsOkrad: true,
    });
    await makeCurrent(stage, DEPLOYMENT, 'one');
  });
  afterAll(async () => {
    await next?.end('SIGTERM');
    await stage.close();
    await server[Symbol.asyncDispose]();
    await ports.release();
  });

  const isPausedAt = (weight: number) =>
    stage.untilStatus(
      'web',
      `paused at ${weight}`,
      (status) => status.phase === 'Paused' && status.canaryWeight === weight,
    );
  const runOf = (runId?: string) => stage.desk.run(stage.workflowId('web'), runId);
  const runsOfSettled = async () =>
    (await stage.count(`WorkflowId="${stage.workflowId('settled')}"`)) || undefined;

  /** Has the rollout continue on a version that has just become current, and finds nothing changed by that but which run tells of the Cell. */
  const moveTo = async (build: string): Promise<void> => {
    await stage.mark();
    const [status, run] = [await stage.status('web'), await runOf()];
    await makeCurrent(stage, DEPLOYMENT, build);
    await untilOn(stage, 'web', build);
    expect(await runOf(run.runId)).toEqual({ ...run, status: 'CONTINUED_AS_NEW' });
    const { runId } = await runOf();
    const moved = await stage.untilStatus(
      'web',
      `told of by ${runId}`,
      ({ rollout }) => rollout?.runId === runId,
    );
    const { lastSyncTime, writer } = moved;
    expect(moved).toEqual({ ...status, lastSyncTime, writer, rollout: { ...status.rollout, runId } });
    expect(await stage.writes()).toEqual([]);
  };

  it('has a rollout in a pause continue as new on the version that became current, and back, and writes nothing meanwhile', async () => {
    const steps = [{ setWeight: 20 }, { pause: {} }, { setWeight: 40 }, { pause: {} }];
    await stage.targetGroups('1.0.0', ['s'], { role: 'settled' });
    await stage.apply(stage.cell('settled', { role: 'settled', priority: 11 }));
    await stage.targetGroups('1.0.0', ['a']);
    await stage.apply(stage.cell('web', { steps }));
    await stage.untilPhase('web', 'Completed', '1.0.0');
    await stage.untilPhase('settled', 'Completed', '1.0.0');
    await stage.untilClosed(stage.workflowId('settled'));
    const settled = await until('the run of the settled Cell to be listed', runsOfSettled);
    await stage.targetGroups('2.0.0', ['b']);
    await isPausedAt(20);
    expect((await runOf()).build).toBe('one');

    next = await startVersion(stage, await ports.reserve(), versionOf(DEPLOYMENT, 'two'));
    await moveTo('two');
    await stage.okrad.end('SIGTERM');
    expect(await resume(stage, 'web')).toBe('Taken');
    await isPausedAt(40);
    expect(await stage.writes()).toEqual([{ a: 60, b: 40 }]);
    expect((await runOf()).build).toBe('two');

    stage.okrad.start();
    await moveTo('one');
    await next.end('SIGTERM');
    expect(await resume(stage, 'web')).toBe('Taken');
    await stage.untilPhase('web', 'Completed', '2.0.0');
    expect(await stage.writes()).toEqual([{ a: 0, b: 100 }]);
    expect((await runOf()).build).toBe('one');
    expect(await runsOfSettled()).toBe(settled);
  });

  it('marks a run whose workflow task keeps failing, so that it is replaced', async () => {
    const workflowId = stage.workflowId('settled');
    const input = { workflowId, taskQueue: stage.namespace, signal: 'changed', input: unreadable };
    await stage.desk.signalWithStart('cellRollout', input);
    const { runId } = await stage.desk.run(workflowId);
    const marked = `RunId="${runId}" AND TemporalReportedProblems IN ("category=WorkflowTaskFailed")`;
    await until('the run to be marked', async () => (await stage.count(marked)) === 1);
    await stage.untilTold('WorkflowStuck');
    expect(await stage.desk.run(workflowId, runId)).toMatchObject({ status: 'TERMINATED' });
    await until(
      'the next run to complete',
      async () => (await stage.desk.run(workflowId)).status === 'COMPLETED',
    );
    expect((await stage.status('settled')).phase).toBe('Completed');
  });
});

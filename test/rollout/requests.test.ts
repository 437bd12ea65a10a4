import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { onStage } from '../support/stage/on-stage.ts';
import type { Stage } from '../support/stage/stage.ts';
import { exampleSteps } from '../support/stage/steps.ts';

const run = promisify(execFile);

/** Signals as `tctl` does: by that where it is installed, else by the same call of Temporal, which has no input. */
async function signalByTctl({ stack: { temporal } }: Stage, workflowId: string, signalName: string) {
  const { address, namespace } = temporal;
  const words = ['--address', address, '--namespace', namespace, 'workflow', 'signal'];
  try {
    await run('tctl', [...words, '-w', workflowId, '-n', signalName]);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'ENOENT') throw error;
    const connection = await Connection.connect({ address });
    const workflowExecution = { workflowId };
    await connection.workflowService.signalWorkflowExecution({ namespace, workflowExecution, signalName });
    await connection.close();
  }
}

describe('what operators ask of a rollout', () => {
  let stage: Stage;
  let priority = 0;
  onStage({ totals: [20, 40] }, (opened, free) => {
    stage = opened;
    priority = free;
  });

  /** A Cell in which 2.0.0 waits in a pause that only a person ends. */
  async function pausing(name: string): Promise<void> {
    await stage.targetGroups('1.0.0', [`${name}a`], { role: name });
    const steps = [{ setWeight: 20 }, { pause: {} }, { setWeight: 40 }, { pause: {} }];
    await stage.apply(stage.cell(name, { priority, role: name, steps }));
    await stage.untilPhase(name, 'Completed', '1.0.0');
    await stage.targetGroups('2.0.0', [`${name}b`], { role: name });
    await stage.untilStatus(
      name,
      'paused at 20',
      (status) => status.phase === 'Paused' && status.canaryWeight === 20,
    );
  }
  const update = (cell: string, name: string): Promise<string> =>
    stage.temporal(
      'workflow',
      'update',
      'execute',
      '--workflow-id',
      stage.workflowId(cell),
      '--name',
      name,
      '--input',
      '{"by":"ann"}',
    );

  it('resume ends a pause without a duration, and promote the next', async () => {
    await pausing('resume');
    const workflow = stage.workflowId('resume');
    await stage.temporal('workflow', 'signal', '--workflow-id', workflow, '--name', 'resume');
    await stage.untilStatus(
      'resume',
      'paused at 40',
      (status) => status.phase === 'Paused' && status.canaryWeight === 40,
    );
    expect(await update('resume', 'promote')).toContain('The current step of 2.0.0 is finished');
    await stage.untilPhase('resume', 'Completed', '2.0.0');
    expect(await stage.violations([20, 40], priority)).toEqual([]);
  });

  it('abort takes everything back by one write, blocks the version, and says who and why', async () => {
    await pausing('abort');
    const told = JSON.stringify({ by: 'ann', reason: 'night shift' });
    const abort = ['--name', 'abort', '--input', told];
    await stage.temporal('workflow', 'signal', '--workflow-id', stage.workflowId('abort'), ...abort);
    const status = await stage.untilPhase('abort', 'Reverted', '1.0.0');
    expect(status.blockedVersions?.[0]?.cause).toBe('Aborted by ann: night shift');
    expect((await stage.writes()).at(-1)).toEqual({ aborta: 100, abortb: 0 });
    // I3: whoever looks at the Cell again, nothing is given to the aborted version.
    const writes = (await stage.writes()).length;
    await stage.signalWithStart('cellRollout', stage.workflowId('abort'), 'changed', 'abort');
    await stage.untilAtRest('abort');
    expect(await stage.writes()).toHaveLength(writes);
    expect(await stage.violations([20], priority)).toEqual([]);
  });

  it('a bare abort by tctl, without a payload, works as well', async () => {
    await pausing('bare');
    await signalByTctl(stage, stage.workflowId('bare'), 'abort');
    await stage.untilPhase('bare', 'Reverted', '1.0.0');
  });

  it('an abort is not held up by a reason that no status and no Event has room for', async () => {
    await pausing('novel');
    const reason = `${'🚦'.repeat(10_000)}${'x'.repeat(60_000)}`;
    await stage.signal('novel', 'abort', { by: 'a'.repeat(300), reason });
    const status = await stage.untilPhase('novel', 'Reverted', '1.0.0');
    expect((await stage.writes()).at(-1)).toEqual({ novela: 100, novelb: 0 });
    const cause = status.blockedVersions?.[0]?.cause ?? '';
    expect(cause).toMatch(/^Aborted by a{252}…: 🚦+…$/u);
    expect(status.history?.[0]?.requests?.[0]?.reason).toBe(cause.replace(/^.*: /, ''));
  });

  it('promoteFull gives everything at once', async () => {
    await pausing('full');
    await stage.signal('full', 'promoteFull');
    await stage.untilPhase('full', 'Completed', '2.0.0');
    expect((await stage.writes()).slice(-2)).toEqual([
      { fulla: 80, fullb: 20 },
      { fulla: 0, fullb: 100 },
    ]);
  });

  it('pause holds the weight wherever the rollout is, and resume lets it continue', async () => {
    await stage.targetGroups('1.0.0', ['holda1', 'holda2'], { role: 'hold' });
    await stage.apply(stage.cell('hold', { priority, role: 'hold', steps: exampleSteps }));
    await stage.untilPhase('hold', 'Completed', '1.0.0');
    stage.metrics.rate = undefined;
    await stage.targetGroups('2.0.0', ['holdb'], { role: 'hold' });
    await stage.untilStatus('hold', 'analysing', (status) => status.analysisRun !== undefined);
    await stage.signal('hold', 'pause', { by: 'ann', reason: 'lunch' });
    const paused = await stage.untilPhase('hold', 'Paused');
    expect(paused.message).toContain('Paused by ann: lunch');
    stage.metrics.rate = 1;
    await stage.signal('hold', 'resume');
    await stage.untilPhase('hold', 'Completed', '2.0.0');
    expect(await stage.violations([20, 40], priority)).toEqual([]);
  });

  it('an update that makes no sense is refused with the reason', async () => {
    await pausing('refuse');
    await expect(update('refuse', 'retry')).rejects.toThrow(/A rollout of 2\.0\.0 is in progress/);
    await stage.signal('refuse', 'promoteFull');
    await stage.untilPhase('refuse', 'Completed', '2.0.0');
  });

  it('queries tell the state and the plan, and the search attributes find the rollout', async () => {
    await pausing('query');
    const query = async (type: string): Promise<string> =>
      stage.temporal(
        'workflow',
        'query',
        '--workflow-id',
        stage.workflowId('query'),
        '--type',
        type,
        '-o',
        'json',
      );
    expect(await query('state')).toContain('Paused');
    expect(await query('plan')).toContain("set the canary's weight to 40");
    const found = `OkraCell="query" AND OkraNamespace="${stage.namespace}" AND OkraPhase="Paused" AND OkraVersion="2.0.0"`;
    await expect.poll(() => stage.count(found), { timeout: 20_000 }).toBe(1);
    await stage.signal('query', 'abort');
    await stage.untilPhase('query', 'Reverted');
  });
});

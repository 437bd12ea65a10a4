import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { startStack, type Stack } from '../../local/stack.ts';
import { componentSets } from '../../local/tools.mjs';
import { Stage } from '../support/stage/stage.ts';
import { exampleSteps, exampleTotals } from '../support/stage/steps.ts';
import { timersOf, type Timer, type TimerEvent } from '../support/stage/timers.ts';
import { prepare } from '../support/setup.ts';
import { until } from '../support/until.ts';

describe('A-C35 a rollout survives', () => {
  let stack: Stack;
  let stage: Stage;
  let dir: string;
  let priority = 0;
  beforeAll(async () => {
    // Servers are killed here, so the stack is not shared.
    dir = await mkdtemp(join(tmpdir(), 'okra-crashes-'));
    stack = await startStack({ dir, components: componentSets.demo });
    const view = await prepare(stack, inject('stack').workflowBundle);
    // One that is started again under its name takes up its own lease: who waits for that of others is network-load-balancer.test.ts.
    stage = await Stage.open(view, { OKRA_IDENTITY: 'crashes' });
    await stage.apply(stage.analysisTemplate('success-rate'));
  });
  afterAll(async () => {
    await stage.close();
    await stack.stopAll();
    await rm(dir, { recursive: true, force: true });
  });
  beforeEach(async () => {
    priority += 10;
    stage.metrics.rate = 1;
    await stage.mark();
  });
  afterEach(async () => {
    expect(await stage.violations(exampleTotals, priority)).toEqual([]);
  });

  async function begin(name: string, steps = exampleSteps): Promise<void> {
    await stage.targetGroups('1.0.0', [`${name}a`], { role: name });
    await stage.apply(stage.cell(name, { priority, role: name, steps }));
    await stage.untilPhase(name, 'Completed', '1.0.0');
    await stage.mark();
    stage.metrics.rate = undefined;
    await stage.targetGroups('2.0.0', [`${name}b`], { role: name });
  }
  async function endsWell(name: string): Promise<void> {
    stage.metrics.rate = 1;
    await stage.untilPhase(name, 'Completed', '2.0.0');
    const [a, b] = [`${name}a`, `${name}b`];
    expect(await stage.writes()).toEqual([
      { [a]: 100, [b]: 0 },
      { [a]: 80, [b]: 20 },
      { [a]: 60, [b]: 40 },
      { [a]: 0, [b]: 100 },
    ]);
    expect(await stage.analysisRuns(name)).toHaveLength(1);
    expect(await stage.violations(exampleTotals, priority)).toEqual([]);
  }
  const analysing = (name: string) =>
    stage.untilStatus(name, 'analysing', (status) => status.analysisRun !== undefined);
  /** The timers of the pauses of a run. */
  async function pausesOf(name: string, runId = ''): Promise<readonly Timer[]> {
    const history = await stage.history(stage.workflowId(name), runId);
    const { events } = JSON.parse(history) as { events: TimerEvent[] };
    return timersOf(events).filter(({ summary }) => summary.startsWith('Pausing '));
  }
  const untilPauses = (name: string, timers: number, runId?: string): Promise<readonly Timer[]> =>
    until(`${timers} timers of a pause`, async () => {
      const found = await pausesOf(name, runId);
      return found.length >= timers && found;
    });
  async function kill(): Promise<void> {
    await stage.okrad.end('SIGKILL');
    stage.okrad.start();
  }

  it('kill -9 of okrad while a weight is being moved', async () => {
    await begin('move');
    await stage.untilStatus('move', 'progressing', (status) => status.phase === 'Progressing');
    await kill();
    await analysing('move');
    await endsWell('move');
  });

  it('kill -9 of okrad while an analysis runs, whose verdict comes meanwhile', async () => {
    await begin('verdict');
    await analysing('verdict');
    await stage.okrad.end('SIGKILL');
    stage.metrics.rate = 1;
    stage.okrad.start();
    await endsWell('verdict');
  });

  it('kill -9 of okrad during a pause, of which only the rest is left', async () => {
    const steps = exampleSteps.map((step) =>
      step.pause === undefined ? step : { pause: { duration: '1h' } },
    );
    await begin('pause', steps);
    stage.metrics.rate = 1;
    const { rollout } = await stage.untilPhase('pause', 'Paused');
    const { runId } = rollout ?? {};
    await untilPauses('pause', 1, runId);
    const begun = Date.now();
    await kill();
    await stage.signal('pause', 'changed');
    await untilPauses('pause', 2, runId);
    // Now okrad is there again, and this much of the pause is over at least.
    const overSeconds = (Date.now() - begun) / 1000;
    await stage.signal('pause', 'changed');
    const [first, , third] = await untilPauses('pause', 3, runId);
    expect(third?.seconds).toBeLessThanOrEqual((first?.seconds ?? 0) - overSeconds);
    expect((await stage.status('pause')).rollout?.id).toBe(rollout?.id);
    await stage.signal('pause', 'promote');
    await endsWell('pause');
  });

  it('kill -9 of okrad at every write of weights', async () => {
    await begin('write');
    stage.metrics.rate = 1;
    for (let writes = 1; writes <= 4; writes += 1) {
      await until(`write ${writes}`, async () => (await stage.writes()).length >= writes);
      await kill();
    }
    await endsWell('write');
  });

  it('a restart of the Temporal server', async () => {
    await begin('temporal');
    await analysing('temporal');
    await stack.kill('temporal', 'SIGKILL');
    await stack.start('temporal');
    await endsWell('temporal');
  });

  it('a restart of the API server', async () => {
    await begin('api');
    await analysing('api');
    await stack.kill('kube-apiserver', 'SIGKILL');
    await stack.start('kube-apiserver');
    await endsWell('api');
  });
});

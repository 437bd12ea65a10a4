import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { startStack, type Stack } from '../../local/stack.ts';
import { componentSets } from '../../local/tools.mjs';
import { Stage } from '../support/stage/stage.ts';
import { exampleSteps, exampleTotals } from '../support/stage/steps.ts';
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
    stage = await Stage.open(await prepare(stack, inject('stack').workflowBundle));
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

  async function begin(name: string): Promise<void> {
    await stage.targetGroups('1.0.0', [`${name}a`], { role: name });
    await stage.apply(stage.cell(name, { priority, role: name, steps: exampleSteps }));
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
  const pausing = (name: string) => stage.untilPhase(name, 'Paused');
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

  it('kill -9 of okrad during a pause', async () => {
    await begin('pause');
    stage.metrics.rate = 1;
    await pausing('pause');
    await kill();
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

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { startStack, type Stack } from '../../local/stack.ts';
import { componentSets } from '../../local/tools.mjs';
import { Stage } from '../support/stage/stage.ts';
import type { CanaryStep } from '../../crds/cell.ts';
import type { Weights } from '../support/stage/okra-stage.ts';
import { exampleSteps, exampleTotals } from '../support/stage/steps.ts';
import { timersOf, type Timer, type TimerEvent } from '../support/stage/timers.ts';
import { prepare } from '../support/setup.ts';
import { until } from '../support/until.ts';

describe('A-C35 a rollout survives', () => {
  let stack: Stack;
  let stage: Stage;
  let dir: string;
  let priority = 0;
  /** Those of a test. */
  let priorities: number[] = [];
  beforeAll(async () => {
    // Servers are killed here, so the stack is not shared.
    dir = await mkdtemp(join(tmpdir(), 'okra-crashes-'));
    stack = await startStack({ dir, components: componentSets.demo });
    const view = await prepare(stack, inject('stack').built);
    // One that is started again under its name takes up its own lease: who waits for that of others is deletion.test.ts.
    stage = await Stage.open(view, { OKRA_IDENTITY: 'crashes' });
    await stage.apply(stage.analysisTemplate('success-rate'));
  });
  afterAll(async () => {
    await stage.close();
    await stack.stopAll();
    await rm(dir, { recursive: true, force: true });
  });
  beforeEach(async () => {
    priorities = [];
    stage.metrics.rate = 1;
    await stage.mark();
  });
  afterEach(async () => {
    // A test that fails may have left any of them ended.
    for (const server of ['kube-apiserver', 'temporal']) await stack.start(server);
    stage.okrad.start();
    expect(await stage.violations(exampleTotals, ...priorities)).toEqual([]);
  });

  /** Cells of 1.0.0, each behind a rule of its own. */
  async function serve(
    ...cells: readonly { readonly name: string; readonly steps?: readonly CanaryStep[] }[]
  ) {
    await Promise.all(
      cells.map(async ({ name, steps = exampleSteps }) => {
        priority += 10;
        priorities.push(priority);
        const cell = stage.cell(name, { priority, role: name, steps });
        await stage.targetGroups('1.0.0', [`${name}a`], { role: name });
        await stage.apply(cell);
        await stage.untilPhase(name, 'Completed', '1.0.0');
      }),
    );
    await stage.mark();
  }
  /** The same behind a Network Load Balancer. */
  async function serveNetwork(name: string): Promise<void> {
    const listenerARN = await stage.networkListener(`${name}a`);
    await stage.targetGroups('1.0.0', [`${name}a`], { role: name }, 'TCP');
    await stage.apply(stage.networkCell(name, listenerARN, { steps: exampleSteps }));
    await stage.untilPhase(name, 'Completed', '1.0.0');
  }
  const release = (name: string): Promise<void> => stage.targetGroups('2.0.0', [`${name}b`], { role: name });
  async function begin(name: string): Promise<void> {
    await serve({ name });
    stage.metrics.rate = undefined;
    await release(name);
  }
  async function writesOf(name: string): Promise<readonly Weights[]> {
    return (await stage.writes()).filter((weights) => Object.hasOwn(weights, `${name}a`));
  }
  async function endsWell(name: string): Promise<void> {
    stage.metrics.rate = 1;
    await stage.untilPhase(name, 'Completed', '2.0.0');
    const [a, b] = [`${name}a`, `${name}b`];
    expect(await writesOf(name)).toEqual([
      { [a]: 100, [b]: 0 },
      { [a]: 80, [b]: 20 },
      { [a]: 60, [b]: 40 },
      { [a]: 0, [b]: 100 },
    ]);
    expect(await stage.analysisRuns(name)).toHaveLength(1);
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

  it('kill -9 of okrad while a weight is being moved, an analysis runs whose verdict comes meanwhile, and a pause lasts of which only the rest is left', async () => {
    const steps = exampleSteps.map((step) =>
      step.pause === undefined ? step : { pause: { duration: '1h' } },
    );
    await serve({ name: 'move' }, { name: 'verdict' }, { name: 'pause', steps });
    await release('pause');
    const { rollout } = await stage.untilPhase('pause', 'Paused');
    const { runId } = rollout ?? {};
    await untilPauses('pause', 1, runId);
    stage.metrics.rate = undefined;
    await release('verdict');
    await analysing('verdict');
    await release('move');
    await stage.untilStatus('move', 'progressing', (status) => status.phase === 'Progressing');
    const begun = Date.now();
    await stage.okrad.end('SIGKILL');
    stage.metrics.rate = 1;
    stage.okrad.start();
    await stage.signal('pause', 'changed');
    await untilPauses('pause', 2, runId);
    // Now okrad is there again, and this much of the pause is over at least.
    const overSeconds = (Date.now() - begun) / 1000;
    await stage.signal('pause', 'changed');
    const [first, , third] = await untilPauses('pause', 3, runId);
    expect(third?.seconds).toBeLessThanOrEqual((first?.seconds ?? 0) - overSeconds);
    expect((await stage.status('pause')).rollout?.id).toBe(rollout?.id);
    await stage.signal('pause', 'promote');
    await Promise.all(['move', 'verdict', 'pause'].map((name) => endsWell(name)));
  });

  it('kill -9 of okrad at every write of weights, behind both kinds of load balancers', async () => {
    await serveNetwork('net');
    await serve({ name: 'write' });
    await Promise.all([release('write'), stage.targetGroups('2.0.0', ['netb'], { role: 'net' }, 'TCP')]);
    for (let writes = 1; writes <= 4; writes += 1) {
      await until(`write ${writes} of both`, async () => {
        const made = await Promise.all([writesOf('write'), writesOf('net')]);
        return made.every(({ length }) => length >= writes);
      });
      await kill();
    }
    await endsWell('write');
    await endsWell('net');
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

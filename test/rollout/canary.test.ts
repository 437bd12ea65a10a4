import { describe, expect, inject, it } from 'vitest';
import { ANALYSIS_RUN } from '../../clients/kubernetes/kinds.ts';
import type { CallRecord } from '../../local/elbv2-proxy/control.ts';
import type { CellStatus } from '../../crds/cell.ts';
import { EVENTS } from '../../domain/testing/simulation.ts';
import { gettingStarted } from '../support/samples/getting-started.ts';
import { costOfWeights, type HistoryEvent } from '../support/stage/cost-of-weights.ts';
import { followStatus } from '../support/stage/followed.ts';
import { healthReads } from '../support/stage/health-reads.ts';
import { onStage } from '../support/stage/on-stage.ts';
import type { AnalysisRun, Stage } from '../support/stage/stage.ts';
import { exampleSteps, exampleTotals } from '../support/stage/steps.ts';
import { until } from '../support/until.ts';

describe('a canary of clusters', () => {
  let stage: Stage;
  let priority = 0;
  onStage({ totals: exampleTotals }, (opened, free) => {
    stage = opened;
    priority = free;
  });

  /** A Cell of pairs that serves 1.0.0. */
  async function serving(name: string): Promise<void> {
    await stage.targetGroups('1.0.0', [`${name}a1`, `${name}a2`], { role: name });
    await stage.apply(stage.cell(name, { priority, role: name, steps: exampleSteps, spec: { replicas: 2 } }));
    await stage.untilPhase(name, 'Completed', '1.0.0');
  }
  const pair = (name: string, a: number, b: number, letter = 'b'): Record<string, number> => ({
    [`${name}a1`]: a,
    [`${name}a2`]: a,
    [`${name}${letter}1`]: b,
    [`${name}${letter}2`]: b,
  });
  const finishedRuns = async (cell: string): Promise<readonly string[]> =>
    (await stage.analysisRuns(cell))
      .map((run) => run.status?.phase ?? '')
      .filter((phase) => ['Successful', 'Failed', 'Error'].includes(phase));

  /** The Cell of the getting-started guide, which serves 1.0.0. */
  async function servingAsInTheGuide(): Promise<string> {
    const { cell } = gettingStarted(stage.listenerARN);
    await stage.targetGroups('1.0.0', ['c20a1', 'c20a2']);
    // The local load balancers follow at once.
    await stage.applyByKubectl({ ...cell, spec: { ...cell.spec, settle: '0s' } });
    await stage.untilPhase(cell.metadata.name, 'Completed', '1.0.0');
    return cell.metadata.name;
  }
  const rowOf = ({ phase, step, canaryWeight, targetGroups = [] }: CellStatus): string =>
    `${phase} ${step ?? '-'} at ${canaryWeight}: ${targetGroups.map(({ weight }) => weight).join()}`;
  const isWrite = ({ action, applied }: CallRecord): boolean => action === 'ModifyRule' && applied;
  /** When the last measurement of an AnalysisRun was over, in milliseconds, rounded down to the second. */
  const measuredAt = (run: AnalysisRun | undefined): number =>
    Date.parse(run?.status?.metricResults?.[0]?.measurements?.at(-1)?.finishedAt ?? '');

  it('A-C20 takes every step of the example in order, with one write, one read-back and one health read each', async () => {
    const name = await servingAsInTheGuide();
    expect(name).toBe('cell1');
    await stage.mark();
    await using followed = await followStatus(stage, name);
    stage.metrics.rate = undefined;
    await stage.targetGroupsOnceReady('2.0.0', ['c20b1', 'c20b2'], { role: 'web' });
    await stage.untilWeights(pair('c20', 40, 10), priority);
    const running = await stage.untilStatus(name, 'analysing', (status) => status.analysisRun !== undefined);
    expect(running).toMatchObject({
      phase: 'Progressing',
      step: '2/4',
      canaryWeight: 20,
      desiredVersion: '2.0.0',
      stableVersion: '1.0.0',
    });
    const [run] = await stage.analysisRuns(name);
    expect(run?.metadata.name).toMatch(/^cell1-1-success-rate-/);
    expect(run?.spec.args).toEqual([{ name: 'service-name', value: 'exampleapp' }]);
    expect(run?.metadata.ownerReferences?.[0]).toMatchObject({ kind: 'Cell', name });
    stage.metrics.rate = 1;
    await stage.untilPhase(name, 'Completed', '2.0.0');
    await stage.untilAtRest(name);
    expect(await stage.writes()).toEqual([
      pair('c20', 50, 0),
      pair('c20', 40, 10),
      pair('c20', 30, 20),
      pair('c20', 0, 50),
    ]);
    const trace = await until('the last status', async () => {
      const rows = followed.statuses.map(rowOf);
      return rows.at(-1)?.startsWith('Completed') === true && [...new Set(rows)];
    });
    expect(trace).toEqual([
      'Progressing 1/4 at 0: 50,50',
      'Progressing 1/4 at 0: 50,50,0,0',
      'Progressing 2/4 at 20: 40,40,10,10',
      'Paused 3/4 at 20: 40,40,10,10',
      'Progressing 4/4 at 20: 40,40,10,10',
      'Progressing done at 40: 30,30,20,20',
      'Completed - at 100: 0,0,50,50',
    ]);
    const [successful] = await stage.analysisRuns(name);
    expect(successful?.status?.phase).toBe('Successful');
    const [, , next] = (await stage.calls()).filter(isWrite);
    expect(next?.startedAt).toBeGreaterThanOrEqual(measuredAt(successful) + 5000);
    const calls = await stage.calls();
    const count = (action: string): number =>
      calls.filter((call) => call.action === action && call.parameters['Marker'] === undefined).length;
    expect(count('ModifyRule')).toBe(4);
    const looks = calls.filter(
      (call) => call.action === 'DescribeRules' && call.parameters['RuleArns'] !== undefined,
    );
    // One right before each write, and one that reads it back.
    expect(looks.filter((call) => call.parameters['Marker'] === undefined)).toHaveLength(8);
    // Before the first write: whether the canary has targets at all. Before each of the others: whether they are healthy,
    // since it gains. At the end: all that is in the rule; the look for drift may read what carries traffic besides.
    const canary: unknown = expect.arrayContaining(['c20b1', 'c20b2']);
    const all: unknown = expect.arrayContaining(['c20a1', 'c20a2']);
    expect(healthReads(stage, calls)).toEqual([canary, canary, canary, canary, all]);
    for (const reason of [
      'RolloutStarted',
      'WeightsShifted',
      'AnalysisStarted',
      'StepCompleted',
      'RolloutCompleted',
    ])
      await stage.untilTold(reason);
    // What the simulation of a day counts for each thing is no less than what Temporal writes down for it.
    const { events: history } = JSON.parse(
      await stage.history(stage.workflowId(name), running.rollout?.runId ?? ''),
    ) as { events: HistoryEvent[] };
    const happened = (type: string): number =>
      history.filter((event) => event.eventType === `EVENT_TYPE_${type}`).length;
    const counted =
      EVENTS.start +
      EVENTS.activity * happened('ACTIVITY_TASK_SCHEDULED') +
      EVENTS.timer * happened('TIMER_STARTED') +
      EVENTS.fired * happened('TIMER_FIRED') +
      EVENTS.signal * happened('WORKFLOW_EXECUTION_SIGNALED') +
      EVENTS.attributes * happened('UPSERT_WORKFLOW_SEARCH_ATTRIBUTES');
    expect(happened('ACTIVITY_TASK_SCHEDULED')).toBeGreaterThan(10);
    expect(history.length).toBeLessThanOrEqual(counted);
    // Twice of what docs/performance.md says that a weight takes would be too much.
    const weights = costOfWeights(history);
    expect(weights).toHaveLength(4);
    expect(Math.min(...weights.map(({ events: taken }) => taken))).toBeLessThan(12);
    expect(Math.max(...weights.map(({ bytes }) => bytes))).toBeLessThan(16_000);
    expect(calls.length / weights.length).toBeLessThan(2 * 6);
  });

  it('A-C21 goes to 100 at once without steps', async () => {
    await stage.targetGroups('1.0.0', ['c21a'], { role: 'c21' });
    await stage.apply(stage.cell('c21', { priority, role: 'c21' }));
    await stage.untilPhase('c21', 'Completed', '1.0.0');
    await stage.targetGroups('2.0.0', ['c21b'], { role: 'c21' });
    await stage.untilPhase('c21', 'Completed', '2.0.0');
    expect(await stage.writes()).toEqual([{ c21a: 100 }, { c21a: 100, c21b: 0 }, { c21a: 0, c21b: 100 }]);
  });

  it('A-C23 tries a blocked version again when its entry is removed, and when someone sends retry', async () => {
    await serving('c23');
    stage.metrics.rate = 0.5;
    await stage.targetGroups('2.0.0', ['c23b1', 'c23b2'], { role: 'c23' });
    await stage.untilPhase('c23', 'Reverted', '1.0.0');
    await stage.untilAtRest('c23');
    await stage.kubectl(
      'patch',
      'cell',
      'c23',
      '--subresource=status',
      '--type=merge',
      '-p',
      '{"status":{"blockedVersions":[]}}',
    );
    await until('a second AnalysisRun', async () => (await finishedRuns('c23')).length === 2);
    await stage.untilPhase('c23', 'Reverted', '1.0.0');
    stage.metrics.rate = 1;
    await stage.signalWithStart('cellRollout', stage.workflowId('c23'), 'retry', 'c23');
    const done = await stage.untilPhase('c23', 'Completed', '2.0.0');
    expect(done.blockedVersions).toEqual([]);
  });

  it('A-C31 passes the desired version to the analysis, declared by the template or not', async () => {
    await stage.apply(stage.analysisTemplate('undeclared', []));
    await stage.apply(stage.analysisTemplate('declared', [{ name: 'cluster-version' }]));
    const args = [
      { name: 'cluster-version', valueFrom: { fieldRef: { fieldPath: 'status.desiredVersion' } } },
    ];
    const steps = ['declared', 'undeclared'].map((templateName) => ({
      analysis: { templates: [{ templateName }], args },
    }));
    await stage.targetGroups('1.0.0', ['c31a'], { role: 'c31' });
    await stage.apply(stage.cell('c31', { priority, role: 'c31', steps }));
    await stage.untilPhase('c31', 'Completed', '1.0.0');
    await stage.targetGroups('2.0.0', ['c31b'], { role: 'c31' });
    await stage.untilPhase('c31', 'Completed', '2.0.0');
    const runs = await stage.analysisRuns('c31');
    expect(runs).toHaveLength(2);
    for (const run of runs) expect(run.spec.args).toEqual([{ name: 'cluster-version', value: '2.0.0' }]);
    expect((await stage.status('c31')).desiredVersion).toBe('2.0.0');
  });

  it('A-C37 keeps two Cells with the same steps and templates apart', async () => {
    await serving('c37x');
    const first = priority;
    priority += 1;
    await serving('c37y');
    stage.metrics.rate = undefined;
    await stage.targetGroups('2.0.0', ['c37xb1', 'c37xb2'], { role: 'c37x' });
    await stage.targetGroups('2.0.0', ['c37yb1', 'c37yb2'], { role: 'c37y' });
    const [x, y] = await Promise.all(
      ['c37x', 'c37y'].map((name) =>
        stage.untilStatus(name, 'analysing', (status) => status.analysisRun !== undefined),
      ),
    );
    expect(x?.analysisRun?.name).not.toBe(y?.analysisRun?.name);
    const { name: run = '' } = x?.analysisRun ?? {};
    // What Argo Rollouts says of it first would take the place of the verdict.
    await until(`${run} to run`, async () =>
      (await stage.analysisRuns('c37x')).some(
        ({ metadata, status }) => metadata.name === run && status?.phase === 'Running',
      ),
    );
    // A verdict on one, given by hand, moves that one only.
    await stage.patch(ANALYSIS_RUN, run, { status: { phase: 'Failed' } });
    await stage.untilPhase('c37x', 'Reverted', '1.0.0');
    expect(await stage.status('c37y')).toMatchObject({
      phase: 'Progressing',
      currentStepIndex: 1,
      analysisRun: { name: y?.analysisRun?.name },
    });
    expect(await stage.weights(priority)).toEqual(pair('c37y', 40, 10));
    stage.metrics.rate = 1;
    await stage.untilPhase('c37y', 'Completed', '2.0.0');
    expect(await stage.violations(exampleTotals, first, priority)).toEqual([]);
    await stage.mark();
  });

  it('A-C22, A-C23, A-C24 takes everything back when the analysis fails, does not retry it, and the next version starts from what served', async () => {
    await serving('c22');
    await stage.mark();
    stage.metrics.rate = 0.5;
    await stage.targetGroups('2.0.0', ['c22b1', 'c22b2'], { role: 'c22' });
    const reverted = await stage.untilPhase('c22', 'Reverted', '1.0.0');
    expect(await stage.writes()).toEqual([pair('c22', 50, 0), pair('c22', 40, 10), pair('c22', 50, 0)]);
    expect(reverted.blockedVersions).toMatchObject([{ version: '2.0.0' }]);
    expect(reverted.message).toMatch(/2\.0\.0 is blocked: AnalysisRun c22-1-success-rate-.* ended as Failed/);
    expect(reverted.conditions?.find((one) => one.type === 'Ready')).toMatchObject({ status: 'False' });
    expect(reverted.conditions?.find((one) => one.type === 'Degraded')).toMatchObject({ status: 'True' });

    const runs = (await stage.analysisRuns('c22')).length;
    for (let again = 0; again < 10; again += 1)
      await stage.signalWithStart('cellRollout', stage.workflowId('c22'), 'changed', 'c22');
    await stage.untilAtRest('c22');
    await stage.okrad.end('SIGTERM');
    stage.okrad.start();
    // Nothing is left of what it knew, as in every process that is new.
    expect(stage.okrad.pid()).not.toBe(inject('stack').okrads?.pid);
    // Nothing is at rest before okrad is there again and has taken this up.
    await stage.signalWithStart('cellRollout', stage.workflowId('c22'), 'changed', 'c22');
    await stage.untilAtRest('c22');
    expect(await stage.analysisRuns('c22')).toHaveLength(runs);
    expect(await stage.writes()).toHaveLength(3);

    stage.metrics.rate = 1;
    await stage.targetGroups('3.0.0', ['c22c1', 'c22c2'], { role: 'c22' });
    await stage.untilPhase('c22', 'Completed', '3.0.0');
    expect((await stage.writes()).slice(3)).toEqual([
      pair('c22', 50, 0, 'c'),
      pair('c22', 40, 10, 'c'),
      pair('c22', 30, 20, 'c'),
      pair('c22', 0, 50, 'c'),
    ]);
  });
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { ANALYSIS_RUN, CELL, CLUSTER_ANALYSIS_TEMPLATE } from '../../clients/kubernetes/kinds.ts';
import type { CanaryStep } from '../../crds/cell.ts';
import { Stage, type AnalysisRun } from '../support/stage/stage.ts';
import { timersOf, type TimerEvent } from '../support/stage/timers.ts';
import { until } from '../support/until.ts';

const templates = [{ templateName: 'success-rate' }];
const args = [{ name: 'service-name', value: 'exampleapp' }];

describe('an analysis', () => {
  let stage: Stage;
  let priority = 0;
  let totals: readonly number[] = [20];
  beforeAll(async () => {
    stage = await Stage.open(inject('stack'));
    await stage.apply(stage.analysisTemplate('success-rate'));
    await stage.apply(template('endless'));
  });
  afterAll(() => stage.close());
  beforeEach(async () => {
    priority += 10;
    totals = [20];
    stage.metrics.rate = 1;
    await stage.mark();
  });
  afterEach(async () => {
    expect(await stage.violations(totals, priority)).toEqual([]);
  });

  /** An AnalysisTemplate that measures the endpoint of the stage once a second, by default without an end. */
  const template = (name: string, metric: object = {}, more: object = {}): object => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AnalysisTemplate',
    metadata: { name },
    spec: {
      metrics: [
        {
          name: 'rate',
          interval: '1s',
          consecutiveErrorLimit: 60,
          successCondition: 'result >= 0.95',
          provider: { web: { url: stage.metrics.url, jsonPath: '{$.rate}' } },
          ...metric,
        },
      ],
      ...more,
    },
  });

  /** A Cell that serves 1.0.0, and then sees 2.0.0. */
  async function rollOut(name: string, canary: object): Promise<void> {
    const spec = { updateStrategy: { type: 'Canary', canary } };
    await stage.targetGroups('1.0.0', [`${name}a`], { role: name });
    await stage.apply(stage.cell(name, { priority, role: name, spec }));
    await stage.untilPhase(name, 'Completed', '1.0.0');
    await stage.mark();
    await stage.targetGroups('2.0.0', [`${name}b`], { role: name });
  }
  const steps = (...list: CanaryStep[]): { steps: CanaryStep[] } => ({ steps: list });
  const degraded = (reason: string) =>
    expect.arrayContaining([
      expect.objectContaining({ type: 'Degraded', status: 'True', reason }),
    ]) as unknown;
  const untilReason = (name: string, reason: string) =>
    stage.untilStatus(name, reason, (status) => status.reason === reason);
  const onlyRun = async (name: string): Promise<AnalysisRun> => (await stage.analysisRuns(name))[0]!;
  const setPhase = (run: string, phase: string): Promise<void> =>
    stage.patch(ANALYSIS_RUN, run, { status: { phase } });

  it('A-C26 follows weights that are added up', async () => {
    totals = [10, 30];
    await rollOut('c26', steps({ stepWeight: 10 }, { pause: { duration: '2s' } }, { stepWeight: 20 }));
    await stage.untilPhase('c26', 'Completed', '2.0.0');
    expect(await stage.writes()).toEqual([
      { c26a: 100, c26b: 0 },
      { c26a: 90, c26b: 10 },
      { c26a: 70, c26b: 30 },
      { c26a: 0, c26b: 100 },
    ]);
  });

  it('A-C28 in the background begins with its step, is ended with the rollout, and takes everything back during a pause', async () => {
    totals = [10, 30];
    const given = { args: [{ name: 'service-name' }, { name: 'cluster-version' }] };
    await stage.apply(template('watched', {}, given));
    await rollOut('c28', {
      steps: [
        { stepWeight: 10 },
        { pause: {} },
        { stepWeight: 20 },
        { pause: {} },
        { analysis: { templates, args } },
      ],
      analysis: {
        templates: [{ templateName: 'watched' }],
        startingStep: 2,
        args: [
          ...args,
          { name: 'cluster-version', valueFrom: { fieldRef: { fieldPath: 'status.desiredVersion' } } },
        ],
      },
    });
    await stage.untilStatus('c28', 'pausing', (status) => status.phase === 'Paused');
    expect(await stage.analysisRuns('c28')).toEqual([]);
    await stage.signal('c28', 'resume');
    const beside = await stage.untilStatus(
      'c28',
      'pausing beside an analysis',
      (status) =>
        status.phase === 'Paused' &&
        status.currentStepIndex === 3 &&
        status.backgroundAnalysisRun !== undefined,
    );
    const first = beside.backgroundAnalysisRun?.name ?? '';
    expect(first).toMatch(/^c28-bg-watched-/);
    await stage.signal('c28', 'resume');
    const done = await stage.untilPhase('c28', 'Completed', '2.0.0');
    expect(done.backgroundAnalysisRun).toBeUndefined();
    const runs = await stage.analysisRuns('c28');
    const own = runs.find((run) => run.metadata.name === first);
    expect(own?.spec.terminate).toBe(true);
    expect(own?.spec.args).toEqual([
      { name: 'service-name', value: 'exampleapp' },
      { name: 'cluster-version', value: '2.0.0' },
    ]);
    const ofStep = runs.find((run) => run.metadata.labels?.['okra.mumo.co/step-index'] === '4');
    expect(ofStep?.spec.args).toEqual([{ name: 'service-name', value: 'exampleapp' }]);
    expect(new Set(runs.map((run) => run.metadata.labels?.['okra.mumo.co/step-index']))).toEqual(
      new Set(['4', 'bg']),
    );

    await stage.mark();
    await stage.targetGroups('3.0.0', ['c28c'], { role: 'c28' });
    await stage.untilStatus('c28', 'pausing', (status) => status.phase === 'Paused');
    await stage.signal('c28', 'resume');
    await stage.untilStatus(
      'c28',
      'pausing again',
      (status) => status.phase === 'Paused' && status.currentStepIndex === 3,
    );
    stage.metrics.rate = 0.5;
    const reverted = await stage.untilPhase('c28', 'Reverted', '2.0.0');
    expect(reverted.message).toMatch(/Background analysis: AnalysisRun c28-bg-watched-\S+ ended as Failed/);
    expect((await stage.writes()).slice(-2)).toEqual([
      { c28b: 70, c28c: 30 },
      { c28b: 100, c28c: 0 },
    ]);
  });

  it('A-C28 in the background holds the rollout while it is inconclusive, until someone promotes it', async () => {
    await stage.apply(template('undecided', { failureCondition: 'result < 0.5' }));
    stage.metrics.rate = 0.7;
    await rollOut('c28i', {
      steps: [{ setWeight: 20 }, { pause: { duration: '1s' } }],
      analysis: { templates: [{ templateName: 'undecided' }] },
    });
    const held = await stage.untilStatus(
      'c28i',
      'inconclusive',
      (status) => status.reason === 'WaitingForVerdict',
    );
    expect(held.conditions).toEqual(degraded('Inconclusive'));
    expect(held.message).toMatch(/Background analysis: AnalysisRun c28i-bg-undecided-\S+ is inconclusive/);
    await stage.signal('c28i', 'promote', { by: 'ann' });
    await stage.untilPhase('c28i', 'Completed', '2.0.0');
  });

  it('A-C28 in the background takes everything back while a write is being throttled', async () => {
    await rollOut('c28t', {
      steps: [{ setWeight: 20 }, { pause: {} }, { setWeight: 40 }],
      analysis: { templates: [{ templateName: 'endless' }], startingStep: 1 },
    });
    await stage.untilStatus(
      'c28t',
      'pausing beside an analysis',
      (status) => status.phase === 'Paused' && status.backgroundAnalysisRun !== undefined,
    );
    const contains = `/${stage.listenerARN.split('/')[2]}/`;
    const fault = await stage.proxy.addFault({
      kind: 'throttle',
      match: { action: 'ModifyRule', contains },
      times: 'always',
    });
    const asked = async (): Promise<readonly number[]> =>
      (await stage.config('c28t'))?.spec.listener.rule.forward.targetGroups.map((group) => group.weight) ??
      [];
    await stage.signal('c28t', 'resume');
    await until('40 to be asked for', async () => (await asked()).includes(40));
    stage.metrics.rate = 0.5;
    await stage.untilStatus('c28t', 'held while it reverts', ({ phase }) => phase === 'RevertBlocked');
    await stage.proxy.removeFault(fault);
    await stage.untilPhase('c28t', 'Reverted', '1.0.0');
    expect((await stage.writes()).slice(-2)).toEqual([
      { c28ta: 80, c28tb: 20 },
      { c28ta: 100, c28tb: 0 },
    ]);
  });

  it('A-C29 that would never end is refused in a step, continues when it is corrected, and is fine in the background', async () => {
    await stage.apply(template('c29'));
    await rollOut('c29', {
      steps: [{ setWeight: 20 }, { analysis: { templates: [{ templateName: 'c29' }] } }],
      analysis: { templates: [{ templateName: 'c29' }] },
    });
    const held = await untilReason('c29', 'AnalysisTemplateInvalid');
    expect(held.message).toContain('Step analysis should have non-zero count.');
    expect(held.conditions).toEqual(degraded('AnalysisTemplateInvalid'));
    expect((await stage.analysisRuns('c29')).map((run) => run.metadata.name)).toEqual([
      expect.stringMatching(/^c29-bg-c29-/) as string,
    ]);
    expect(await stage.weights(priority)).toEqual({ c29a: 80, c29b: 20 });
    await stage.apply(template('c29', { count: 2 }));
    await stage.untilPhase('c29', 'Completed', '2.0.0');
  });

  it('A-C30 that is inconclusive holds, and continues or goes back as a person decides', async () => {
    await stage.apply(template('c30', { failureCondition: 'result < 0.5', count: 2 }));
    stage.metrics.rate = 0.7;
    await rollOut('c30', steps({ setWeight: 20 }, { analysis: { templates: [{ templateName: 'c30' }] } }));
    const held = await untilReason('c30', 'WaitingForVerdict');
    expect(held).toMatchObject({ phase: 'Paused', analysisRun: { phase: 'Inconclusive' } });
    expect(held.conditions).toEqual(degraded('Inconclusive'));
    expect(await stage.weights(priority)).toEqual({ c30a: 80, c30b: 20 });
    await setPhase(held.analysisRun?.name ?? '', 'Successful');
    await stage.untilPhase('c30', 'Completed', '2.0.0');

    await stage.targetGroups('3.0.0', ['c30c'], { role: 'c30' });
    const again = await untilReason('c30', 'WaitingForVerdict');
    await setPhase(again.analysisRun?.name ?? '', 'Failed');
    await stage.untilPhase('c30', 'Reverted', '2.0.0');
  });

  it('A-C32 reads fields of the Cell, says which one is not there, and continues when the Cell is corrected', async () => {
    await stage.apply(stage.analysisTemplate('fields', []));
    const at = (...paths: string[]) =>
      steps(
        { setWeight: 20 },
        {
          analysis: {
            templates: [{ templateName: 'fields' }],
            args: paths.map((fieldPath, i) => ({ name: `f${i}`, valueFrom: { fieldRef: { fieldPath } } })),
          },
        },
      );
    const edit = (canary: object): Promise<void> =>
      stage.patch(CELL, 'c32', { spec: { updateStrategy: { canary } } });
    await expect(rollOut('c32', at('status.nope'))).rejects.toThrow('fieldPath');
    await rollOut('c32', at('spec.ingress.nope'));
    const held = await untilReason('c32', 'AnalysisTemplateInvalid');
    expect(held.message).toContain('invalid fieldPath spec.ingress.nope: a Cell has no nope');
    expect(held.conditions).toEqual(degraded('AnalysisTemplateInvalid'));
    await edit(at('spec.ingress'));
    await stage.untilStatus(
      'c32',
      'held by an object',
      (status) => status.message?.includes('invalid fieldPath spec.ingress: it is an object') === true,
    );
    await edit(at('spec.replicas', 'status.desiredVersion', 'metadata.name'));
    await stage.untilPhase('c32', 'Completed', '2.0.0');
    expect((await onlyRun('c32')).spec.args).toEqual([
      { name: 'f0', value: '1' },
      { name: 'f1', value: '2.0.0' },
      { name: 'f2', value: 'c32' },
    ]);
  });

  it('A-C34 pauses for as long as it says', async () => {
    await rollOut(
      'c34',
      steps(
        { setWeight: 20 },
        { pause: { duration: '5s' } },
        { pause: { duration: '30s' } },
        { pause: { duration: '30' } },
        { pause: { duration: 30 } },
        { pause: { duration: '10m' } },
      ),
    );
    const { rollout } = await stage.untilStatus('c34', 'under way', (status) => status.rollout !== undefined);
    const pauses = async () => {
      const history = await stage.history(stage.workflowId('c34'), rollout?.runId ?? '');
      const { events } = JSON.parse(history) as { events: TimerEvent[] };
      return timersOf(events).filter(({ summary }) => summary.startsWith('Pausing '));
    };
    for (const begun of [2, 3, 4, 5]) {
      // A step is reported before its timer begins: what is promoted in between has no timer.
      await until(`${begun} pauses`, async () => ((await pauses()).length === begun ? true : undefined));
      await stage.signal('c34', 'promote');
    }
    await stage.untilPhase('c34', 'Completed', '2.0.0');
    const wanted = [5, 30, 30, 30, 600];
    const timers = await pauses();
    expect(timers).toHaveLength(wanted.length);
    // A timer begins when its pause has been reported, and ends the pause on time.
    const missing = timers.map(({ seconds }, index) => (wanted[index] ?? 0) - seconds);
    for (const seconds of missing) {
      expect(seconds).toBeGreaterThanOrEqual(0);
      expect(seconds).toBeLessThan(5);
    }
    // The server fires what is due within 50 ms; more than that is its own lateness.
    expect((timers[0]?.took ?? Infinity) - (timers[0]?.seconds ?? 0)).toBeLessThan(5);
  });

  it('A-C38 of several templates is one AnalysisRun with the metrics of all, of the namespace and of the cluster', async () => {
    const clustered = `${stage.namespace}-shared`;
    await stage.apply({
      ...template(clustered, { name: 'shared', count: 1 }, { templates: [{ templateName: 'nested' }] }),
      kind: 'ClusterAnalysisTemplate',
    });
    await stage.apply(template('nested', { name: 'nested', count: 1 }));
    await rollOut(
      'c38',
      steps(
        { setWeight: 20 },
        {
          analysis: {
            templates: [...templates, { templateName: clustered, clusterScope: true }],
            args,
          },
        },
      ),
    );
    await stage.untilPhase('c38', 'Completed', '2.0.0');
    await stage.delete(CLUSTER_ANALYSIS_TEMPLATE, clustered);
    expect(await stage.analysisRuns('c38')).toHaveLength(1);
    const run = await onlyRun('c38');
    expect(run.spec.metrics?.map((metric) => metric.name)).toEqual(['rate', 'shared', 'nested']);
  });

  it('hands secrets on by reference, and takes its settings from the step', async () => {
    const key = `key-of-${stage.namespace}`;
    await stage.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'api' }, stringData: { key } });
    const web = {
      url: stage.metrics.url,
      jsonPath: '{$.rate}',
      headers: [{ key: 'Authorization', value: '{{args.key}}' }],
    };
    await stage.apply(template('secret', { count: 1, provider: { web } }, { args: [{ name: 'key' }] }));
    stage.metrics.rate = 0.5;
    const secretKeyRef = { name: 'api', key: 'key' };
    await rollOut(
      'dry',
      steps(
        { setWeight: 20 },
        {
          analysis: {
            templates: [{ templateName: 'secret' }],
            args: [{ name: 'key', valueFrom: { secretKeyRef } }],
            dryRun: [{ metricName: 'rate' }],
            measurementRetention: [{ metricName: 'rate', limit: 1 }],
            analysisRunMetadata: { labels: { team: 'web', 'okra.mumo.co/cell': 'other' } },
          },
        },
      ),
    );
    await stage.untilPhase('dry', 'Completed', '2.0.0');
    const run = await onlyRun('dry');
    expect(run.metadata.labels).toMatchObject({ team: 'web', 'okra.mumo.co/cell': 'dry' });
    expect(run.spec).toMatchObject({
      args: [{ name: 'key', valueFrom: { secretKeyRef } }],
      dryRun: [{ metricName: 'rate' }],
      measurementRetention: [{ metricName: 'rate', limit: 1 }],
    });
    expect(stage.metrics.authorization).toBe(key);
    const runs = await stage.temporal(
      'workflow',
      'show',
      '--workflow-id',
      stage.workflowId('dry'),
      '-o',
      'json',
    );
    expect(runs).not.toContain(key);
  });

  it('A-C39 that fails after the whole weight was given takes all of it back', async () => {
    stage.metrics.rate = 0.5;
    await rollOut('c39', steps({ setWeight: 100 }, { analysis: { templates, args } }));
    await stage.untilPhase('c39', 'Reverted', '1.0.0');
    expect((await stage.writes()).slice(-2)).toEqual([
      { c39a: 0, c39b: 100 },
      { c39a: 100, c39b: 0 },
    ]);
  });

  it('that was passed over is ended, and one of edited steps takes no older verdict', async () => {
    stage.metrics.rate = undefined;
    await rollOut('c40', steps({ setWeight: 20 }, { analysis: { templates, args } }, { pause: {} }));
    await stage.untilStatus('c40', 'analysing', (status) => status.analysisRun !== undefined);
    const edited = [{ setWeight: 20 }, { analysis: { templates, args } }, { pause: { duration: '1s' } }];
    await stage.patch(CELL, 'c40', { spec: { updateStrategy: { canary: { steps: edited } } } });
    const runs = await until('a second AnalysisRun', async () => {
      const all = await stage.analysisRuns('c40');
      return all.length === 2 ? all : undefined;
    });
    const [first, second] = runs.toSorted((a, b) => a.metadata.name.length - b.metadata.name.length);
    expect(second?.metadata.name).toBe(`${first?.metadata.name}-1`);
    expect(first?.spec.terminate).toBe(true);
    await stage.untilStatus(
      'c40',
      'analysing again',
      (status) => status.analysisRun?.name === second?.metadata.name,
    );
    await stage.signal('c40', 'promote');
    await stage.untilPhase('c40', 'Completed', '2.0.0');
    const after = await stage.analysisRuns('c40');
    expect(after.every((run) => run.spec.terminate === true)).toBe(true);
  });
});

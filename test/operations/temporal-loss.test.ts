import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { CellStatus } from '../../crds/cell.ts';
import type { Stack } from '../../local/stack.ts';
import type { Stage } from '../support/stage/stage.ts';
import { withoutRepeats } from '../support/stage/without-repeats.ts';
import { backUpTemporal, loseTemporal } from './temporal-loss/losing.ts';
import { openOwnStage, type OwnStage } from './temporal-loss/own-stage.ts';
import { until } from '../support/until.ts';

const steps = [{ setWeight: 20 }, { pause: {} }, { setWeight: 40 }, { pause: {} }];

let stack: Stack;
let stage: Stage;
let own: OwnStage;
let priority = 0;
beforeAll(async () => {
  own = await openOwnStage(inject('stack'));
  ({ stack, stage } = own);
});
afterAll(() => own.close());
beforeEach(async () => {
  priority += 10;
  await stage.mark();
});
afterEach(async () => {
  // A test that fails may have left it ended.
  await stack.start('temporal');
  expect(await stage.violations([20, 40], priority)).toEqual([]);
});

/** A Cell that serves 1.0.0. */
async function serving(name: string): Promise<void> {
  await stage.targetGroups('1.0.0', [`${name}a`], { role: name });
  await stage.apply(stage.cell(name, { priority, role: name, steps }));
  await stage.untilPhase(name, 'Completed', '1.0.0');
  await stage.mark();
}
const newer = (name: string): Promise<void> => stage.targetGroups('2.0.0', [`${name}b`], { role: name });
const pausedAt = (name: string, weight: number, runId?: string): Promise<CellStatus> =>
  stage.untilStatus(
    name,
    `paused at ${weight}`,
    (status) =>
      status.phase === 'Paused' && status.canaryWeight === weight && status.rollout?.runId !== runId,
  );

/** Lets the watchers check all runs (watchers/stuck-runs.ts), of which nothing outside shows a trace. */
const aCheckOfRuns = (): Promise<void> => setTimeout(11_000);

describe('when the database of Temporal is lost, a rollout', () => {
  /** An AnalysisTemplate that measures as long as someone lets it. */
  const endless = (name: string): object => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AnalysisTemplate',
    metadata: { name },
    spec: {
      metrics: [
        {
          name: 'rate',
          interval: '1s',
          consecutiveErrorLimit: 60,
          provider: { web: { url: stage.metrics.url, jsonPath: '{$.rate}' } },
        },
      ],
    },
  });

  it('is taken up where it stands, paused again, and completed when it is promoted', async () => {
    await serving('lost');
    await newer('lost');
    const before = await pausedAt('lost', 20);
    await loseTemporal(stack);
    await pausedAt('lost', 20, before.rollout?.runId);
    expect(await stage.writes()).toEqual([
      { losta: 100, lostb: 0 },
      { losta: 80, lostb: 20 },
    ]);
    await stage.signal('lost', 'promote', { by: 'ann', reason: 'fine' });
    await pausedAt('lost', 40);
    await stage.signal('lost', 'promote', { by: 'ann', reason: 'fine' });
    await stage.untilPhase('lost', 'Completed', '2.0.0');
    expect(await stage.writes()).toEqual([
      { losta: 100, lostb: 0 },
      { losta: 80, lostb: 20 },
      { losta: 60, lostb: 40 },
      { losta: 0, lostb: 100 },
    ]);
  });

  it('continues the analyses of its step and in its background', async () => {
    await stage.apply(stage.analysisTemplate('success-rate', []));
    await stage.apply(endless('endless'));
    const canary = {
      steps: [{ setWeight: 20 }, { analysis: { templates: [{ templateName: 'success-rate' }] } }],
      analysis: { templates: [{ templateName: 'endless' }] },
    };
    await stage.targetGroups('1.0.0', ['again1'], { role: 'again' });
    const spec = { updateStrategy: { type: 'Canary', canary } };
    await stage.apply(stage.cell('again', { priority, role: 'again', spec }));
    await stage.untilPhase('again', 'Completed', '1.0.0');
    await stage.mark();
    stage.metrics.rate = undefined;
    await stage.targetGroups('2.0.0', ['again2'], { role: 'again' });
    const analysing = (runId?: string): Promise<CellStatus> =>
      stage.untilStatus(
        'again',
        'analysing',
        ({ analysisRun, backgroundAnalysisRun, rollout }) =>
          analysisRun !== undefined && backgroundAnalysisRun !== undefined && rollout?.runId !== runId,
      );
    const before = await analysing();
    await loseTemporal(stack);
    await analysing(before.rollout?.runId);
    expect(await stage.analysisRuns('again')).toHaveLength(2);
    // Those in the background are without an end.
    stage.metrics.rate = 1;
    await stage.untilPhase('again', 'Completed', '2.0.0');
    await until('all analyses to end', async () => {
      const runs = await stage.analysisRuns('again');
      return runs.every(({ status }) => status?.phase === 'Successful');
    });
    expect(await stage.writes()).toEqual([
      { again1: 100, again2: 0 },
      { again1: 80, again2: 20 },
      { again1: 0, again2: 100 },
    ]);
  });
});

describe('when Temporal is restored from a backup while okrad continues, a rollout', () => {
  it('is continued by another run, because its own cannot continue, and keeps its weights', async () => {
    await serving('back');
    await newer('back');
    const before = await pausedAt('back', 20);
    const restore = await backUpTemporal(stack);
    await stage.signal('back', 'promote', { by: 'ann', reason: 'fine' });
    await pausedAt('back', 40);
    // The watchers find that a history has become shorter once they have read the longer one.
    await aCheckOfRuns();
    await restore();
    const { conditions = [] } = await pausedAt('back', 40, before.rollout?.runId);
    expect(conditions).toContainEqual(
      expect.objectContaining({ type: 'Degraded', status: 'True', reason: 'WorkflowStuck' }),
    );
    await stage.signal('back', 'promote', { by: 'ann', reason: 'fine' });
    await stage.untilPhase('back', 'Completed', '2.0.0');
    expect(await stage.writes()).toEqual([
      { backa: 100, backb: 0 },
      { backa: 80, backb: 20 },
      { backa: 60, backb: 40 },
      { backa: 0, backb: 100 },
    ]);
  });
});

describe('when the database of Temporal is lost, an abort that ELBv2 does not let through yet', () => {
  /** Throttles writes to the rules of the listener, after the first `passing` ones. */
  const throttle = (passing = 0): Promise<string> =>
    stage.proxy.addFault({
      kind: 'throttle',
      match: { action: 'ModifyRule', contains: `/${stage.listenerARN.split('/')[2]}/` },
      times: 'always',
      ...(passing === 0 ? {} : { bucket: { perSecond: 0.0001, burst: passing } }),
    });
  const untilThrottled = async (): Promise<void> => {
    const since = await stage.proxy.lastCall();
    await until('a write that is throttled', async () => {
      const calls = await stage.proxy.calls({ since, action: 'ModifyRule' });
      return calls.some(({ outcome }) => outcome.code === 'Throttling');
    });
  };
  /** Everything is back and stays there, and the version is not tried again. */
  async function isBack(name: string): Promise<void> {
    const status = await stage.untilStatus(name, 'settled', ({ phase, conditions = [] }) => {
      const isSettled = conditions.some((one) => one.type === 'Progressing' && one.status === 'False');
      return phase === 'Reverted' && isSettled;
    });
    expect(status).toMatchObject({ stableVersion: '1.0.0', blockedVersions: [{ version: '2.0.0' }] });
    expect(await stage.weights(priority)).toEqual({ [`${name}a`]: 100, [`${name}b`]: 0 });
  }

  it('is carried out by the next run, which never gives more to the version', async () => {
    await serving('late');
    await newer('late');
    await pausedAt('late', 20);
    const fault = await throttle();
    await stage.signal('late', 'abort', { by: 'ann', reason: 'errors' });
    await stage.untilStatus('late', 'reverting', ({ phase }) => phase?.endsWith('Reverting') === true);
    await untilThrottled();
    await loseTemporal(stack);
    await stage.proxy.removeFault(fault);
    await isBack('late');
    expect(withoutRepeats(await stage.writes())).toEqual([
      { latea: 100, lateb: 0 },
      { latea: 80, lateb: 20 },
      { latea: 100, lateb: 0 },
    ]);
  });

  it('is not forgotten when the first increase had not been let through either', async () => {
    await serving('early');
    // The canary is attached, and its first increase waits.
    const fault = await throttle(1);
    await newer('early');
    await untilThrottled();
    await stage.signal('early', 'abort', { by: 'ann', reason: 'errors' });
    await stage.untilStatus('early', 'told of the abort', ({ blockedVersions = [], phase }) => {
      return blockedVersions.length > 0 || phase?.endsWith('Reverting') === true;
    });
    await loseTemporal(stack);
    await stage.proxy.removeFault(fault);
    await isBack('early');
    expect(withoutRepeats(await stage.writes())).toEqual([{ earlya: 100, earlyb: 0 }]);
  });
});

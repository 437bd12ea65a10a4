import { describe, expect, it } from 'vitest';
import { AWS_TARGET_GROUP } from '../../clients/kubernetes/kinds.ts';
import { onStage } from '../support/stage/on-stage.ts';
import type { Stage } from '../support/stage/stage.ts';
import { until } from '../support/until.ts';

describe('which version serves', () => {
  let stage: Stage;
  let priority = 0;
  onStage({ totals: [20] }, (opened, free) => {
    stage = opened;
    priority = free;
  });

  const analysis = {
    args: [{ name: 'service-name', value: 'web' }],
    templates: [{ templateName: 'success-rate' }],
  };
  const steps = [{ setWeight: 20 }, { analysis }];
  const cell = (name: string, spec: object = {}): object =>
    stage.cell(name, { priority, role: name, steps, spec });
  const groups = (name: string, version: string, ...letters: string[]): Promise<void> =>
    stage.targetGroups(
      version,
      letters.map((letter) => `${name}${letter}`),
      { role: name },
    );
  /** A Cell that was rolled out from 1.0.0 to 2.0.0. */
  async function replaced(name: string): Promise<void> {
    await groups(name, '1.0.0', 'a');
    await stage.apply(cell(name));
    await stage.untilPhase(name, 'Completed', '1.0.0');
    await groups(name, '2.0.0', 'b');
    await stage.untilPhase(name, 'Completed', '2.0.0');
    await stage.untilAtRest(name);
    await stage.mark();
  }
  const runsOf = async (name: string): Promise<number> => (await stage.analysisRuns(name)).length;

  it('A-C40, A-C42b a lower pin is swapped in by one write, and without it the newer version takes all steps again', async () => {
    await replaced('pin');
    const runs = await runsOf('pin');
    await stage.apply(cell('pin', { version: '1.0.0' }));
    const back = await stage.untilPhase('pin', 'Completed', '1.0.0');
    expect(back.desiredVersion).toBe('1.0.0');
    expect(await stage.writes()).toEqual([{ pina: 100, pinb: 0 }]);
    expect(await runsOf('pin')).toBe(runs);
    await stage.apply(cell('pin'));
    await stage.untilPhase('pin', 'Completed', '2.0.0');
    expect((await stage.writes()).slice(1)).toEqual([
      { pina: 80, pinb: 20 },
      { pina: 0, pinb: 100 },
    ]);
    expect(await runsOf('pin')).toBe(runs + 1);
  });

  it('A-C41 a pin to the old version during a rollout takes it back and ends its analysis', async () => {
    await groups('mid', '1.0.0', 'a');
    await stage.apply(cell('mid'));
    await stage.untilPhase('mid', 'Completed', '1.0.0');
    stage.metrics.rate = undefined;
    await groups('mid', '2.0.0', 'b');
    await stage.untilStatus('mid', 'analysing', (status) => status.analysisRun !== undefined);
    await stage.apply(cell('mid', { version: '1.0.0' }));
    const status = await stage.untilPhase('mid', 'Completed', '1.0.0');
    expect((await stage.writes()).at(-1)).toEqual({ mida: 100, midb: 0 });
    expect(status.blockedVersions).toEqual([]);
    expect(status.history?.[0]).toMatchObject({ version: '2.0.0', outcome: 'Withdrawn' });
    await until('the analysis to be ended', async () =>
      (await stage.analysisRuns('mid')).every((run) => run.spec.terminate === true),
    );
  });

  it('A-C42 a pin keeps a newer version away until it is removed', async () => {
    await groups('stay', '1.0.0', 'a');
    await stage.apply(cell('stay', { version: 'v1.0.0' }));
    await stage.untilPhase('stay', 'Completed', '1.0.0');
    await groups('stay', '2.0.0', 'b');
    await stage.signalWithStart('cellRollout', stage.workflowId('stay'), 'changed', 'stay');
    await stage.untilAtRest('stay');
    expect(await stage.writes()).toEqual([{ staya: 100 }]);
    await stage.apply(cell('stay'));
    await stage.untilPhase('stay', 'Completed', '2.0.0');
  });

  it('a version that is written short is the same as the one that is written out', async () => {
    await groups('short', 'v2', 'a');
    await stage.apply(cell('short'));
    const before = await stage.untilPhase('short', 'Completed', '2.0.0');
    await stage.untilClosed(stage.workflowId('short'));
    await groups('short', '2.0.0', 'a');
    await stage.untilStatus(
      'short',
      'seen again',
      ({ observedHash }) => observedHash !== before.observedHash,
    );
    await stage.untilClosed(stage.workflowId('short'));
    const after = await stage.untilPhase('short', 'Completed', '2.0.0');
    expect(after.history).toEqual(before.history);
    expect(await stage.writes()).toEqual([{ shorta: 100 }]);
    await groups('short', '2.1-rc.1', 'b');
    await stage.untilPhase('short', 'Completed', '2.1.0-rc.1');
    await stage.apply(cell('short', { version: 'v2' }));
    await stage.untilPhase('short', 'Completed', '2.0.0');
    expect(await stage.weights(priority)).toEqual({ shorta: 100, shortb: 0 });
  });

  it('a target group that two AWSTargetGroups name counts once, and that is reported', async () => {
    await groups('twice', '1.0.0', 'a');
    const { spec } = Object.assign({ spec: {} }, stage.targetGroup('1.0.0', 'twicea', {}));
    const again = (name: string, version: string): object => ({
      ...stage.targetGroup(version, name, { role: 'twice' }),
      spec,
    });
    await stage.apply(again('twicez', '1.0.0'));
    await stage.apply(cell('twice', { replicas: 2 }));
    const waiting = await stage.untilPhase('twice', 'Waiting');
    expect(waiting).toMatchObject({ availableTargetGroups: 1, desiredTargetGroups: 2 });
    expect(waiting.rejectedTargetGroups).toMatchObject([{ name: 'twicez', reason: 'DuplicateARN' }]);
    await stage.apply(again('twicez', '2.0.0'));
    await stage.apply(cell('twice', { replicas: 1 }));
    const status = await stage.untilPhase('twice', 'Completed', '1.0.0');
    expect(status.rejectedTargetGroups?.[0]?.message).toContain('1.0.0 in AWSTargetGroup twicea');
    await groups('twice', '2.0.0', 'b');
    await stage.untilPhase('twice', 'Completed', '2.0.0');
    expect(await stage.writes()).toEqual([
      { twicea: 100 },
      { twicea: 100, twiceb: 0 },
      { twicea: 80, twiceb: 20 },
      { twicea: 0, twiceb: 100 },
    ]);
  });

  it('A-C43 a pin to a version that nobody has changes nothing, and says what is missing', async () => {
    await groups('lack', '1.0.0', 'a');
    await stage.apply(cell('lack'));
    await stage.untilPhase('lack', 'Completed', '1.0.0');
    await stage.apply(cell('lack', { version: '9.9.9' }));
    const status = await stage.untilPhase('lack', 'Waiting');
    expect(status).toMatchObject({
      reason: 'NotEnoughTargetGroups',
      availableTargetGroups: 0,
      desiredTargetGroups: 1,
    });
    expect(status.message).toBe('1.0.0 serves. Waiting: 0 of 1 target groups at 9.9.9.');
    expect(await stage.writes()).toEqual([{ lacka: 100 }]);
    await stage.untilTold('0 of 1 target groups at 9.9.9');
  });

  it('A-C44 the older version gets everything at once when the target groups of the newer are gone', async () => {
    await replaced('fall');
    const runs = await runsOf('fall');
    await stage.delete(AWS_TARGET_GROUP, 'fallb');
    const status = await stage.untilPhase('fall', 'Completed', '1.0.0');
    await stage.untilAtRest('fall');
    expect(await stage.writes()).toEqual([{ falla: 100 }]);
    expect(await stage.weights(priority)).toEqual({ falla: 100 });
    expect(await runsOf('fall')).toBe(runs);
    expect(status.history?.[0]).toMatchObject({ version: '1.0.0', from: '2.0.0', outcome: 'FellBack' });
    // The group that is gone leaves the rule while it carries everything, which is what falling back means.
    await stage.mark();
  });

  it('A-C45, A-C46 groups that come or go of the version that serves share its weight at once', async () => {
    await groups('scale', '2.0.0', 'b1', 'b2');
    await stage.apply(cell('scale', { replicas: 2 }));
    await stage.untilPhase('scale', 'Completed', '2.0.0');
    const before = (await stage.writes()).length;
    await groups('scale', '2.0.0', 'b3');
    await stage.untilWeights({ scaleb1: 33, scaleb2: 33, scaleb3: 34 }, priority);
    await stage.untilAtRest('scale');
    expect((await stage.writes()).slice(before)).toEqual([
      { scaleb1: 50, scaleb2: 50, scaleb3: 0 },
      { scaleb1: 33, scaleb2: 33, scaleb3: 34 },
    ]);
    expect(await runsOf('scale')).toBe(0);
    expect(await stage.violations([33, 67], priority)).toEqual([]);
    await stage.mark();
    await stage.delete(AWS_TARGET_GROUP, 'scaleb3');
    await stage.untilWeights({ scaleb1: 50, scaleb2: 50 }, priority);
    await stage.delete(AWS_TARGET_GROUP, 'scaleb2');
    await stage.untilWeights({ scaleb1: 100 }, priority);
    const status = await stage.untilPhase('scale', 'Waiting');
    expect(status.message).toContain('1 of 2 target groups at 2.0.0');
    await stage.apply(cell('scale', { replicas: 1 }));
    await stage.untilPhase('scale', 'Completed', '2.0.0');
    await stage.mark();
  });

  it('A-C25 a newer version during a rollout supersedes it: what was abandoned goes to 0, and the newest begins at its first step', async () => {
    await groups('third', '1.0.0', 'a');
    await stage.apply(cell('third'));
    await stage.untilPhase('third', 'Completed', '1.0.0');
    stage.metrics.rate = undefined;
    await groups('third', '2.0.0', 'b');
    const before = await stage.untilStatus(
      'third',
      'analysing',
      (status) => status.analysisRun !== undefined,
    );
    const writes = (await stage.writes()).length;
    await groups('third', '3.0.0', 'c');
    const newest = await stage.untilStatus('third', 'analysing 3.0.0', (status) => {
      return status.desiredVersion === '3.0.0' && status.analysisRun !== undefined;
    });
    expect(newest).toMatchObject({ stableVersion: '1.0.0', step: '2/2', canaryWeight: 20 });
    expect((await stage.writes()).slice(writes)).toEqual([
      { thirda: 100, thirdb: 0 },
      { thirda: 100, thirdc: 0 },
      { thirda: 80, thirdc: 20 },
    ]);
    const runs = await stage.analysisRuns('third');
    expect(new Map(runs.map((run) => [run.metadata.name, run.spec.terminate === true]))).toEqual(
      new Map([
        [before.analysisRun?.name, true],
        [newest.analysisRun?.name, false],
      ]),
    );
    stage.metrics.rate = 1;
    const done = await stage.untilPhase('third', 'Completed', '3.0.0');
    expect(done.history?.slice(0, 2).map(({ version, outcome }) => `${version} ${outcome}`)).toEqual([
      '3.0.0 Completed',
      '2.0.0 Withdrawn',
    ]);
    expect(done.blockedVersions).toEqual([]);
  });

  it('a pin as old as a failure does not lift the block when something else is edited, and pinning again does', async () => {
    await groups('again', '1.0.0', 'a');
    await stage.apply(cell('again'));
    await stage.untilPhase('again', 'Completed', '1.0.0');
    stage.metrics.rate = 0.5;
    await stage.apply(cell('again', { version: '2.0.0' }));
    await groups('again', '2.0.0', 'b');
    await stage.untilPhase('again', 'Reverted', '1.0.0');
    await stage.untilAtRest('again');
    const runs = await runsOf('again');
    await stage.mark();
    stage.metrics.rate = 1;
    await stage.apply(cell('again', { version: '2.0.0', minHealthyTargets: 1, healthTimeout: '11m' }));
    await stage.untilStatus('again', 'seen again', (status) => status.observedGeneration === 3);
    await stage.untilAtRest('again');
    expect(await stage.writes()).toEqual([]);
    expect(await runsOf('again')).toBe(runs);
    await stage.apply(cell('again', { version: '1.0.0' }));
    await stage.untilPhase('again', 'Completed', '1.0.0');
    await stage.apply(cell('again', { version: '2.0.0' }));
    await stage.untilPhase('again', 'Completed', '2.0.0');
  });
});

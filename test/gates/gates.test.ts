import { describe, expect, it } from 'vitest';
import { AWS_TARGET_GROUP, FREEZE } from '../../clients/kubernetes/kinds.ts';
import type { CellStatus } from '../../crds/cell.ts';
import { followStatus } from '../support/stage/followed.ts';
import { onStage } from '../support/stage/on-stage.ts';
import type { Stage } from '../support/stage/stage.ts';

describe('what holds a rollout', () => {
  let stage: Stage;
  let priority = 0;
  onStage({ totals: [20, 40] }, (opened, free) => {
    stage = opened;
    priority = free;
  });

  const steps = [{ setWeight: 20 }, { pause: { duration: '1s' } }, { setWeight: 40 }];
  /** A Cell that serves 1.0.0. */
  async function serving(name: string, spec: object = {}, list: readonly object[] = steps): Promise<void> {
    await stage.targetGroups('1.0.0', [`${name}a`], { role: name });
    await stage.apply(cell(name, spec, list));
    await stage.untilPhase(name, 'Completed', '1.0.0');
  }
  const cell = (name: string, spec: object = {}, list: readonly object[] = steps): object =>
    stage.cell(name, { priority, role: name, steps: list, spec });
  const newer = (name: string, version = '2.0.0', letter = 'b'): Promise<void> =>
    stage.targetGroups(version, [`${name}${letter}`], { role: name });
  const reason = (name: string, want: string): Promise<CellStatus> =>
    stage.untilStatus(name, want, (status) => status.reason === want);
  const freeze = (name: string): object => ({
    apiVersion: 'okra.mumo.co/v1alpha1',
    kind: 'Freeze',
    metadata: { name: `${name}-${stage.namespace}` },
    spec: { by: 'ops', reason: 'Black Friday.', namespaces: [stage.namespace] },
  });
  const thaw = (name: string): Promise<void> => stage.delete(FREEZE, `${name}-${stage.namespace}`);

  it('a Freeze holds a rollout before it begins, says who and why, and lets it continue when it is deleted', async () => {
    await serving('frost');
    await stage.apply(freeze('frost'));
    await newer('frost');
    const held = await reason('frost', 'WaitingForFreeze');
    expect(held).toMatchObject({ phase: 'Waiting', stableVersion: '1.0.0' });
    expect(held.message).toContain('of ops: Black Friday.');
    expect(await stage.weights(priority)).toEqual({ frosta: 100 });
    await stage.untilTold('Held by Freeze');
    await stage.kubectl('delete', 'freeze', `frost-${stage.namespace}`);
    await stage.untilPhase('frost', 'Completed', '2.0.0');
  });

  it('a Freeze holds a rollout at its next command, and an abort does not wait for it', async () => {
    const list = [{ setWeight: 20 }, { pause: {} }, { setWeight: 40 }];
    await serving('ice', {}, list);
    await newer('ice');
    await stage.untilStatus(
      'ice',
      'paused at 20',
      (one) => one.phase === 'Paused' && one.canaryWeight === 20,
    );
    await stage.apply(freeze('ice'));
    await stage.signal('ice', 'resume');
    await reason('ice', 'WaitingForFreeze');
    expect(await stage.weights(priority)).toEqual({ icea: 80, iceb: 20 });
    await stage.signal('ice', 'abort', { by: 'ann' });
    await stage.untilPhase('ice', 'Reverted', '1.0.0');
    expect((await stage.writes()).at(-1)).toEqual({ icea: 100, iceb: 0 });
    await thaw('ice');
  });

  it('a rollout waits for the next window with its weights, and continues when one is open', async () => {
    const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
    const today = new Date().getUTCDay();
    const inTwoDays = [{ days: [days[(today + 2) % 7]], start: '12:00', end: '13:00' }];
    const now = [
      { days, start: '00:00', end: '23:59' },
      { days, start: '23:00', end: '01:00' },
    ];
    await serving('open', { windows: inTwoDays });
    await newer('open');
    const held = await reason('open', 'WaitingForWindow');
    expect(held.message).toMatch(/opens at 20\d\d-.*T12:00:00.000Z/);
    expect(await stage.weights(priority)).toEqual({ opena: 100 });
    await stage.apply(cell('open', { windows: now }));
    await stage.untilPhase('open', 'Completed', '2.0.0');
  });

  it('each change of weights settles before the next step', async () => {
    await serving('still', { settle: '2s' }, [{ setWeight: 20 }, { setWeight: 40 }]);
    await using followed = await followStatus(stage, 'still');
    await newer('still');
    await stage.untilPhase('still', 'Completed', '2.0.0');
    expect(followed.statuses.map((status) => status.reason)).toContain('WaitingForSettle');
    const shifts = (await stage.calls()).filter((call) => call.action === 'ModifyRule' && call.applied);
    const gaps = shifts.slice(2).map((call, i) => call.startedAt - (shifts[i + 1]?.endedAt ?? 0));
    expect(gaps).toHaveLength(2);
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(2_000);
  });

  it('a version that bakes with the whole weight goes back by one write, to groups that stayed at 0', async () => {
    const updateStrategy = { canary: { steps }, bake: { duration: '1h' } };
    await serving('bake', { updateStrategy });
    await newer('bake');
    const baking = await reason('bake', 'WaitingForBake');
    expect(baking).toMatchObject({ canaryWeight: 100, stableVersion: '1.0.0', step: 'done' });
    expect(await stage.weights(priority)).toEqual({ bakea: 0, bakeb: 100 });
    const writes = (await stage.writes()).length;
    await stage.signal('bake', 'abort', { by: 'ann', reason: 'late errors' });
    await stage.untilPhase('bake', 'Reverted', '1.0.0');
    expect((await stage.writes()).slice(writes)).toEqual([{ bakea: 100, bakeb: 0 }]);
    await newer('bake', '3.0.0', 'c');
    await reason('bake', 'WaitingForBake');
    await stage.signal('bake', 'promote');
    await stage.untilPhase('bake', 'Completed', '3.0.0');
  });

  it('a deadline takes back what takes too long', async () => {
    await serving('late', { progressDeadline: '15s' });
    await stage.targetGroups('2.0.0', ['lateb'], { role: 'elsewhere' });
    const arn = stage.arns.get('lateb') ?? '';
    await stage.proxy.setTargets({ targetGroupArn: arn, state: 'unhealthy' });
    await stage.label(AWS_TARGET_GROUP, 'lateb', { role: 'late' });
    await reason('late', 'WaitingForHealth');
    const reverted = await stage.untilPhase('late', 'Reverted', '1.0.0');
    expect(reverted.blockedVersions?.[0]?.cause).toContain('exceeded its progressDeadline of 15s');
    // What has no healthy target does not stay in the rule.
    await stage.untilWeights({ latea: 100 }, priority);
    expect(await stage.writes()).toEqual([{ latea: 100 }, { latea: 100, lateb: 0 }, { latea: 100 }]);
    await stage.proxy.clearTargets(arn);
  });

  it('a lower version is swapped in at once inside the rollback window, and takes the steps outside of it', async () => {
    const strategy = (duration: string): object => ({
      updateStrategy: { canary: { steps }, rollbackWindow: { duration } },
    });
    await serving('window', strategy('1h'));
    await newer('window');
    await stage.untilPhase('window', 'Completed', '2.0.0');
    await stage.mark();
    await stage.apply(cell('window', { ...strategy('1h'), version: '1.0.0' }));
    await stage.untilPhase('window', 'Completed', '1.0.0');
    expect(await stage.writes()).toEqual([{ windowa: 100, windowb: 0 }]);
    const { history } = await stage.status('window');
    expect(history?.map(({ version, outcome }) => `${version} ${outcome}`)).toEqual([
      '1.0.0 RolledBack',
      '2.0.0 Completed',
      '1.0.0 Installed',
    ]);
    await stage.apply(cell('window', { ...strategy('1h'), version: '2.0.0' }));
    await stage.untilPhase('window', 'Completed', '2.0.0');
    await stage.mark();
    await stage.apply(cell('window', { ...strategy('0s'), version: '1.0.0' }));
    await stage.untilPhase('window', 'Completed', '1.0.0');
    expect(await stage.writes()).toEqual([
      { windowa: 20, windowb: 80 },
      { windowa: 40, windowb: 60 },
      { windowa: 100, windowb: 0 },
    ]);
  });

  it('who asked for what and why is in the status, and afterwards in the history', async () => {
    await serving('who', {}, [{ setWeight: 20 }, { pause: {} }]);
    await newer('who');
    await stage.untilStatus('who', 'paused at 20', (one) => one.phase === 'Paused');
    await stage.signal('who', 'pause', { by: 'ann', reason: 'lunch' });
    const paused = await stage.untilStatus('who', 'asked', (one) => one.requests?.length === 1);
    expect(paused.requests).toMatchObject([{ action: 'pause', by: 'ann', reason: 'lunch' }]);
    await stage.signal('who', 'resume', { by: 'bob' });
    await stage.signal('who', 'promoteFull');
    const done = await stage.untilPhase('who', 'Completed', '2.0.0');
    expect(done.requests).toBeUndefined();
    expect(done.history?.[0]).toMatchObject({ version: '2.0.0', from: '1.0.0', outcome: 'Completed' });
    expect(done.history?.[0]?.requests?.map(({ action, by }) => `${action} by ${by}`)).toEqual([
      'pause by ann',
      'resume by bob',
      'promoteFull by an operator',
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { FREEZE } from '../../clients/kubernetes/kinds.ts';
import type { CanaryStep, CellStatus } from '../../crds/cell.ts';
import { onStage } from '../support/stage/on-stage.ts';
import type { Stage } from '../support/stage/stage.ts';
import type { Weights } from '../support/stage/okra-stage.ts';
import { until } from '../support/until.ts';

/** Attaches the new version at weight 0, and gives it a fifth when someone resumes. */
const steps: readonly CanaryStep[] = [
  { setWeight: 0 },
  { pause: {} },
  { setWeight: 20 },
  { pause: {} },
  { setWeight: 40 },
];

describe('what is asked for and not served', () => {
  let stage: Stage;
  let priority = 0;
  onStage({ totals: [20, 40], prepare: (opened) => opened.apply(endless(opened)) }, (opened, free) => {
    stage = opened;
    priority = free;
  });

  const cell = (name: string, spec: object = {}): object =>
    stage.cell(name, { priority, role: name, steps, spec });
  async function serving(name: string, spec: object = {}): Promise<void> {
    await stage.targetGroups('1.0.0', [`${name}a`], { role: name });
    await stage.apply(cell(name, spec));
    await stage.untilPhase(name, 'Completed', '1.0.0');
  }
  const untilPausedAt = (name: string, weight: number): Promise<CellStatus> =>
    stage.untilStatus(
      name,
      `paused at ${weight}`,
      (status) => status.phase === 'Paused' && status.canaryWeight === weight,
    );
  /** A Cell whose new version is attached at weight 0. */
  async function attached(name: string, spec: object = {}): Promise<void> {
    await serving(name, spec);
    await stage.mark();
    await stage.targetGroups('2.0.0', [`${name}b`], { role: name });
    await untilPausedAt(name, 0);
    expect(await stage.writes()).toEqual([attachedAt0(name)]);
  }
  const attachedAt0 = (name: string): Weights => ({ [`${name}a`]: 100, [`${name}b`]: 0 });
  const listenerName = (): string => `/${stage.listenerARN.split('/')[2] ?? ''}/`;
  const fault = (what: object, action: 'ModifyRule' | 'DescribeRules' = 'ModifyRule'): Promise<string> =>
    stage.proxy.addFault({
      kind: 'throttle',
      times: 'always',
      ...what,
      match: { action, contains: listenerName() },
    });
  const untilReason = (name: string, reason: string): Promise<CellStatus> =>
    stage.untilStatus(name, reason, (status) => status.reason === reason);
  const weightsIn = (rule: { forward: { targetGroups: readonly { name: string; weight: number }[] } }) =>
    Object.fromEntries(rule.forward.targetGroups.map(({ name, weight }) => [name, weight]));
  /** What the configuration of a Cell asks for, and what its status says is served. */
  async function configured(name: string): Promise<{ asked: Weights; served: Weights }> {
    const config = await stage.config(name);
    const served = config?.status?.listener?.rule;
    if (config === undefined || served === undefined)
      throw new Error(`Expected a configuration of ${name} that is served, got none.`);
    return { asked: weightsIn(config.spec.listener.rule), served: weightsIn(served) };
  }
  /** A Cell whose write of a fifth is refused: asked for, and not served. */
  async function refusedAt20(name: string, spec: object = {}, what: object = {}): Promise<string> {
    await attached(name, spec);
    const id = await fault(what);
    await stage.signal(name, 'resume');
    await until(
      'a fifth to be asked for, and not to be served',
      async () => (await configured(name)).asked[`${name}b`] === 20,
    );
    await until('the refusal', async () =>
      (await stage.calls()).some((call) => call.action === 'ModifyRule' && call.fault !== undefined),
    );
    return id;
  }
  /** Says that configuration and load balancer have these weights, and nothing else is asked for. */
  async function expectServed(name: string, weights: Weights): Promise<void> {
    expect(await configured(name)).toEqual({ asked: weights, served: weights });
    expect(await stage.weights(priority)).toEqual(weights);
    const { targetGroups = [] } = await stage.status(name);
    expect(Object.fromEntries(targetGroups.map((group) => [group.name, group.weight]))).toEqual(weights);
  }
  /** Has everything looked at once more, so that what is left to write would be written. */
  async function lookOnceMore(name: string, spec: object = {}): Promise<void> {
    await stage.apply(cell(name, { ...spec, settle: '1s' }));
    await stage.untilAtRest(name);
  }

  const fail = (): Promise<void> => {
    stage.metrics.rate = 0.5;
    return Promise.resolve();
  };
  it.each<[string, string, object, (name: string) => Promise<unknown>, object]>([
    ['an abort', 'abort', {}, (name) => stage.signal(name, 'abort', { by: 'ann' }), {}],
    [
      'pinning what serves',
      'pin',
      {},
      (name) => stage.apply(cell(name, { version: '1.0.0' })),
      { version: '1.0.0' },
    ],
    [
      'an analysis in the background that fails',
      'bg',
      {
        updateStrategy: {
          canary: { steps, analysis: { templates: [{ templateName: 'endless' }], startingStep: 1 } },
        },
      },
      fail,
      {},
    ],
  ])('is never served after %s', async (_, name, spec, end, specAfter) => {
    const throttling = await refusedAt20(name, spec);
    await end(name);
    const outcome = name === 'pin' ? 'Completed' : 'Reverted';
    // It does not wait for the throttling either: what has to be written is served already.
    const status = await stage.untilPhase(name, outcome, '1.0.0');
    expect((status.blockedVersions ?? []).map(({ version }) => version)).toEqual(
      outcome === 'Reverted' ? ['2.0.0'] : [],
    );
    await stage.proxy.removeFault(throttling);
    await lookOnceMore(name, { ...spec, ...specAfter });
    await expectServed(name, attachedAt0(name));
    expect(await stage.writes()).toEqual([attachedAt0(name)]);
  });

  it('is never served after a newer version has superseded it', async () => {
    const throttling = await refusedAt20('newer');
    await stage.targetGroups('3.0.0', ['newerc'], { role: 'newer' });
    await stage.untilStatus('newer', 'on to 3.0.0', (status) => status.desiredVersion === '3.0.0');
    await stage.proxy.removeFault(throttling);
    const { history } = await untilPausedAt('newer', 0);
    expect(history?.[0]).toMatchObject({ version: '2.0.0', outcome: 'Withdrawn' });
    await expectServed('newer', { newera: 100, newerc: 0 });
    expect(await stage.writes()).toEqual([attachedAt0('newer'), { newera: 100, newerc: 0 }]);
  });

  it('is taken back by an abort when ELBv2 has applied it and answered 500', async () => {
    await attached('late');
    // The answer takes long enough to refuse the reads that follow, and only those: a write is preceded by one.
    await fault({ kind: 'delay', when: 'after', delayMs: 3000, times: 1 });
    await fault({ kind: 'error', when: 'after', status: 500, times: 1 });
    await stage.signal('late', 'resume');
    await until('the write', async () => (await stage.weights(priority))?.['lateb'] === 20);
    const unread = await fault({ kind: 'error', status: 500 }, 'DescribeRules');
    await untilReason('late', 'Unavailable');
    expect(await configured('late')).toEqual({
      asked: { latea: 80, lateb: 20 },
      served: { latea: 100, lateb: 0 },
    });
    expect(await stage.writes()).toEqual([attachedAt0('late'), { latea: 80, lateb: 20 }]);
    await stage.signal('late', 'abort');
    await stage.untilStatus('late', 'aborted', (status) => status.phase === 'RevertBlocked');
    await stage.proxy.removeFault(unread);
    await stage.untilPhase('late', 'Reverted', '1.0.0');
    await expectServed('late', { latea: 100, lateb: 0 });
    const [attaching, increasing, ...back] = await stage.writes();
    expect([attaching, increasing]).toEqual([attachedAt0('late'), { latea: 80, lateb: 20 }]);
    // What could not be read back is written again, since a read that shows it may be older than the fifth.
    expect(new Set(back.map((weights) => JSON.stringify(weights)))).toEqual(
      new Set([JSON.stringify({ latea: 100, lateb: 0 })]),
    );
  });

  it.each<[string, string, (name: string) => Promise<unknown>]>([
    ['of a Cell at rest', 'rest', (name) => serving(name)],
    ['in the midst of a rollout', 'midst', (name) => attached(name)],
  ])('is never served when an edit is taken back that was throttled, %s', async (_, name, prepare) => {
    await prepare(name);
    await stage.mark();
    const throttling = await fault({});
    const hosts = (...list: readonly string[]): object =>
      stage.cell(name, { role: name, steps, rule: { priority, hosts: list, forward: {} } });
    await stage.apply(hosts('elsewhere.com'));
    await untilReason(name, 'Throttled');
    await stage.apply(hosts('example.com'));
    const asked = async () => (await stage.config(name))?.spec.listener.rule.hosts;
    await until('the old hosts to be asked for', async () => (await asked())?.[0] === 'example.com');
    await stage.untilStatus(name, 'as before', ({ reason }) =>
      ['Serving', 'WaitingForResume'].includes(reason ?? ''),
    );
    await stage.proxy.removeFault(throttling);
    await stage.apply(stage.cell(name, { priority, role: name, steps, spec: { settle: '1s' } }));
    await stage.untilStatus(name, 'seen again', (status) => status.observedGeneration === 4);
    expect((await stage.rule(priority))?.Conditions?.[0]?.HostHeaderConfig?.Values).toEqual(['example.com']);
    // Where it is not throttled any more, what was served is written again, since a read that shows it may be older than the edit.
    const served = await stage.weights(priority);
    for (const written of await stage.writes()) expect(written).toEqual(served);
  });

  it('is withdrawn by a pause, and asked for again by resume', async () => {
    const throttling = await refusedAt20('pause');
    const throttled = await untilReason('pause', 'Throttled');
    expect(throttled.conditions).toContainEqual(
      expect.objectContaining({ type: 'Degraded', status: 'True', reason: 'Throttled' }),
    );
    await stage.signal('pause', 'pause', { by: 'ann', reason: 'lunch' });
    await stage.untilStatus(
      'pause',
      'paused by ann',
      ({ phase, message }) => phase === 'Paused' && (message ?? '').startsWith('Paused by ann: lunch'),
    );
    await expectServed('pause', { pausea: 100, pauseb: 0 });
    await stage.proxy.removeFault(throttling);
    await stage.apply(cell('pause', { settle: '1s' }));
    await stage.untilStatus('pause', 'seen again', (status) => status.observedGeneration === 2);
    await expectServed('pause', { pausea: 100, pauseb: 0 });
    expect(await stage.writes()).toEqual([attachedAt0('pause')]);
    await stage.signal('pause', 'resume');
    await untilPausedAt('pause', 20);
    await expectServed('pause', { pausea: 80, pauseb: 20 });
  });

  it('is withdrawn by a Freeze, and asked for again after it', async () => {
    const throttling = await refusedAt20('freeze');
    const name = `withdrawn-${stage.namespace}`;
    await stage.apply({
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'Freeze',
      metadata: { name },
      spec: { by: 'ops', reason: 'Black Friday.', namespaces: [stage.namespace] },
    });
    await untilReason('freeze', 'WaitingForFreeze');
    await expectServed('freeze', { freezea: 100, freezeb: 0 });
    await stage.proxy.removeFault(throttling);
    await stage.apply(cell('freeze', { settle: '1s' }));
    await stage.untilStatus('freeze', 'seen again', (status) => status.observedGeneration === 2);
    expect(await stage.writes()).toEqual([attachedAt0('freeze')]);
    await stage.delete(FREEZE, name);
    await untilPausedAt('freeze', 20);
  });

  it('counts for the deadline, which takes it back', async () => {
    const throttling = await refusedAt20('due');
    // Said only now, so that a slow machine has not come to it before.
    await stage.apply(cell('due', { progressDeadline: '10s' }));
    const status = await stage.untilPhase('due', 'Reverted', '1.0.0');
    expect(status.blockedVersions).toMatchObject([{ version: '2.0.0' }]);
    expect(status.blockedVersions?.[0]?.cause).toContain('exceeded its progressDeadline of 10s');
    await stage.untilTold('exceeded its progressDeadline of 10s');
    await expectServed('due', { duea: 100, dueb: 0 });
    await stage.proxy.removeFault(throttling);
    await lookOnceMore('due', { progressDeadline: '10s' });
    expect(await stage.writes()).toEqual([attachedAt0('due')]);
  });

  it('is told with the credentials that have expired, and comes when they are renewed', async () => {
    const expired = { kind: 'error', status: 403, code: 'ExpiredToken' };
    const refusing = await refusedAt20('denied', {}, expired);
    const denied = await untilReason('denied', 'AccessDenied');
    expect(denied.conditions).toContainEqual(
      expect.objectContaining({ type: 'Degraded', status: 'True', reason: 'AccessDenied' }),
    );
    await stage.signal('denied', 'pause');
    await stage.untilStatus('denied', 'paused', ({ phase }) => phase === 'Paused');
    await expectServed('denied', { denieda: 100, deniedb: 0 });
    await stage.proxy.removeFault(refusing);
    await stage.signal('denied', 'resume');
    await untilPausedAt('denied', 20);
  });

  it('waits for no look at targets that hangs, and shows nothing of it', async () => {
    await attached('hang');
    const hanging = await stage.proxy.addFault({
      kind: 'delay',
      delayMs: 20_000,
      times: 'always',
      match: { action: 'DescribeTargetHealth', contains: stage.arns.get('hangb') ?? '' },
    });
    await stage.signal('hang', 'resume');
    await until('the look', async () =>
      (await stage.proxy.faults()).some(({ id, hits }) => id === hanging && hits > 0),
    );
    await stage.signal('hang', 'pause', { by: 'ann' });
    const paused = await untilReason('hang', 'WaitingForResume');
    expect(paused.conditions).toContainEqual(
      expect.objectContaining({ type: 'Degraded', status: 'False', reason: 'AsExpected' }),
    );
    await stage.proxy.removeFault(hanging);
    await stage.signal('hang', 'resume');
    await untilPausedAt('hang', 20);
  });
});

/** An AnalysisTemplate that measures until it is ended. */
const endless = (stage: Stage): object => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AnalysisTemplate',
  metadata: { name: 'endless' },
  spec: {
    metrics: [
      {
        name: 'rate',
        interval: '1s',
        consecutiveErrorLimit: 60,
        successCondition: 'result >= 0.95',
        provider: { web: { url: stage.metrics.url, jsonPath: '{$.rate}' } },
      },
    ],
  },
});

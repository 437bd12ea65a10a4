import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { okractl as programOver } from '../../cli/okractl/program.ts';
import { sessions } from '../../cli/okractl/session.ts';
import { withoutTerminal } from '../../cli/okractl/shell.ts';
import { ANALYSIS_RUN } from '../../clients/kubernetes/kinds.ts';
import type { CellStatus } from '../../crds/cell.ts';
import type { CellPlan } from '../../domain/plan/plan.ts';
import type { WeightedTargetGroup } from '../../domain/model/target-group.ts';
import { runHere, type Ended } from '../support/command-here.ts';
import { onStage } from '../support/stage/on-stage.ts';
import { peopleOn, type StagePerson } from '../support/stage/people.ts';
import type { Stage } from '../support/stage/stage.ts';
import { unreadable } from '../support/temporal/unreadable.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);

describe('an operator with okractl', () => {
  let stage: Stage;
  let priority = 0;
  onStage({ totals: [20, 40] }, (opened, free) => {
    stage = opened;
    priority = free;
  });
  const { open, close } = sessions();
  let dir = '';
  beforeAll(async () => {
    // It has access to Kubernetes and Temporal alone.
    for (const name of Object.keys(process.env).filter((one) => one.startsWith('AWS_')))
      vi.stubEnv(name, undefined);
    for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(name, '/dev/null');
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    dir = await mkdtemp(join(tmpdir(), 'okra-people-'));
  });
  afterAll(async () => {
    await close();
    await rm(dir, { recursive: true });
    vi.unstubAllEnvs();
  });

  const okractl = (...words: readonly string[]): Promise<Ended> =>
    okractlBy({ kubeconfig: stage.stack.kubeconfig }, ...words);

  function okractlBy(
    { kubeconfig }: Pick<StagePerson, 'kubeconfig'>,
    ...words: readonly string[]
  ): Promise<Ended> {
    const { temporal } = stage.stack;
    const where = ['-n', stage.namespace, '--kubeconfig', kubeconfig, '--temporal-address', temporal.address];
    return runHere(
      (shell) => programOver({ ...shell, ...withoutTerminal, session: open }, '0.0.0'),
      [...words, ...where],
    );
  }
  const done = async (...words: readonly string[]): Promise<string> => {
    const { code, out, err } = await okractl(...words);
    expect([code, err]).toEqual([0, '']);
    return out;
  };
  const pausedAt = (weight: number): Promise<CellStatus> =>
    stage.untilStatus(
      'web',
      `paused at ${weight}`,
      ({ phase, canaryWeight }) => phase === 'Paused' && canaryWeight === weight,
    );
  const inPlan = (plan: string): readonly Record<string, number>[] => {
    const [{ plan: only }] = JSON.parse(plan) as [{ plan: CellPlan }];
    const byName = (groups: readonly WeightedTargetGroup[]) =>
      Object.fromEntries(groups.map(({ name, weight }) => [name, weight]));
    return (only.parts[0]?.ahead.events ?? []).flatMap(({ weights }) =>
      weights === undefined ? [] : [byName(weights)],
    );
  };

  /** Has people with some verbs alone try others, and leaves the rollout at its pause; answers what was asked for. */
  async function onlyAsKubernetesLets(): Promise<readonly string[]> {
    const [reader, pauser] = await peopleOn(stage, dir, [
      { name: 'reader', verbs: ['get'] },
      { name: 'pauser', verbs: ['get', 'pause', 'resume'] },
    ]);
    if (reader === undefined || pauser === undefined) throw new Error('Expected two people.');
    const told = (who: StagePerson, verb: string) => ({
      code: 3,
      out: '',
      err: expect.stringContaining(
        `Kubernetes does not let ${who.name} ${verb} Cell ${stage.namespace}/web`,
      ) as unknown,
    });
    expect(await okractlBy(reader, 'pause', 'web')).toMatchObject(told(reader, 'pause'));
    expect(await okractlBy(pauser, 'abort', 'web')).toMatchObject(told(pauser, 'abort'));
    expect(await okractlBy(pauser, 'promote', '--full', '--yes', 'web')).toMatchObject(
      told(pauser, 'promotefull'),
    );
    expect(await okractlBy(pauser, 'rollback', 'web', '--to', '1.0.0')).toMatchObject(told(pauser, 'patch'));
    expect((await okractlBy(pauser, 'check')).out).toContain(
      'requests that you may send to a Cell: pause, resume; not promote',
    );
    expect(await okractlBy(pauser, 'pause', 'web', '--reason', 'lunch')).toMatchObject({ code: 0, err: '' });
    expect(await okractlBy(pauser, 'resume', 'web')).toMatchObject({ code: 0, err: '' });
    return [`pause by ${pauser.name}: lunch`, `resume by ${pauser.name}: `];
  }

  it('A-L07 plans a rollout, looks at it, steps in, and reads who has asked for what', async () => {
    const steps = [{ setWeight: 20 }, { pause: {} }, { setWeight: 40 }, { pause: {} }];
    await stage.targetGroups('1.0.0', ['a']);
    const updateStrategy = { type: 'Canary', canary: { steps }, detachAfter: '0s' };
    await stage.apply(stage.cell('web', { priority, spec: { updateStrategy } }));
    await stage.untilPhase('web', 'Completed', '1.0.0');

    await done('freeze', stage.namespace, '--reason', 'to look at the plan first');
    await stage.targetGroups('2.0.0', ['b']);
    await stage.untilStatus('web', 'held', ({ reason }) => reason === 'WaitingForFreeze');
    const planned = inPlan(await done('plan', 'web', '-o', 'json'));
    await stage.mark();
    await done('unfreeze', stage.namespace);

    await pausedAt(20);
    const program = join(import.meta.dirname, '../../cli/okractl.ts');
    const env = { ...process.env, ...stage.stack.environment };
    const { stdout } = await run(process.execPath, [program, 'get', '-n', stage.namespace], { env });
    expect(stdout).toMatch(/^web +Paused +2\/4 +20 +1\.0\.0 +2\.0\.0 /m);
    const description = await done('describe', 'web');
    expect(description).toMatch(/^ {2}b +2\.0\.0 +Canary +20 +20 +(-|1\/1)$/m);
    expect(description).toMatch(/WeightsShifted +Set the weight of 2\.0\.0 to 20/);
    expect(description).toContain(`okractl resume web -n ${stage.namespace}`);
    const paused = await onlyAsKubernetesLets();
    expect(await done('resume', 'web', '--reason', 'looks fine')).toBe('The rollout of 2.0.0 continues.\n');
    await pausedAt(40);
    expect((await stage.writes()).slice(0, 3)).toEqual(planned.slice(0, 3));

    expect(await done('abort', 'web', '--reason', 'errors')).toContain('all traffic shifts back to 1.0.0');
    await stage.untilPhase('web', 'Reverted', '1.0.0');
    await stage.untilClosed(stage.workflowId('web'));
    expect(await okractl('abort', 'web')).toMatchObject({
      code: 3,
      err: expect.stringContaining('has no running rollout (Reverted') as unknown,
    });
    // The run is closed; on which task queue the next one belongs, Temporal remembers.
    expect(await done('retry', 'web')).toBe('Retrying 2.0.0.\n');
    await pausedAt(20);
    const watching = okractl('watch', 'web', '--until-settled');
    await done('promote', '--full', '--yes', 'web');
    const watched = await watching;
    expect(watched).toMatchObject({ code: 0, err: '' });
    expect(watched.out).toMatch(/Completed: 2\.0\.0 serves all traffic\.\n$/);

    const { changes } = JSON.parse(await done('history', 'web', '-o', 'json')) as {
      changes: NonNullable<CellStatus['history']>;
    };
    const asked = changes.map(({ outcome, requests = [] }) => [
      outcome,
      ...requests.map(({ action, by, reason }) => `${action} by ${by}: ${reason}`),
    ]);
    expect(asked).toEqual([
      ['Completed', 'retry by admin: ', 'promoteFull by admin: '],
      ['Reverted', ...paused, 'resume by admin: looks fine', 'abort by admin: errors'],
      ['Installed'],
    ]);
    // What the end of the rollout has left to do is not to be taken for that of another test.
    await stage.untilStatus(
      'web',
      'without the old one',
      ({ targetGroups = [] }) => targetGroups.length === 1,
    );
  });

  it('holds a rollout until two people of a group have approved whom Kubernetes lets', async () => {
    const own = `system:serviceaccounts:${stage.namespace}`;
    const [ann, bob, cleo, dan] = await peopleOn(stage, dir, [
      { name: 'ann', verbs: ['get', 'approve'] },
      { name: 'bob', verbs: ['get', 'approve'] },
      { name: 'cleo', verbs: ['get', 'approve'], namespace: 'default' },
      { name: 'dan', verbs: ['get', 'promote'] },
    ]);
    if (ann === undefined || bob === undefined || cleo === undefined || dan === undefined)
      throw new Error('Expected four people.');
    const steps = [{ setWeight: 20 }, { approval: { groups: [own], count: 2 } }];
    const labels = { role: 'approved' };
    await stage.targetGroups('1.0.0', ['c'], labels);
    const updateStrategy = { type: 'Canary', canary: { steps }, detachAfter: '0s' };
    await stage.apply(stage.cell('approved', { priority, role: 'approved', spec: { updateStrategy } }));
    await stage.untilPhase('approved', 'Completed', '1.0.0');
    await stage.targetGroups('2.0.0', ['d'], labels);
    const waiting = (lacking: number) =>
      stage.untilStatus(
        'approved',
        `${lacking} approvals lacking`,
        ({ reason, approval }) => reason === 'WaitingForApproval' && approval?.lacking === lacking,
      );
    await waiting(2);

    const because = ['--reason', 'looks fine'] as const;
    expect(await okractlBy(ann, 'approve', 'approved', ...because)).toEqual({
      code: 0,
      out: `Approved by ${ann.name} for step 2 of 2.0.0: looks fine (1 of 2). Missing: 1.\n`,
      err: '',
    });
    const refusals: readonly [Promise<Ended>, string][] = [
      [okractlBy(ann, 'approve', 'approved'), 'has already approved (1 of 2)'],
      [okractlBy(bob, 'approve', 'approved', '--of', 'v3'), 'cannot approve 3.0.0: the rollout is of 2.0.0'],
      [okractlBy(cleo, 'approve', 'approved'), `${cleo.name} cannot approve`],
      [okractlBy(dan, 'approve', 'approved'), `Kubernetes does not let ${dan.name} approve Cell`],
      [okractlBy(dan, 'promote', 'approved'), 'An approval step cannot be promoted'],
    ];
    for (const [ended, said] of refusals)
      expect(await ended).toMatchObject({ code: 3, err: expect.stringContaining(said) as unknown });
    // What is sent without okractl counts no more: without an identity, or with one whom Kubernetes does not let.
    const id = stage.workflowId('approved');
    await stage.signal('approved', 'approve');
    const operator = await open({
      kubeconfig: stage.stack.kubeconfig,
      temporalAddress: stage.stack.temporal.address,
    }).operator();
    const claimed = { by: dan.name, groups: [own, 'system:masters'], reason: '' };
    expect(await operator.ask(id, 'approve', claimed)).toMatchObject({
      is: 'Refused',
      message: expect.stringContaining('Kubernetes does not let') as unknown,
    });
    expect((await waiting(1)).approval?.approvals).toMatchObject([{ by: ann.name, reason: 'looks fine' }]);
    const described = await done('describe', 'approved');
    expect(described).toContain(`Approved by ${ann.name}: looks fine`);
    expect(described).toMatch(/ApprovalRefused +The approval lacks/);

    expect((await okractlBy(bob, 'approve', 'approved', '--of', '2.0')).out).toContain(
      '(2 of 2). The rollout continues.',
    );
    const { history = [] } = await stage.untilPhase('approved', 'Completed', '2.0.0');
    expect(history[0]?.requests?.map(({ action, by }) => `${action} by ${by}`)).toEqual([
      `approve by ${ann.name}`,
      `approve by ${bob.name}`,
    ]);
    await stage.untilClosed(id);
  });

  it('leaves an abort with Temporal while the tasks of its workflow fail, and does not repeat a promote', async () => {
    const workflowId = stage.workflowId('broken');
    await stage.apply(stage.cell('broken', { priority, role: 'broken' }));
    await stage.untilPhase('broken', 'Waiting');
    await stage.untilClosed(workflowId);
    const started = { workflowId, taskQueue: stage.namespace, signal: 'changed', input: unreadable };
    await stage.desk.signalWithStart('cellRollout', started);
    const { runId } = await stage.desk.run(workflowId);
    // From then on Temporal takes no update.
    const isTriedAgain = async () => (await stage.desk.taskAttempt(workflowId)) >= 3;
    await until('the workflow task to be tried a third time', isTriedAgain);
    const failing =
      'request: Unable to perform workflow execution update due to Workflow Task in failed state';
    const promoted = await okractl('promote', 'broken');
    expect([promoted.code, promoted.err]).toEqual([1, expect.stringContaining(failing)]);
    expect(promoted.err).toContain('may or may not have been accepted');
    const { code, err } = await okractl('abort', 'broken', '--reason', 'outage');
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('It was sent as a signal, which Temporal keeps'),
    ]);
    expect(err).toContain(failing);
    const kept = (): Promise<string> => stage.desk.history(workflowId, runId);
    // Temporal writes a signal down when the workflow task that was under way has ended.
    await until('the abort to be kept', async () => (await kept()).includes('"signalName": "abort"'));
    expect(await kept()).not.toContain('promote');
    // The run that takes its place has the abort as well.
    await stage.untilTold('WorkflowStuck');
    const next = await until('the next run to complete', async () => {
      const last = await stage.desk.run(workflowId);
      return last.status === 'COMPLETED' && last;
    });
    expect(await stage.desk.history(workflowId, next.runId)).toContain('"signalName": "abort"');
  });

  it('A-L09 waits for the verdict of an analysis, and A-L07 looks whether all is there, without AWS', async () => {
    const words = ['--template-name', 'success-rate', '--args', 'service-name=foo', '--wait'];
    expect(await done('run', 'analysis', 'good', ...words)).toBe('AnalysisRun good is Successful.\n');
    // It measures until it is judged.
    stage.metrics.rate = undefined;
    await done('create', 'analysisrun', 'judged', ...words.slice(0, -1));
    await done('update', 'analysisrun', 'judged', '--phase', 'failed', '--message', 'looks bad');
    const judged = await stage.kubernetes.get(ANALYSIS_RUN, { namespace: stage.namespace, name: 'judged' });
    expect(judged).toMatchObject({ status: { phase: 'Failed', message: 'looks bad' } });
    const { out } = await okractl('check');
    expect(out).toMatch(/^ok +Kubernetes answers; you are admin$/m);
    expect(out).toMatch(/^ok +(\d+) of \1 CRDs match this okractl$/m);
    expect(out).toMatch(/^ok +the search attributes are registered$/m);
    expect(out).not.toContain('aws');
  });
});

import { describe, expect, it } from 'vitest';
import type { CellSpec, CellStatus } from '../../crds/cell.ts';
import { aCell, arnOf, aTargetGroup, paused } from './testing/objects.ts';
import { runOkractl, type FakeObject, type FakeWorld } from './testing/shell.ts';

const blocked: CellStatus = {
  phase: 'Reverted',
  message: '1.0.0 serves. 2.0.0 is blocked.',
  stableVersion: '1.0.0',
  blockedVersions: [{ version: '2.0.0', cause: 'Aborted by ann.', time: '2026-11-22T09:00:00Z' }],
};

describe('get', () => {
  it('shows Cells with the columns of kubectl, and what each waits for', async () => {
    const { out, code } = await runOkractl(['get'], { objects: [aCell(paused)] });
    expect(code).toBe(0);
    const [headings, row] = out.split('\n');
    expect(headings).toMatch(/^NAME +PHASE +STEP +CANARY +STABLE +DESIRED +HEALTHY +AGE +MESSAGE$/);
    expect(row).toMatch(/^web +Paused +2\/3 +20 +1\.0\.0 +2\.0\.0 +- +- +Waiting for resume/);
  });

  it.each([
    ['a Cell that is not there', ['get', 'gone'], 1, /Cell gone not found in namespace default/],
    ['a kind that is not known', ['get', 'pod/x'], 2, /invalid name "pod\/x": must be KIND\/NAME/],
    [
      'more than a kind and a name',
      ['get', 'cell/web/b'],
      2,
      /invalid name "cell\/web\/b": must be KIND\/NAME/,
    ],
    ['another format', ['get', '-o', 'xml'], 2, /Allowed choices are json, yaml, wide, name/],
    ['no command', ['gets'], 2, /unknown command 'gets'/],
  ])('says what is wrong with %s', async (_, words, code, said) => {
    const outcome = await runOkractl(words);
    expect(outcome.code).toBe(code);
    expect(outcome.err).toMatch(said);
  });

  it('writes an object for programs, without what only the API server reads', async () => {
    const cell = { ...aCell(paused), metadata: { name: 'web', namespace: 'default', managedFields: [] } };
    const { out } = await runOkractl(['get', 'cell', 'web', '-o', 'json'], { objects: [cell] });
    expect(JSON.parse(out)).toEqual(aCell(paused));
  });
});

describe('a request', () => {
  it.each([
    [
      ['pause', 'web', '--reason', 'lunch'],
      { ask: 'pause', workflowId: 'cell/default/web', reason: 'lunch' },
    ],
    [['resume', 'cell/web', '-n', 'shop'], { ask: 'resume', workflowId: 'cell/shop/web', reason: '' }],
    [['promote', 'web'], { ask: 'promote', workflowId: 'cell/default/web', reason: '' }],
    [
      ['promote', '--full', '--yes', 'web'],
      { ask: 'promoteFull', workflowId: 'cell/default/web', reason: '' },
    ],
    [['abort', 'sbp/nginx'], { ask: 'abort', workflowId: 'staged-binding-policy/nginx', reason: '' }],
    [
      ['rollback', 'sbp/nginx', '--to', 'dev'],
      { ask: 'abort', workflowId: 'staged-binding-policy/nginx', reason: '', to: 'dev' },
    ],
  ])('%j is sent in the name that Kubernetes knows', async (words, sent) => {
    const { done, out, code } = await runOkractl(words);
    expect(done).toEqual([{ ...sent, by: 'ann' }]);
    expect([code, out]).toEqual([0, 'Done.\n']);
  });

  const others = { is: 'Others', isOpen: true, retentionMs: 259_200_000 } as const;
  describe.each<[string, readonly FakeObject[]]>([
    ['has a status of another run', [aCell(paused)]],
    ['was looked at by nobody', [aCell()]],
    ['is not there', []],
  ])('about a Cell that %s than those that Temporal knows of its workflow', (_, objects) => {
    it.each([['abort'], ['pause'], ['promote'], ['retry'], ['approve']])('is not sent: %s', async (name) => {
      const { code, done } = await runOkractl([name, 'web'], { objects, knownRuns: others });
      expect([code, done]).toEqual([1, []]);
    });
  });

  it('is not sent to the Temporal of another installation, and says which one that is', async () => {
    const words = ['abort', 'web', '--context', 'other'];
    const { err } = await runOkractl(words, { objects: [aCell(paused)], knownRuns: others });
    expect(err).toMatch(
      /Temporal at 127.0.0.1:7233, namespace default, does not know the run .* Cell default\/web/,
    );
    expect(err).toContain('Set TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE');
  });

  it.each([
    ['is older than what Temporal remembers', 4, false, 1],
    ['is younger', 2, false, 0],
    ['is older, while a run is open', 4, true, 0],
  ])('to try again what has failed in a status that %s', async (_, days, isOpen, sent) => {
    const lastSyncTime = new Date(Date.now() - days * 86_400_000).toISOString();
    const objects = [aCell({ phase: 'Reverted', lastSyncTime, writer: { runId: 'gone', activity: 1 } })];
    const { done } = await runOkractl(['retry', 'web'], { objects, knownRuns: { ...others, isOpen } });
    expect(done).toHaveLength(sent);
  });

  it('is sent where Temporal has lost all runs, so that a retry can start one', async () => {
    const world = {
      objects: [aCell(paused)],
      knownRuns: { is: 'None' },
      answer: { is: 'NotRunning' },
    } as const;
    expect((await runOkractl(['retry', 'web'], world)).done).toMatchObject([
      { ask: 'retry' },
      { signal: 'retry' },
    ]);
  });

  it.each([
    [['pause', 'web'], 'pause Cell default/web'],
    [['promote', '--full', '--yes', 'web', '-n', 'shop'], 'promotefull Cell shop/web'],
    [['abort', 'sbp/nginx'], 'abort StagedBindingPolicy nginx'],
    [['rollback', 'sbp/nginx', '--to', 'dev'], 'abort StagedBindingPolicy nginx'],
    [['rollback', 'web', '--to', '1.0.0'], 'patch Cell default/web'],
    [['freeze', '--reason', 'x'], 'create freezes'],
    [['unfreeze', 'busy'], 'delete Freeze busy'],
  ])('%j that Kubernetes does not let the person make is not sent', async (words, what) => {
    const busy = { apiVersion: 'okra.mumo.co/v1alpha1', kind: 'Freeze', metadata: { name: 'busy' } };
    const { err, code, done } = await runOkractl(words, { objects: [busy], allowed: () => false });
    expect([code, done]).toEqual([3, []]);
    expect(err).toContain(`Kubernetes does not let ann ${what}`);
  });

  it('is asked about with its own verb alone', async () => {
    const allowed = ({ verb, name }: { verb: string; name?: string | undefined }) =>
      verb === 'pause' && name === 'web';
    expect(await runOkractl(['pause', 'web'], { allowed })).toMatchObject({ code: 0 });
    expect(await runOkractl(['pause', 'api'], { allowed })).toMatchObject({ code: 3, done: [] });
    expect(await runOkractl(['abort', 'web'], { allowed })).toMatchObject({ code: 3, done: [] });
  });

  it.each(['constructor/web', 'toString/web', 'pod/web'])(
    'to %s, which is of another kind, is bad usage',
    async (name) => {
      const { err, code, done } = await runOkractl(['pause', name]);
      expect([code, done]).toEqual([2, []]);
      expect(err).toContain(`invalid name "${name}": must be a Cell`);
    },
  );

  it('that is refused ends with 3, and says why', async () => {
    const message = 'The rollout is not paused.';
    const { err, code } = await runOkractl(['resume', 'web'], { answer: { is: 'Refused', message } });
    expect([code, err]).toEqual([3, `okractl: ${message}\n`]);
  });

  it('of a settled Cell says how the Cell stands', async () => {
    const status = { phase: 'Completed', message: '1.0.0 serves.' } as const;
    const world = { objects: [aCell(status)], answer: { is: 'NotRunning' } } as const;
    const { err, code } = await runOkractl(['abort', 'web'], world);
    expect(code).toBe(3);
    expect(err).toContain('Cell default/web has no running rollout (Completed: 1.0.0 serves).');
  });

  it('of a Cell that is not there ends with 1', async () => {
    const { err, code } = await runOkractl(['abort', 'web'], { answer: { is: 'NotRunning' } });
    expect([code, err]).toEqual([1, 'okractl: Cell default/web not found. See okractl get cells -A.\n']);
  });

  it('to retry a settled Cell starts its workflow', async () => {
    const world = {
      objects: [aCell(blocked)],
      afterwards: [aCell()],
      answer: { is: 'NotRunning' },
    } as const;
    const { done, out, code } = await runOkractl(['retry', 'web', '--reason', 'fixed'], world);
    expect(done.at(-1)).toEqual({
      start: 'cellRollout',
      workflowId: 'cell/default/web',
      signal: 'retry',
      by: 'ann',
      reason: 'fixed',
    });
    expect([code, out]).toEqual([0, 'Retrying 2.0.0.\n']);
  });

  it('to retry tries applications again that have failed', async () => {
    const failed = {
      revision: 1,
      hash: 'h',
      phase: 'CheckFailed',
      reason: 'x',
      message: 'm',
      time: '',
    } as const;
    const status = { applications: [{ name: 'api', phase: 'CheckFailed', failed } as const] };
    const world = {
      objects: [aCell(status)],
      afterwards: [aCell()],
      answer: { is: 'NotRunning' },
    } as const;
    expect(await runOkractl(['retry', 'web'], world)).toMatchObject({
      code: 0,
      out: 'Retrying api.\n',
    });
  });

  it('to retry is refused when nothing is blocked', async () => {
    const world = { objects: [aCell({ phase: 'Completed' })], answer: { is: 'NotRunning' } } as const;
    const { done, code } = await runOkractl(['retry', 'web'], world);
    expect(code).toBe(3);
    expect(done).toHaveLength(1);
  });

  it('to abort that no worker answers is left with Temporal as a signal, and to promote is not', async () => {
    const world = { answer: { is: 'Unanswered', message: 'no answer in time' } } as const;
    const aborted = await runOkractl(['abort', 'web'], world);
    expect(aborted.done.map((one) => Object.keys(one as object)[0])).toEqual(['ask', 'tell']);
    expect(aborted.err).toContain('which Temporal keeps until a worker carries it out');
    const promoted = await runOkractl(['promote', 'web'], world);
    expect(promoted.done).toHaveLength(1);
    expect([aborted.code, promoted.code]).toEqual([1, 1]);
  });

  const taking = {
    ending: { kind: 'Failed', reason: 'x', message: '', time: '2026-11-22T09:58:00Z' },
  } as const;
  it.each<[string, CellStatus, string]>([
    ['has it taken up first', paused, 'Start one with okractl retry web -n default'],
    [
      'that is being taken back has that finished',
      { ...paused, rollout: { ...paused.rollout!, ...taking } },
      'use okractl rollback web -n default --to 1.0.0',
    ],
  ])('to abort a rollout without a workflow %s', async (_, status, todo) => {
    const world = { objects: [aCell(status)], answer: { is: 'NotRunning' } } as const;
    const { err, code } = await runOkractl(['abort', 'web'], world);
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('No workflow runs the rollout of Cell default/web'),
    ]);
    expect(err).toContain(todo);
    expect(err).not.toContain('freeze');
  });

  it('to retry starts a workflow for a rollout that has none', async () => {
    const world = { objects: [aCell(paused)], answer: { is: 'NotRunning' } } as const;
    const { done, out, code } = await runOkractl(['retry', 'web'], world);
    expect([code, out]).toEqual([0, 'Retrying the rollout.\n']);
    expect(done.at(-1)).toMatchObject({ start: 'cellRollout', signal: 'retry' });
  });

  it.each(['abort', 'pause'])('to %s that no run was left to keep says how the Cell stands', async (name) => {
    const objects = [aCell({ phase: 'Reverted', message: '1.0.0 serves.' })];
    const world = {
      answer: { is: 'Unanswered', message: 'no answer in time' },
      isClosed: true,
      objects,
    } as const;
    const { err, code } = await runOkractl([name, 'web'], world);
    expect([code, err]).toEqual([
      3,
      expect.stringContaining('has no running rollout (Reverted: 1.0.0 serves).'),
    ]);
    expect(err).not.toContain('signal');
  });

  it('to abort a StagedBindingPolicy is sent again with the stage that it is of, and not where nobody knows', async () => {
    const policy = {
      apiVersion: 'community.kubestellar.io/v1alpha1',
      kind: 'StagedBindingPolicy',
      metadata: { name: 'nginx' },
      status: { activeStage: 'prod' },
    };
    const answer = { is: 'Unanswered', message: 'no answer in time' } as const;
    const known = await runOkractl(['abort', 'sbp/nginx'], { answer, objects: [policy] });
    expect(known.done).toMatchObject([
      { ask: 'abort', reason: '' },
      { tell: 'abort', stage: 'prod' },
    ]);
    expect(known.done[0]).not.toHaveProperty('stage');
    const unknown = await runOkractl(['abort', 'sbp/nginx'], { answer });
    expect(unknown.done).toMatchObject([{ ask: 'abort' }]);
    expect(unknown.err).toContain('may or may not have been accepted');
    const back = await runOkractl(['rollback', 'sbp/nginx', '--to', 'dev'], { answer, objects: [policy] });
    expect(back.done).toMatchObject([
      { ask: 'abort', to: 'dev' },
      { tell: 'abort', to: 'dev', stage: 'prod' },
    ]);
  });
});

describe('approve', () => {
  it('is sent in the name and with the groups that Kubernetes knows', async () => {
    const { done, code } = await runOkractl(['approve', 'web', '--of', '2.0.0', '--reason', 'looks fine']);
    expect([code, done]).toEqual([
      0,
      [
        {
          ask: 'approve',
          workflowId: 'cell/default/web',
          by: 'ann',
          groups: ['release', 'system:authenticated'],
          reason: 'looks fine',
          version: '2.0.0',
        },
      ],
    ]);
  });

  it.each<[string, readonly string[], FakeWorld, number, string]>([
    ['without the verb', ['approve', 'web'], { allowed: () => false }, 3, 'the ClusterRole okra-approver'],
    ['of a StagedBindingPolicy', ['approve', 'sbp/nginx'], {}, 2, 'must be a Cell'],
    [
      'that no worker answers',
      ['approve', 'web'],
      { answer: { is: 'Unanswered', message: 'no answer in time' } },
      1,
      'may or may not have been accepted',
    ],
  ])('is not sent, or not again, %s', async (_, words, world, code, said) => {
    const outcome = await runOkractl(words, world);
    expect([outcome.code, outcome.done.length]).toEqual([code, world.answer === undefined ? 0 : 1]);
    expect(outcome.err).toContain(said);
  });
});

describe('rollback', () => {
  const objects = [
    aCell({ ...blocked, stableVersion: '2.0.0' }),
    aTargetGroup('web-a', '1.0.0'),
    aTargetGroup('web-b', '2.0.0'),
    aTargetGroup('web-c', '3.0.0'),
  ];

  it('pins the Cell to the version, with who asked for it and why', async () => {
    const { done, code } = await runOkractl(['rollback', 'web', '--to', 'v1', '--reason', 'errors'], {
      objects,
    });
    expect(code).toBe(0);
    expect(done).toMatchObject([
      {
        patch: {
          metadata: {
            annotations: { 'kubernetes.io/change-cause': 'okractl rollback --to v1 by ann: errors' },
          },
          spec: { version: 'v1' },
        },
      },
    ]);
  });

  it('is refused for the Cell of an application, whose parent would take the pin out again', async () => {
    const [cell = aCell(), ...groups] = objects;
    const parent = { apiVersion: cell.apiVersion, kind: 'Cell', name: 'system', uid: 'p', controller: true };
    const child = { ...cell, metadata: { ...cell.metadata, ownerReferences: [parent] } };
    const { done, code, err } = await runOkractl(['rollback', 'web', '--to', '1.0.0'], {
      objects: [child, ...groups],
    });
    expect([code, done]).toEqual([3, []]);
    expect(err).toContain('Cell system writes its version');
    expect(err).toContain('okractl abort system');
  });

  it('is refused for a Cell with applications, which serves no version of its own', async () => {
    const cell = { ...aCell(), spec: { clusters: [], applications: [{ name: 'api' }] } };
    const { done, code, err } = await runOkractl(['rollback', 'web', '--to', '1.0.0'], { objects: [cell] });
    expect([code, done]).toEqual([3, []]);
    expect(err).toContain('a Cell with applications has no version of its own');
  });

  const replaced = (from: string, endedAt: string): CellStatus => ({
    stableVersion: '2.0.0',
    history: [{ version: '2.0.0', from, outcome: 'Completed', message: 'm', startedAt: endedAt, endedAt }],
  });
  const updateStrategy = {
    type: 'Canary' as const,
    canary: { steps: [{ setWeight: 20 }, { pause: {} }] },
    rollbackWindow: { duration: '1h' },
  };
  const BY_STEPS = 'pinned to 1.0.0, which is rolled out step by step, like a new version';
  const AT_ONCE = 'pinned to 1.0.0, which gets all traffic at once';
  it.each<[string, CellStatus, readonly string[]]>([
    ['at once inside of rollbackWindow', replaced('1.0.0', '2026-11-22T09:30:00Z'), [AT_ONCE]],
    [
      'by steps when rollbackWindow is over, and how to have it at once',
      replaced('1.0.0', '2026-11-21T10:00:00Z'),
      [
        BY_STEPS,
        'rollbackWindow of 1h is over: the version was replaced at 2026-11-21T10:00:00.000Z.',
        'okractl promote web --full --of 1.0.0 -n default',
      ],
    ],
    [
      'by steps when nobody remembers that it served',
      replaced('1.5.0', '2026-11-22T09:30:00Z'),
      [BY_STEPS, 'status.history does not show when this one was'],
    ],
    [
      'at once when it serves still, and only its rollout is taken back',
      { ...paused, stableVersion: '1.0.0' },
      [AT_ONCE],
    ],
  ])('says that the version comes %s', async (_, status, said) => {
    const [, ...groups] = objects;
    const cell = aCell(status, { updateStrategy });
    const { out, code } = await runOkractl(['rollback', 'web', '--to', '1.0.0'], {
      objects: [cell, ...groups],
    });
    expect(code).toBe(0);
    for (const text of said) expect(out).toContain(text);
    expect(out.includes(BY_STEPS)).toBe(said.includes(BY_STEPS));
  });

  it.each([
    [
      'a version without target groups',
      '1.5.0',
      /got 0\. Versions with enough target groups: 2\.0\.0, 1\.0\.0/,
    ],
    ['a newer version', '3.0.0', /newer than the stable version 2\.0\.0/],
    ['what is no version', 'latest', /invalid --to "latest": must be a version such as 1\.2\.3/],
  ])('refuses %s', async (_, to, said) => {
    const { done, code, err } = await runOkractl(['rollback', 'web', '--to', to], { objects });
    expect([code, done]).toEqual([3, []]);
    expect(err).toMatch(said);
  });

  const ofSix = ['a1', 'a2', 'a3', 'b1', 'b2', 'b3'].map((name) =>
    aTargetGroup(name, name.startsWith('a') ? '1.0.0' : '2.0.0'),
  );
  const stable = ['b1', 'b2', 'b3'].map((name) => ({
    name,
    arn: arnOf(name),
    version: '2.0.0',
    role: 'Stable' as const,
    weight: 33,
  }));
  it.each<[string, CellStatus, Partial<CellSpec>, readonly FakeObject[], RegExp]>([
    [
      'has failed while the Cell was pinned to it',
      {
        stableVersion: '2.0.0',
        blockedVersions: [{ version: '1.0.0', cause: 'Errors.', time: '2026-11-22T09:00:00Z', pinned: true }],
      },
      { version: 'v1' },
      objects.slice(1),
      /1\.0\.0: it failed while the Cell was pinned to it: Errors\. To retry it: okractl retry web -n default/,
    ],
    [
      'has more target groups together with the one that serves than a rule takes',
      { stableVersion: '2.0.0', targetGroups: stable },
      {},
      ofSix,
      /expected at most 5 target groups of 2\.0\.0 and 1\.0\.0 together, got 6\./,
    ],
  ])('refuses a version that %s, of which nothing would come', async (_, status, spec, groups, said) => {
    const world = { objects: [aCell(status, spec), ...groups] };
    const { done, code, err } = await runOkractl(['rollback', 'web', '--to', '1.0.0'], world);
    expect([code, done]).toEqual([3, []]);
    expect(err).toMatch(said);
  });

  it('counts a target group once that serves, and claims the version by now', async () => {
    const groups = ofSix.map((group, index) =>
      index < 3 ? aTargetGroup(`b${index + 1}`, index < 2 ? '2.0.0' : '1.0.0') : group,
    );
    const world = {
      objects: [
        aCell({ stableVersion: '2.0.0', targetGroups: stable }),
        ...groups.slice(0, 3),
        ...ofSix.slice(0, 2),
      ],
    };
    expect(await runOkractl(['rollback', 'web', '--to', '1.0.0'], world)).toMatchObject({ code: 0, err: '' });
  });

  it('counts a target group that is served, and whose AWSTargetGroup has lost its ARN, as a rollout does', async () => {
    const served = [
      ...stable.slice(0, 1),
      { ...stable[0]!, name: 'a1', arn: arnOf('a1'), version: '1.0.0', role: 'Previous' as const, weight: 0 },
    ];
    const lost = { ...aTargetGroup('a1', '1.0.0'), spec: {} };
    const world = {
      objects: [aCell({ stableVersion: '2.0.0', targetGroups: served }), lost, aTargetGroup('b1', '2.0.0')],
    };
    expect(await runOkractl(['rollback', 'web', '--to', '1.0.0'], world)).toMatchObject({ code: 0, err: '' });
  });
});

describe('history', () => {
  const change = {
    version: '1.0.0',
    from: '2.0.0',
    outcome: 'RolledBack',
    message: '1.0.0 serves.',
    startedAt: '2026-11-22T09:00:00Z',
    endedAt: '2026-11-22T09:00:05.5Z',
    requests: [{ action: 'pause', by: 'bob', reason: 'lunch', time: '2026-11-22T09:00:01Z' }],
  } as const;
  const cell = {
    ...aCell({ history: [{ ...change, requests: [...change.requests] }] }),
    metadata: {
      name: 'web',
      namespace: 'default',
      annotations: { 'kubernetes.io/change-cause': 'okractl rollback --to 1.0.0 by ann' },
    },
  };

  it('says what has changed, who has asked for what meanwhile, and who has changed the spec', async () => {
    const { out } = await runOkractl(['history', 'web'], { objects: [cell] });
    expect(out).toMatch(
      /^2026-11-22T09:00:05Z +6s +2\.0\.0 +1\.0\.0 +RolledBack +pause by bob: lunch +1\.0\.0 serves\.$/m,
    );
    expect(out).toContain('Change cause: okractl rollback --to 1.0.0 by ann');
  });

  it('says that there is none', async () => {
    expect(await runOkractl(['history', 'web'], { objects: [aCell()] })).toMatchObject({ code: 0, out: '' });
  });
});

describe('freeze', () => {
  it('holds the namespace for as long as it is told to', async () => {
    const { done, out } = await runOkractl([
      'freeze',
      'night',
      '--reason',
      'sale',
      '--for',
      '2h',
      '-n',
      'shop',
    ]);
    expect(done).toMatchObject([
      {
        create: {
          kind: 'Freeze',
          metadata: { name: 'night' },
          spec: { by: 'ann', reason: 'sale', until: '2026-11-22T12:00:00.000Z', namespaces: ['shop'] },
        },
      },
    ]);
    expect(out).toContain(
      'Freeze night created: it holds the rollouts of namespace shop until 2026-11-22T12:00:00.000Z',
    );
  });

  it('holds all namespaces with -A, until it is lifted', async () => {
    const { done, out } = await runOkractl(['freeze', '--reason', 'sale', '-A']);
    expect(done).toMatchObject([{ create: { metadata: { name: 'okractl-20261122100000' } } }]);
    expect(JSON.stringify(done)).not.toContain('namespaces');
    expect(out).toContain('all namespaces. To lift it: okractl unfreeze okractl-20261122100000');
  });

  it.each([
    [['--reason', ' '], /spec\.reason must not be blank/],
    [['--reason', 'x', '--for', 'soon'], /--for: invalid duration/],
    [['--reason', 'x', '--for', '0s'], /invalid --for: 2026-11-22T10:00:00\.000Z is in the past/],
    [
      ['--reason', 'x', '--until', '2025-01-02T08:00:00Z'],
      /invalid --until: 2025-01-02T08:00:00Z is in the past/,
    ],
    [
      ['--reason', 'x', '--for', '1h', '--until', '2027-01-02T08:00:00Z'],
      /--for and --until are mutually exclusive/,
    ],
    [[], /required option '--reason <text>'/],
  ])('says what is wrong with %j', async (words, said) => {
    const { code, err, done } = await runOkractl(['freeze', ...words]);
    expect([code, done]).toEqual([2, []]);
    expect(err).toMatch(said);
  });

  it('is lifted by its name, or all of them at once', async () => {
    const freeze = (name: string) => ({
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'Freeze',
      metadata: { name },
    });
    const objects = [freeze('night'), freeze('sale')];
    expect((await runOkractl(['unfreeze', 'sale'], { objects })).done).toEqual([
      { delete: { kind: 'Freeze', name: 'sale' } },
    ]);
    expect((await runOkractl(['unfreeze', '--all', '--yes'], { objects })).done).toHaveLength(2);
    const unknown = await runOkractl(['unfreeze', 'nigth'], { objects });
    expect([unknown.code, unknown.done]).toEqual([1, []]);
    expect(unknown.err).toContain('Existing: night, sale.');
    expect((await runOkractl(['unfreeze'], { objects })).code).toBe(2);
  });
});

describe('the description of a Cell', () => {
  it('says where a rollout stands, and what one can do', async () => {
    const { out } = await runOkractl(['describe', 'web'], { objects: [aCell(paused)] });
    expect(out).toBe(`Cell:           default/web
Phase:          Paused (WaitingForResume)
Message:        Waiting for resume or promote.
Stable:         1.0.0
Canary:         2.0.0
Step:           2/3, canary weight 20
Started:        2026-11-22T09:55:00Z (5m ago)
Load balancer:  rule 10 of the listener: arn:aws:elasticloadbalancing:ap-northeast-1:111122223333:listener/app/web/0123456789abcdef/0123456789abcdef
Workflow:       http://127.0.0.1:8233/namespaces/default/workflows/cell%2Fdefault%2Fweb/0123-4567/history

Weights:
  TARGET GROUP   VERSION   ROLE     DESIRED   OBSERVED   HEALTHY   NOTE
  web-a          1.0.0     Stable   -         80         2/3
  web-b          2.0.0     Canary   -         20         -

Steps:
  ✓ 1. set the canary's weight to 20
  ▶ 2. pause until resumed, since 2026-11-22T09:58:00Z (2m ago)
    3. set the canary's weight to 50
    all traffic

Requests:
  TIME                   REQUEST   BY    REASON
  2026-11-22T09:56:00Z   resume    ann   looks fine

You can:
  okractl pause web  # Pauses the rollout at its weight until it is resumed.
  okractl resume web  # Ends the pause.
  okractl promote web  # Finishes the current step, without waiting for it.
  okractl promote --full web  # Shifts all traffic to 2.0.0, and skips the remaining steps with their analyses.
  okractl abort web  # Shifts all traffic back to 1.0.0 and blocks 2.0.0.
`);
  });

  it('names the target groups that have no healthy target', async () => {
    const message = 'web-a: 0 of 3 healthy at weight 80.';
    const condition = {
      type: 'TargetsHealthy',
      status: 'False',
      reason: 'UnhealthyTargets',
      message,
      lastTransitionTime: '2026-11-22T09:56:00Z',
    } as const;
    const objects = [aCell({ ...paused, conditions: [condition] })];
    expect((await runOkractl(['describe', 'web'], { objects })).out).toContain(
      `Targets:        not all healthy: ${message}`,
    );
    expect((await runOkractl(['get', 'web'], { objects })).out).toMatch(/ False +/);
  });

  it('lets nothing that comes from a cluster move the cursor', async () => {
    const status = { ...paused, message: 'red \u001B[31m alert\nPhase: Completed' };
    const { out } = await runOkractl(['describe', 'web'], { objects: [aCell(status)] });
    expect(out).not.toContain('\u001B');
    expect(out).toContain('Message:        red  [31m alert Phase: Completed');
  });
});

describe('open', () => {
  it('prints the address of the run, and opens nothing where there is no terminal', async () => {
    const { out, done } = await runOkractl(['open', 'web', '--ui', 'https://t.example/'], {
      objects: [aCell(paused)],
    });
    expect(out).toBe(
      'https://t.example/namespaces/default/workflows/cell%2Fdefault%2Fweb/0123-4567/history\n',
    );
    expect(done).toEqual([]);
  });
});

it('guesses no address of the Web UI without that of Temporal', async () => {
  const throughApi = { namespace: 'okra', call: () => Promise.reject(new Error('Expected no call.')) };
  const world = { objects: [aCell(paused)], throughApi };
  expect(await runOkractl(['open', 'web'], world)).toMatchObject({
    code: 2,
    err: expect.stringContaining('TEMPORAL_ADDRESS is not set. Set OKRA_TEMPORAL_UI or --ui.') as unknown,
  });
  expect((await runOkractl(['describe', 'web'], world)).out).not.toContain('http');
});

describe('what a person says that they have looked at', () => {
  it.each([
    [['promote', 'web', '--of', '2.0.0', '--step', '2'], { ask: 'promote', version: '2.0.0', step: 2 }],
    [['promote', 'web', '--full', '--yes', '--of', '2.0.0'], { ask: 'promoteFull', version: '2.0.0' }],
    [['resume', 'web', '--step', '2'], { ask: 'resume', step: 2 }],
    [['promote', 'sbp/nginx', '--stage', 'dev'], { ask: 'promote', stage: 'dev' }],
    [['approve', 'web', '--of', '2.0.0', '--step', '3'], { ask: 'approve', version: '2.0.0', step: 3 }],
  ])('%j goes with the request', async (words, want) => {
    const { done, code } = await runOkractl(words);
    expect([done, code]).toMatchObject([[want], 0]);
  });

  it.each([
    [['promote', 'web', '--step', '0'], 'the number of a step'],
    [['promote', 'web', '--full', '--step', '2'], '--full and --step are mutually exclusive'],
    [['promote', 'sbp/nginx', '--step', '2'], '--of and --step are only for a Cell'],
    [['promote', 'web', '--stage', 'dev'], '--stage is only for a StagedBindingPolicy'],
    [['abort', 'web', '--of', '2.0.0'], "unknown option '--of'"],
  ])('%j is refused', async (words, message) => {
    const { err, code, done } = await runOkractl(words);
    expect([err, code, done]).toEqual([expect.stringContaining(message), 2, []]);
  });
});

it.each(['65536', '-1', 'http'])('refuses %s as the port of the dashboard', async (port) =>
  expect(await runOkractl(['dashboard', `--port=${port}`])).toMatchObject({
    code: 2,
    err: expect.stringContaining('from 0 to 65535') as unknown,
  }),
);

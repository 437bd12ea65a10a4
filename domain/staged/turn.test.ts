import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { acceptStagedRequest, refuseStagedRequest } from './requests.ts';
import { stagedRequestNames, initialStagedState } from './state.ts';
import { takeStagedTurn } from './turn.ts';
import { aSpec, World } from './testing/world.ts';

const three = (more: Parameters<typeof aSpec>[1] = {}): World => new World(aSpec([{}, {}, {}], more));
const fulfil = (world: World, ...stages: string[]): World => {
  for (const stage of stages) world.fulfilled.add(stage);
  return world;
};
const phases = (world: World) => world.status.stages?.map(({ phase }) => phase);

describe('a StagedBindingPolicy', () => {
  it('places the first stage, and waits until it is fulfilled', () => {
    const world = three();
    expect(world.settle()).toMatchObject({ phase: 'Progressing', reason: 'Waiting' });
    expect(world.done).toEqual(['apply s0']);
    expect(world.status).toMatchObject({ activeStage: 's0', fulfilled: '1/2' });
    expect(phases(world)).toEqual(['Waiting', 'Pending', 'Pending']);
    expect(world.status.stages?.[0]).toMatchObject({
      firstUnfulfilled: 'deployments.apps nginx/nginx',
      bindingPolicy: 'web-s0',
    });
  });

  it('takes one stage after the other, though all would be fulfilled', () => {
    const world = fulfil(three(), 's0', 's1', 's2');
    expect(world.settle()).toMatchObject({ phase: 'Completed' });
    expect(world.done).toEqual(['apply s0', 'apply s1', 'apply s2']);
    expect(phases(world)).toEqual(['Passed', 'Passed', 'Fulfilled']);
    expect(world.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'Ready', status: 'True' }),
    );
  });

  it('waits for KubeStellar to bind a stage', () => {
    const world = fulfil(three(), 's0');
    world.binds = false;
    expect(world.settle()).toMatchObject({ reason: 'Binding' });
    expect(world.placed).toEqual(['s0']);
  });

  it('removes the BindingPolicy of a passed stage only when the next one is bound, where that is asked for', () => {
    const world = fulfil(three({ stageRetention: 'Remove' }), 's0');
    world.unbound.add('s1');
    world.settle();
    expect(world.placed).toEqual(['s0', 's1']);
    world.unbound.clear();
    world.settle();
    expect(world.done).toEqual(['apply s0', 'apply s1', 'remove s0']);
    world.forget();
    world.settle();
    expect(world.placed).toEqual(['s1']);
  });

  it('begins at the stage that kubestellar-workload-stager has left in the status', () => {
    const world = three();
    world.status = { activeStage: 's1' };
    world.settle();
    expect(world.placed).toEqual(['s1']);
    world.fulfilled.add('s1');
    world.settle();
    expect(world.done).toEqual(['apply s1', 'apply s2']);
  });

  it('never goes back when a passed stage is not fulfilled any more', () => {
    const world = fulfil(three(), 's0');
    world.settle();
    world.fulfilled.clear();
    world.settle();
    expect(world.status).toMatchObject({ activeStage: 's1' });
    expect(world.placed).toEqual(['s0', 's1']);
  });

  it('stays completed when its last stage is not fulfilled any more, until the workload is edited', () => {
    const world = fulfil(three(), 's0', 's1', 's2');
    world.settle();
    world.fulfilled.delete('s2');
    expect(world.settle()).toMatchObject({ phase: 'Completed' });
    world.version += 1;
    expect(world.settle()).toMatchObject({ phase: 'Progressing', reason: 'Waiting' });
    fulfil(world, 's2');
    expect(world.settle()).toMatchObject({ phase: 'Completed' });
  });

  it.each(['unbound', 'refused'] as const)(
    'is not Ready while an edit of its last stage is %s, and is so again when KubeStellar has bound it',
    (kept) => {
      const world = fulfil(three(), 's0', 's1', 's2');
      world.settle();
      world.spec = { ...world.spec, downsync: [{ objectNames: ['more'] }] };
      world[kept].add('s2');
      expect(world.settle()).toMatchObject({ phase: 'Progressing', reason: 'Binding' });
      expect(world.status.conditions).toContainEqual(
        expect.objectContaining({ type: 'Ready', status: 'False' }),
      );
      world[kept].clear();
      // It was completed, and what it is about is the same.
      world.fulfilled.delete('s2');
      expect(world.settle()).toMatchObject({ phase: 'Completed' });
    },
  );

  it('stays Ready while KubeStellar sends again what it has bound', () => {
    const world = fulfil(three(), 's0', 's1', 's2');
    world.settle();
    world.sending.add('s2');
    expect(world.settle()).toMatchObject({ phase: 'Completed' });
  });

  it('is not Ready by a promote of its last stage before KubeStellar has bound that', () => {
    const world = fulfil(three(), 's0', 's1');
    world.unbound.add('s2');
    world.settle();
    world.ask('promote');
    expect(world.settle()).toMatchObject({ phase: 'Progressing', reason: 'Binding' });
    world.unbound.clear();
    expect(world.settle()).toMatchObject({ phase: 'Completed' });
  });

  it('goes by promote alone from a stage without a condition, and is completed by being bound at the last one', () => {
    const world = new World(
      aSpec(
        [{}, {}].map(({ ...stage }) => ({ ...stage })),
        {},
      ),
    );
    world.spec = {
      ...world.spec,
      stages: world.spec.stages.map(({ condition: _condition, ...stage }) => stage),
    };
    fulfil(world, 's0', 's1');
    expect(world.settle()).toMatchObject({ phase: 'Paused', reason: 'NoCondition' });
    world.ask('promote');
    expect(world.settle()).toMatchObject({ phase: 'Completed' });
  });

  it('soaks: the stage has to stay fulfilled, and an edit of the workload begins it again', () => {
    const world = fulfil(new World(aSpec([{ soak: '10m' }, {}])), 's0');
    expect(world.settle()).toMatchObject({ reason: 'Soaking', until: world.now + 600_000 });
    world.now += 599_000;
    world.version += 1;
    expect(world.settle()).toMatchObject({ reason: 'Soaking', until: world.now + 600_000 });
    world.now += 599_000;
    world.fulfilled.delete('s0');
    world.settle();
    fulfil(world, 's0');
    expect(world.settle()).toMatchObject({ reason: 'Soaking', until: world.now + 600_000 });
    world.now += 600_000;
    world.settle();
    expect(world.status.activeStage).toBe('s1');
  });

  it('soaks again after a pause, in which nobody has looked', () => {
    const world = fulfil(new World(aSpec([{ soak: '10m' }, {}])), 's0');
    world.settle();
    world.ask('pause');
    world.now += 600_000;
    expect(world.settle()).toMatchObject({ phase: 'Paused' });
    world.ask('resume');
    expect(world.settle()).toMatchObject({ reason: 'Soaking' });
  });

  it('holds a stage that is late for a person, who tries again or continues without', () => {
    const world = new World(aSpec([{ timeout: '1h', onTimeout: 'Hold' }, {}]));
    expect(world.settle()).toMatchObject({ until: world.now + 3_600_000 });
    world.now += 3_600_000;
    expect(world.settle()).toMatchObject({ phase: 'Paused', reason: 'TimedOut', isTrouble: true });
    expect(world.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'Degraded', status: 'True' }),
    );
    fulfil(world, 's0');
    expect(world.settle()).toMatchObject({ phase: 'Paused', reason: 'TimedOut' });
    world.fulfilled.delete('s0');
    world.ask('retry');
    expect(world.settle()).toMatchObject({ reason: 'Waiting', until: world.now + 3_600_000 });
    world.ask('promote');
    world.settle();
    expect(world.status.activeStage).toBe('s1');
  });

  it('takes a stage that is late back, where that is asked for, and no other', () => {
    const world = fulfil(new World(aSpec([{}, { timeout: '1h', onTimeout: 'Rollback' }, {}])), 's0');
    world.settle();
    world.now += 3_600_000;
    expect(world.settle()).toMatchObject({ phase: 'Paused', reason: 'TimedOut' });
    expect(world.placed).toEqual(['s0']);
    expect(world.status).toMatchObject({ activeStage: 's0', held: { reason: 'TimedOut', stage: 's1' } });
    expect(phases(world)).toEqual(['Fulfilled', 'RolledBack', 'Pending']);
  });

  it('marks the stage before one that was late and is taken back as one that waits', () => {
    const world = fulfil(new World(aSpec([{}, { timeout: '1h', onTimeout: 'Rollback' }, {}])), 's0');
    world.settle();
    world.now += 3_600_000;
    world.fulfilled.delete('s0');
    expect(world.settle()).toMatchObject({ phase: 'Paused', reason: 'TimedOut' });
    expect(phases(world)).toEqual(['Waiting', 'RolledBack', 'Pending']);
  });

  it('has its last stage fulfilled again when the spec was edited while Temporal lost what was known', () => {
    const world = fulfil(new World(aSpec([{}, { timeout: '1h', onTimeout: 'Rollback' }])), 's0', 's1');
    expect(world.settle()).toMatchObject({ phase: 'Completed' });
    world.fulfilled.delete('s1');
    world.forget();
    expect(world.settle()).toMatchObject({ phase: 'Completed' });
    world.forget();
    world.spec = { ...world.spec, downsync: [{ objectNames: ['more'] }] };
    world.generation += 1;
    expect(world.settle()).toMatchObject({ phase: 'Progressing', reason: 'Waiting' });
    world.now += 3_600_000;
    expect(world.settle()).toMatchObject({ phase: 'Paused', reason: 'TimedOut' });
    expect(world.placed.toSorted()).toEqual(['s0', 's1']);
  });

  it('has its last stage fulfilled again when the workload was edited while Temporal lost what was known', () => {
    const world = fulfil(new World(aSpec([{}, { timeout: '1h', onTimeout: 'Rollback' }])), 's0', 's1');
    world.settle();
    world.forget();
    world.version += 1;
    world.fulfilled.delete('s1');
    expect(world.settle()).toMatchObject({ phase: 'Progressing', reason: 'Waiting' });
    world.now += 3_600_000;
    expect(world.settle()).toMatchObject({ phase: 'Paused', reason: 'TimedOut' });
    expect(world.placed).toEqual(['s0', 's1']);
  });

  it.each([
    ['', (): void => undefined],
    [', also when Temporal has lost what was known', (world: World): void => world.forget()],
  ])(
    'takes nothing from the clusters of a stage that was completed because it is late later on%s',
    (_, happens) => {
      const stages = [{}, { timeout: '1h', onTimeout: 'Rollback' as const }];
      const world = fulfil(new World(aSpec(stages)), 's0', 's1');
      expect(world.settle()).toMatchObject({ phase: 'Completed' });
      world.now += 3_600_000;
      // Another cluster joins, or the workload is edited.
      world.version += 1;
      world.fulfilled.delete('s1');
      world.settle();
      happens(world);
      world.settle();
      world.now += 3_600_000;
      expect(world.settle()).toMatchObject({
        phase: 'Paused',
        reason: 'TimedOut',
        message: expect.stringContaining('Its clusters may already have received the workload') as string,
      });
      expect(world.placed).toEqual(['s0', 's1']);
      world.ask('abort');
      world.settle();
      expect(world.placed).toEqual(['s0']);
    },
  );

  it('takes a stage back by itself that was completed once, was taken back, and has begun again', () => {
    const world = fulfil(new World(aSpec([{}, { timeout: '1h', onTimeout: 'Rollback' }])), 's0', 's1');
    world.settle();
    expect(world.status.stages?.[1]).toMatchObject({ completed: true });
    world.ask('abort');
    world.settle();
    world.fulfilled.delete('s1');
    world.ask('retry');
    world.settle();
    expect(world.status.stages?.[1]).not.toHaveProperty('completed');
    world.now += 3_600_000;
    world.settle();
    expect(world.placed).toEqual(['s0']);
  });

  it('is held no more when its last stage is finished by promote', () => {
    const world = new World(aSpec([{ timeout: '1h', onTimeout: 'Hold' }]));
    world.settle();
    world.now += 3_600_000;
    world.settle();
    world.ask('promote');
    expect(world.settle()).toMatchObject({ phase: 'Completed' });
    expect(world.status.held).toBeUndefined();
    world.version += 1;
    expect(world.settle()).toMatchObject({ phase: 'Progressing', reason: 'Waiting' });
  });

  it('waits for approval of a stage that asks for it', () => {
    const world = fulfil(new World(aSpec([{ approval: 'Manual' }, {}])), 's0');
    expect(world.settle()).toMatchObject({ phase: 'Paused', reason: 'WaitingForApproval' });
    world.ask('promote');
    world.settle();
    expect(world.status).toMatchObject({
      activeStage: 's1',
      requests: [{ action: 'promote', by: 'ann', reason: 'because' }],
    });
  });

  it('takes the newest stage back when it is aborted, and continues only when someone says so', () => {
    const world = fulfil(three(), 's0', 's1');
    world.settle();
    world.ask('abort');
    expect(world.settle()).toMatchObject({ phase: 'RolledBack', reason: 'Aborted' });
    expect(world.placed).toEqual(['s0', 's1']);
    expect(world.status).toMatchObject({ activeStage: 's1', held: { by: 'ann', stage: 's2' } });
    world.ask('abort');
    world.settle();
    expect(world.placed).toEqual(['s0']);
    world.ask('abort');
    world.settle();
    expect(world.placed).toEqual([]);
    world.forget();
    expect(world.settle()).toMatchObject({ phase: 'RolledBack' });
    world.ask('retry');
    world.settle();
    expect(world.placed).toEqual(['s0', 's1', 's2']);
  });

  it('begins no stage again by a retry that came ahead of an abort, also where someone has deleted its BindingPolicy', () => {
    const world = fulfil(new World(aSpec([{}, { timeout: '1h', onTimeout: 'Hold' }])), 's0');
    world.settle();
    world.now += 3_600_000;
    world.settle();
    world.policies = world.policies.filter(({ stage }) => stage !== 's1');
    world.ask('retry');
    world.ask('abort');
    expect(world.settle()).toMatchObject({ phase: 'RolledBack' });
    expect(world.placed).toEqual(['s0']);
  });

  it.each([{ stage: 's1' }, { to: 's0' }])(
    'takes no earlier stage back by an abort of one that is gone: %o',
    (aim) => {
      const world = fulfil(new World(aSpec([{}, {}])), 's0');
      world.settle();
      world.ask('abort');
      world.settle();
      world.freezes = [{ name: 'f', by: 'ops', reason: 'x.' }];
      world.ask('retry');
      world.settle();
      expect(refuseStagedRequest(world.state, 'abort', aim)).toBeDefined();
      const again = { by: 'bob', reason: '', at: world.now, ...aim };
      world.state = acceptStagedRequest(world.state, 'abort', again);
      world.settle();
      expect(world.placed).toEqual(['s0']);
      world.freezes = [];
      world.settle();
      expect(world.placed).toEqual(['s0', 's1']);
    },
  );

  it('begins no stage again by a promote of the one that is taken back', () => {
    const world = fulfil(new World(aSpec([{}, { approval: 'Manual' }, {}])), 's0', 's1');
    world.settle();
    world.done.length = 0;
    world.ask('promote');
    world.state = { ...world.state, rollingBack: { reason: 'Aborted', by: 'ann', message: 'Aborted.' } };
    expect(world.settle()).toMatchObject({ phase: 'RolledBack' });
    expect(world.done).toEqual(['remove s1']);
  });

  it('goes back stage by stage, the newest first, when an abort names one', () => {
    const world = fulfil(three(), 's0', 's1');
    world.settle();
    world.done.length = 0;
    world.ask('abort', 's0');
    world.settle();
    expect(world.done).toEqual(['remove s2', 'remove s1']);
    expect(world.status.activeStage).toBe('s0');
  });

  it('goes back further than it does already when an abort asks for that', () => {
    const world = fulfil(three(), 's0', 's1');
    world.settle();
    world.state = { ...world.state, rollingBack: { reason: 'TimedOut', message: 'It is late.' } };
    world.ask('abort');
    world.ask('abort', 's1');
    expect(world.state.requests.abort).toBeUndefined();
    world.ask('abort', 's0');
    expect(world.settle()).toMatchObject({ phase: 'RolledBack', reason: 'Aborted' });
    expect(world.placed).toEqual(['s0']);
  });

  it.each(['s2', 's3', 'none'])('takes nothing back by an abort to %s, which is no earlier stage', (to) => {
    const world = fulfil(new World(aSpec([{}, {}, {}, {}])), 's0', 's1');
    world.settle();
    world.ask('abort', to);
    world.settle();
    expect(world.placed).toEqual(['s0', 's1', 's2']);
    expect(world.status.requests).toBeUndefined();
  });

  it('binds the stage before again ahead of taking one back, where it was removed', () => {
    const world = fulfil(three({ stageRetention: 'Remove' }), 's0');
    world.settle();
    world.done.length = 0;
    world.ask('abort');
    world.settle();
    expect(world.done).toEqual(['apply s0', 'remove s1']);
  });

  it('waits for the BindingPolicy of the stage before to go, where it was removed just now, before that is bound again', () => {
    const world = fulfil(three({ stageRetention: 'Remove' }), 's0');
    world.settle();
    const old = { stage: 's0', name: 'web-s0', uid: 'old', isAsAsked: true, isDeleting: true, isBound: true };
    world.policies.push(old);
    world.done.length = 0;
    world.ask('abort');
    expect(world.settle()).toMatchObject({ phase: 'RollingBack', reason: 'Removing' });
    world.policies = world.policies.filter((one) => one !== old);
    world.settle();
    expect(world.done).toEqual(['apply s0', 'remove s1']);
  });

  it('takes a stage back though KubeStellar reports errors of the one before, which is kept', () => {
    const world = fulfil(three(), 's0');
    world.settle();
    world.refused.add('s0').add('s1');
    world.ask('abort');
    expect(world.settle()).toMatchObject({ phase: 'RolledBack' });
    expect(world.placed).toEqual(['s0']);
  });

  it('says why it does not take a stage back where the one before cannot be bound again', () => {
    const world = fulfil(three({ stageRetention: 'Remove' }), 's0');
    world.settle();
    world.refused.add('s0');
    world.ask('abort');
    expect(world.settle()).toMatchObject({
      phase: 'RollingBack',
      message: expect.stringContaining('It reports: expected a namespace') as string,
    });
    expect(world.placed).toEqual(['s1', 's0']);
  });

  it.each(['SpaceNotReached', 'KubeStellarNotFound', 'InvalidSpec'])(
    'takes no stage for taken back while nobody knows which BindingPolicies there are: %s',
    (reason) => {
      const world = fulfil(three({ stageRetention: 'Remove' }), 's0');
      world.settle();
      world.unseen = { reason, message: 'It is away.' };
      world.ask('abort');
      expect(world.settle()).toMatchObject({ phase: 'Failed', reason });
      expect(world.status).toMatchObject({ phase: 'RollingBack', activeStage: 's1' });
      world.unseen = undefined;
      world.done.length = 0;
      world.settle();
      expect(world.done).toEqual(['apply s0', 'remove s1']);
      expect(world.status).toMatchObject({ activeStage: 's0', held: { stage: 's1' } });
    },
  );

  it('continues taking back when Temporal loses what was known, also while that is refused', () => {
    const world = fulfil(three(), 's0', 's1');
    world.settle();
    world.unseen = { reason: 'SpaceNotReached', message: 'It is away.' };
    world.ask('abort', 's0');
    world.settle();
    world.forget();
    world.settle();
    world.unseen = undefined;
    world.forget();
    world.settle();
    expect(world.placed).toEqual(['s0']);
    expect(world.status).toMatchObject({ phase: 'RolledBack', activeStage: 's0' });
    expect(world.status.held?.to).toBeUndefined();
  });

  it('holds at a Freeze and outside its windows, and takes back all the same', () => {
    const world = three();
    world.settle();
    world.freezes = [{ name: 'year-end', by: 'ops', reason: 'Christmas.' }];
    fulfil(world, 's0');
    expect(world.settle()).toMatchObject({ phase: 'Waiting', reason: 'WaitingForFreeze' });
    expect(phases(world)).toEqual(['Fulfilled', 'Pending', 'Pending']);
    world.freezes = [];
    world.spec = { ...world.spec, windows: [{ timeZone: 'UTC', start: '20:00', end: '21:00' }] };
    expect(world.settle()).toMatchObject({
      reason: 'WaitingForWindow',
      until: Date.parse('2026-11-22T20:00:00Z'),
    });
    world.ask('abort');
    world.settle();
    expect(world.placed).toEqual([]);
  });

  it('takes up where it was when Temporal has lost everything', () => {
    const world = fulfil(three(), 's0');
    world.settle();
    world.ask('pause');
    world.settle();
    world.done.length = 0;
    world.forget();
    expect(world.settle()).toMatchObject({ phase: 'Paused' });
    world.ask('resume');
    world.settle();
    expect(world.done).toEqual([]);
    expect(world.status).toMatchObject({
      activeStage: 's1',
      requests: [{ action: 'pause' }, { action: 'resume' }],
    });
  });

  it('begins with its first stage when it was deleted and created again before anybody has looked', () => {
    const world = fulfil(three(), 's0', 's1', 's2');
    world.settle();
    world.fulfilled.clear();
    world.createAgain();
    expect(world.settle()).toMatchObject({ phase: 'Progressing' });
    expect(world.placed).toEqual(['s0']);
    expect(phases(world)).toEqual(['Waiting', 'Pending', 'Pending']);
  });

  it('takes up what was asked before the first look, and forgets what makes no sense then', () => {
    const world = fulfil(three(), 's0', 's1');
    world.settle();
    world.forget();
    world.ask('resume');
    world.ask('abort', 's0');
    expect(world.settle()).toMatchObject({ phase: 'RolledBack' });
    expect(world.placed).toEqual(['s0']);
    expect(world.status.requests).toMatchObject([{ action: 'abort' }]);
    world.forget();
    world.ask('retry');
    world.settle();
    expect(world.placed).toEqual(['s0', 's1', 's2']);
  });

  it.each(['SpaceNotReached', 'InvalidSpec'])(
    'begins again, and takes nothing from clusters, when its status is lost as well, and nothing is seen at first because of %s',
    (reason) => {
      const late = { timeout: '1h', onTimeout: 'Rollback' } as const;
      const world = fulfil(new World(aSpec([late, {}])), 's0', 's1');
      world.settle();
      world.forget();
      world.status = {};
      world.unseen = { reason, message: 'It is away.' };
      world.settle();
      world.unseen = undefined;
      world.fulfilled.clear();
      world.settle();
      expect(world.status.activeStage).toBe('s0');
      world.now += 3_600_000;
      expect(world.settle()).toMatchObject({ phase: 'Paused', reason: 'TimedOut' });
      expect(world.placed).toEqual(['s0', 's1']);
      fulfil(world, 's0', 's1');
      world.ask('retry');
      expect(world.settle()).toMatchObject({ phase: 'Completed' });
    },
  );

  it('does nothing by a spec that cannot be followed, but takes back', () => {
    const world = fulfil(three(), 's0');
    world.settle();
    world.problems = [{ reason: 'InvalidExpression', message: 'not valid CEL: EOF. Correct it.' }];
    fulfil(world, 's1');
    expect(world.settle()).toMatchObject({ phase: 'Failed', reason: 'InvalidExpression' });
    expect(world.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'SpecAccepted', status: 'False' }),
    );
    expect(world.placed).toEqual(['s0', 's1']);
    world.ask('abort');
    world.settle();
    expect(world.placed).toEqual(['s0']);
  });

  it('is over when it is gone, and takes away before that what Kubernetes does not collect', () => {
    const none = { policies: [], freezes: [] };
    expect(takeStagedTurn(none, initialStagedState, 0).decision).toMatchObject({ do: 'Close' });
    const object = { uid: 'u', generation: 1, problems: [], isDeleting: true, isElsewhere: true, status: {} };
    const own = { stage: 's0', name: 'web-s0', uid: 'p', isAsAsked: true, isDeleting: false, isBound: true };
    const left = (policies: (typeof own)[]) =>
      takeStagedTurn({ ...none, object, policies }, initialStagedState, 0).decision.do;
    expect([left([own]), left([{ ...own, isDeleting: true }]), left([])]).toEqual([
      'Remove',
      'Wait',
      'Release',
    ]);
    const asking = { stage: 's0', name: 'web--clusters', uid: 's', isAsAsked: true, isDeleting: false };
    const asked = (selection: typeof asking) =>
      takeStagedTurn({ ...none, object, selection }, initialStagedState, 0).decision;
    expect(asked(asking)).toMatchObject({ do: 'Remove', uid: 's' });
    expect(asked({ ...asking, isDeleting: true })).toMatchObject({ do: 'Wait' });
    const { spec } = three();
    const away = { ...object, spec, problems: [{ reason: 'SpaceNotReached', message: 'It is away.' }] };
    expect(takeStagedTurn({ ...none, object: away }, initialStagedState, 0).decision).toMatchObject({
      do: 'Wait',
      reason: 'SpaceNotReached',
    });
  });

  it('says why it does not go, where its spec cannot be read', () => {
    const problem = { reason: 'InvalidSpec', message: 'Expected two stages, got one.' };
    const object = { uid: 'u', generation: 1, problems: [problem], isElsewhere: false, status: {} };
    const observed = { object: { ...object, isDeleting: true }, policies: [], freezes: [] };
    expect(takeStagedTurn(observed, initialStagedState, 0).decision).toMatchObject({
      do: 'Wait',
      phase: 'Failed',
      ...problem,
    });
  });
});

const events = fc.oneof(
  fc.record({ is: fc.constant('Fulfil' as const), stage: fc.nat(3) }),
  fc.record({ is: fc.constant('Break' as const), stage: fc.nat(3) }),
  fc.record({
    is: fc.constant('Ask' as const),
    name: fc.constantFrom(...stagedRequestNames),
    to: fc.option(fc.nat(3), { nil: undefined }),
  }),
  fc.record({ is: fc.constant('Pass' as const), minutes: fc.integer({ min: 1, max: 90 }) }),
  fc.record({
    is: fc.constantFrom(
      'Edit' as const,
      'Forget' as const,
      'Freeze' as const,
      'Thaw' as const,
      'Unbind' as const,
      'Bind' as const,
      'Delete' as const,
    ),
  }),
);

function happen(world: World, event: typeof events extends fc.Arbitrary<infer Event> ? Event : never): void {
  switch (event.is) {
    case 'Fulfil':
      world.fulfilled.add(`s${event.stage}`);
      for (const name of world.clusters.get(`s${event.stage}`) ?? []) world.ill.delete(name);
      return;
    case 'Break':
      world.fulfilled.delete(`s${event.stage}`);
      for (const name of world.clusters.get(`s${event.stage}`) ?? []) world.ill.add(name);
      return;
    case 'Ask':
      world.ask(event.name, event.to === undefined ? undefined : `s${event.to}`);
      return;
    case 'Pass':
      world.now += event.minutes * 60_000;
      return;
    case 'Edit':
      world.version += 1;
      return;
    case 'Forget':
      world.forget();
      return;
    case 'Freeze':
      world.freezes = [{ name: 'f', by: 'ops', reason: 'x.' }];
      return;
    case 'Thaw':
      world.freezes = [];
      return;
    case 'Unbind':
      world.binds = false;
      return;
    case 'Bind':
      world.binds = true;
      return;
    case 'Delete':
      world.policies = world.policies.slice(0, -1);
  }
}

const active = ({ state }: World): string => state.active?.name ?? '';

/** What has to be placed, when nothing keeps it from being; undefined when something may. */
function wanted({ state, spec, freezes }: World): readonly string[] | undefined {
  const isHeld = freezes.length > 0 || state.requests.paused !== undefined || state.rollingBack !== undefined;
  if (isHeld || spec.stageRetention === 'Remove' || state.active === undefined) return undefined;
  const last = state.active.name;
  return spec.stages.map(({ name }) => name).filter((name) => name <= last);
}

/** Lets something happen, and looks whether everything is still as it has to be. */
function goThrough(world: World, event: Parameters<typeof happen>[1]): void {
  const before = {
    active: active(world),
    isHeld: world.state.held !== undefined,
    // What was asked for during a pause or a Freeze is done after it.
    isAsked: world.state.requests.promote !== undefined || world.state.requests.retry !== undefined,
    isFrozen: world.freezes.length > 0,
    policies: world.policies,
  };
  const done = world.done.length;
  happen(world, event);
  world.settle();
  const wentOn = active(world) > before.active;
  const mayGoOn =
    before.isAsked || (event.is === 'Ask' && (event.name === 'promote' || event.name === 'retry'));
  expect(wentOn && before.isHeld && !mayGoOn).toBe(false);
  expect(wentOn && before.isFrozen && event.is !== 'Thaw').toBe(false);
  // Nothing is there beyond the stage that it is at, and what is kept is there.
  expect(world.placed.filter((placed) => placed > active(world))).toEqual([]);
  expect(world.placed.toSorted()).toEqual(wanted(world) ?? world.placed.toSorted());
  expect(world.done.length - done).toBeLessThan(40);
  // What a BindingPolicy reaches it continues to reach.
  for (const { uid, only } of world.policies) {
    const earlier = before.policies.find((one) => one.uid === uid);
    const reached = earlier === undefined ? [] : (earlier.only ?? (only === undefined ? [] : ['all']));
    expect(reached.filter((name) => only?.includes(name) === false)).toEqual([]);
  }
}

describe('whatever happens to a StagedBindingPolicy', () => {
  const stage = fc
    .record(
      {
        soak: fc.constant('10m'),
        timeout: fc.constant('1h'),
        onTimeout: fc.constantFrom('Hold' as const, 'Rollback' as const),
        approval: fc.constantFrom('Automatic' as const, 'Manual' as const),
        progressive: fc.constantFrom(
          { maxConcurrency: 1, progressDeadline: '30m' },
          { maxConcurrency: '50%', maxFailures: 1, progressDeadline: '30m', minSuccessTime: '1m' },
        ),
      },
      { requiredKeys: [] },
    )
    .map(({ onTimeout, ...rest }) =>
      rest.timeout === undefined || onTimeout === undefined ? rest : { ...rest, onTimeout },
    );

  it('places no stage before the ones ahead of it, begins none while it is held, and ends when all goes well', () => {
    fc.assert(
      fc.property(
        fc.array(stage, { minLength: 4, maxLength: 4 }),
        fc.constantFrom('Keep' as const, 'Remove' as const),
        fc.array(events, { maxLength: 30 }),
        (stages, stageRetention, happened) => {
          const world = new World(aSpec(stages, { stageRetention }));
          for (const [index, { progressive }] of stages.entries()) {
            if (progressive === undefined) continue;
            world.clusters.set(
              `s${index}`,
              [1, 2, 3].map((cluster) => `s${index}c${cluster}`),
            );
            for (const name of world.clusters.get(`s${index}`) ?? []) world.ill.add(name);
          }
          world.settle();
          for (const event of happened) goThrough(world, event);
          world.binds = true;
          world.freezes = [];
          fulfil(world, 's0', 's1', 's2', 's3').ill.clear();
          for (let times = 0; times < 12; times += 1) {
            for (const name of ['resume', 'retry', 'promote'] as const) {
              if (refuseStagedRequest(world.state, name) === undefined) world.ask(name);
            }
            world.now += 600_000;
            world.settle();
          }
          expect(world.status.phase).toBe('Completed');
        },
      ),
      { numRuns: 300 },
    );
  });
});

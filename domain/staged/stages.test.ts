import { describe, expect, it } from 'vitest';
import type { Stage } from '../../crds/staged-binding-policy.ts';
import type { StagedDecision } from './state.ts';
import { aSpec, World } from './testing/world.ts';

/** A workload on three stages, of which so many are fulfilled; the last one of them is passed unless it is the third. */
function three(fulfilled: number): World {
  const world = new World(aSpec([{}, {}, {}]));
  for (let stage = 0; stage < fulfilled; stage += 1) world.fulfilled.add(`s${stage}`);
  world.settle();
  world.done.length = 0;
  return world;
}

const of = (name: string, changes: Partial<Stage> = {}): Stage => ({
  ...aSpec([{}]).stages[0]!,
  name,
  clusterSelectors: [{ matchLabels: { env: name } }],
  ...changes,
});

const edited = (world: World, ...stages: readonly (string | Stage)[]): World => {
  const all = stages.map((one) => (typeof one === 'string' ? of(one) : one));
  world.spec = { ...world.spec, stages: all };
  return world;
};

const more = { clusterSelectors: [{ matchLabels: { env: 'more' } }] };

describe('an edit of the stages', () => {
  it.each<[string, readonly (string | Stage)[], number]>([
    ['is renamed', ['s0', of('test', { clusterSelectors: [{ matchLabels: { env: 's1' } }] }), 's2'], 1],
    ['is removed', ['s0', 's2'], 1],
    ['is moved', ['s1', 's0', 's2'], 0],
    ['is inserted ahead of', ['first', 's0', 's1', 's2'], 0],
    ['selects other clusters', ['s0', of('s1', more), 's2'], 1],
    ['is passed and selects other clusters', [of('s0', more), 's1', 's2'], 0],
  ])('is refused where a stage that has begun %s, and nothing is changed by it', (_, stages, at) => {
    const world = three(1);
    const before = world.status.stages;
    edited(world, ...stages).spec.downsync = [{ objectNames: ['more'] }];
    world.fulfilled.add('s1');
    expect(world.settle()).toMatchObject({
      phase: 'Failed',
      reason: 'StageChanged',
      message: `invalid spec.stages[${at}]: must be stage s${at} with the clusterSelectors it has begun with. Restore it, or send abort to roll it back.`,
    });
    expect(world.status.stages).toEqual(before);
    expect(world.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'SpecAccepted', status: 'False', reason: 'StageChanged' }),
    );
    expect([world.done, world.placed]).toEqual([[], ['s0', 's1']]);
    edited(world, 's0', 's1', 's2').settle();
    expect(world.status).toMatchObject({ activeStage: 's2' });
  });

  it('takes a changed stage back by an abort, and begins it as it is now', () => {
    const world = edited(three(1), 's0', of('s1', more), 's2');
    world.settle();
    world.ask('abort');
    expect(world.settle()).toMatchObject({ phase: 'RolledBack' });
    expect(world.placed).toEqual(['s0']);
    world.ask('retry');
    world.settle();
    expect([world.placed, world.status.activeStage]).toEqual([['s0', 's1'], 's1']);
  });

  it('takes back to a stage though the stages behind it are gone', () => {
    const world = edited(three(2), 's0');
    world.ask('abort', 's0');
    expect(world.settle()).toMatchObject({ phase: 'RolledBack' });
    expect([world.done, world.placed]).toEqual([['remove s2', 'remove s1'], ['s0']]);
    world.ask('retry');
    expect(world.settle()).toMatchObject({ phase: 'Completed' });
  });

  it.each<[string, readonly (string | Stage)[], readonly string[]]>([
    ['is renamed', ['s0', 'prod', 's2'], ['s0', 'prod']],
    ['is removed', ['s0', 's2'], ['s0', 's2']],
    ['is removed as the last one', ['s0'], ['s0']],
    ['selects other clusters', ['s0', of('s1', more)], ['s0', 's1']],
  ])('is followed where a stage %s before its BindingPolicy is made', (_, stages, placed) => {
    for (const forgets of [false, true]) {
      const world = three(0);
      world.fulfilled.add('s0');
      const stop = (decision: StagedDecision): void => {
        if (decision.do === 'Apply' && decision.stage === 's1') throw new Error('edited meanwhile');
      };
      expect(() => world.settle(stop)).toThrow('edited meanwhile');
      expect(world.status.activeStage).toBe('s1');
      if (forgets) world.forget();
      edited(world, ...stages).settle();
      expect(world.placed).toEqual(placed);
      expect(world.status).toMatchObject({
        activeStage: placed.at(-1),
        phase: placed.length === 1 ? 'Completed' : 'Progressing',
      });
    }
  });

  it.each<[string, readonly (string | Stage)[], string | undefined]>([
    ['is inserted', ['s0', 's1', 'new', 's2'], 'new'],
    ['is removed', ['s0', 's1'], undefined],
    ['is moved', ['s0', 's1', 's3', 's2'], 's3'],
    ['selects other clusters', ['s0', 's1', of('s2', more)], 's2'],
  ])('is followed where a stage that has not begun %s', (_, stages, next) => {
    const world = edited(three(1), ...stages);
    world.fulfilled.add('s1');
    const settled = world.settle();
    expect(world.placed).toEqual(next === undefined ? ['s0', 's1'] : ['s0', 's1', next]);
    expect(settled.phase).toBe(next === undefined ? 'Completed' : 'Progressing');
  });

  it('is followed where a stage that has begun has another condition, soak or timeout', () => {
    const world = edited(three(1), 's0', of('s1', { soak: '10m', timeout: '1h' }), 's2');
    world.fulfilled.add('s1');
    expect(world.settle()).toMatchObject({ reason: 'Soaking', until: world.now + 600_000 });
  });

  it('continues with a stage that is appended after all is completed', () => {
    const world = edited(three(3), 's0', 's1', 's2', 's3');
    expect(world.settle()).toMatchObject({ phase: 'Progressing', reason: 'Waiting' });
    expect([world.done, world.status.activeStage]).toEqual([['apply s3'], 's3']);
  });

  it('asks for approval of a completed stage that is not the last one any more', () => {
    const world = new World(aSpec([{ approval: 'Manual' }]));
    world.fulfilled.add('s0');
    expect(world.settle()).toMatchObject({ phase: 'Completed' });
    edited(world, of('s0', { approval: 'Manual' }), 's1');
    expect(world.settle()).toMatchObject({ phase: 'Paused', reason: 'WaitingForApproval' });
    world.ask('promote');
    world.settle();
    expect(world.status.activeStage).toBe('s1');
  });

  it('applies what is synced to all stages that have begun at once', () => {
    const world = three(2);
    world.spec = { ...world.spec, downsync: [{ objectNames: ['more'] }] };
    world.settle();
    expect(world.done).toEqual(['apply s0', 'apply s1', 'apply s2']);
  });

  it('takes nothing from clusters where Temporal and the status have lost a stage that is renamed', () => {
    const world = edited(three(2), 's0', 's1', 'prod');
    world.forget();
    world.status = {};
    expect(world.settle()).toMatchObject({
      phase: 'Failed',
      message:
        'invalid spec.stages: must have stage s2, because of BindingPolicy web-s2. Add the stage, or delete the BindingPolicy.',
    });
    expect(world.placed).toEqual(['s0', 's1', 's2']);
  });

  it.each([
    ['', () => undefined],
    [', also when Temporal has lost what was known', (world: World) => world.forget()],
    [
      ', also when nothing is seen for a while',
      (world: World) => {
        world.unseen = { reason: 'SpaceNotReached', message: 'It is away.' };
        world.settle();
        world.unseen = undefined;
      },
    ],
  ])('keeps what has begun as it was%s', (_, happens) => {
    const world = three(1);
    happens(world);
    world.settle();
    edited(world, 's0', of('s1', more), 's2');
    expect(world.settle()).toMatchObject({ reason: 'StageChanged' });
    expect(world.done).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { stagedAnswer, stagedRefusal } from './requests.ts';
import { edit, of, stage, three } from './testing/edits.ts';
import { aSpec, World } from './testing/world.ts';
import { takeStagedTurn } from './turn.ts';

const phases = (world: World) => world.status.stages?.map(({ name, phase }) => `${name} ${phase}`);

describe('an edit of the stages', () => {
  it('gives a passed stage that is renamed its new BindingPolicy before the old one goes', () => {
    const world = edit(three(), 's0>europe', 's1', 's2');
    world.unbound.add('europe');
    world.settle();
    expect(world.done).toEqual(['apply europe']);
    world.unbound.clear();
    expect(world.settle()).toMatchObject({ phase: 'Completed' });
    expect(world.done).toEqual(['apply europe', 'remove s0']);
    expect(phases(world)).toEqual(['europe Passed', 's1 Passed', 's2 Fulfilled']);
  });

  it('takes the workload from no cluster when all stages are renamed', () => {
    const world = edit(three(), 's0>a', 's1>b', 's2>c');
    world.settle();
    expect(world.done).toEqual(['apply a', 'apply b', 'apply c', 'remove s0', 'remove s1', 'remove s2']);
    world.fulfilled.add('c');
    expect(world.settle()).toMatchObject({ phase: 'Completed' });
    expect(phases(world)).toEqual(['a Passed', 'b Passed', 'c Fulfilled']);
  });

  it('does not go through a stage that is put in ahead of one that is renamed by the same edit, and says so', () => {
    const world = edit(three(), 's0', 's1', of('new', 'new'), 's2>last');
    world.fulfilled.add('last');
    expect(world.settle()).toMatchObject({
      phase: 'Completed',
      message: 'Stage last is fulfilled, and is the last one. Not gone through, because put in later: new.',
    });
    expect(world.done).toEqual(['apply last', 'remove s2']);
    expect(world.status.stages?.[2]).toMatchObject({
      name: 'new',
      phase: 'Pending',
      reason: expect.stringContaining('Put it behind stage last') as string,
    });
  });

  it('keeps the stage that it is at where it is moved ahead while only its BindingPolicy is known', () => {
    const world = edit(three({ stageRetention: 'Remove' }, 0), 's1', 's0', 's2');
    world.status = {};
    world.forget();
    world.state = takeStagedTurn(world.observe(), world.state, world.now).state;
    edit(world, 's0', 's1', 's2').settle();
    expect([world.done, world.placed]).toEqual([[], ['s0']]);
  });

  it('says that a stage which was taken back is not gone through where it is moved ahead of the one before', () => {
    const world = three({}, 2);
    world.ask('abort');
    world.settle();
    edit(world, 's0', 's2', 's1').ask('retry');
    expect(world.settle()).toMatchObject({
      phase: 'Completed',
      message: 'Stage s1 is fulfilled, and is the last one. Not gone through, because put in later: s2.',
    });
    expect(world.status.stages?.[1]).toMatchObject({
      name: 's2',
      phase: 'RolledBack',
      reason: expect.stringContaining('Put it behind stage s1') as string,
    });
    edit(world, 's0', 's1', 's2').settle();
    expect(world.placed).toEqual(['s0', 's1', 's2']);
  });

  it('goes through what takes the place of the newest stage in its order, and keeps the workload meanwhile', () => {
    const world = edit(three(), 's0', 's1', of('new', 'new'), of('last', 's2', 'more'));
    world.settle();
    expect(world.done).toEqual(['apply new']);
    world.ask('abort');
    world.settle();
    expect(world.done).toEqual(['apply new', 'remove new']);
    world.ask('retry');
    world.fulfilled.add('new');
    world.settle();
    expect(world.done.slice(2)).toEqual(['apply new', 'apply last', 'remove s2']);
  });

  it.each<[string, (world: World) => World, string[]]>([
    ['becomes two', (world) => edit(world, of('a', 's0', 's1'), 's2'), ['apply a', 'remove s0', 'remove s1']],
    [
      'has other clusters as well',
      (world) => edit(world, of('a', 's0', 'x'), 's1', 's2'),
      ['apply a', 'remove s0'],
    ],
    ['has none of its clusters', (world) => edit(world, of('a', 'x'), 's1', 's2'), ['remove s0']],
    ['is deleted', (world) => edit(world, 's1', 's2'), ['remove s0']],
    ['is moved', (world) => edit(world, 's1', 's0>a', 's2'), ['apply a', 'remove s0']],
  ])('is followed when a passed stage %s', (_, edited, done) => {
    const world = edited(three());
    world.settle();
    expect(world.done).toEqual(done);
  });

  it('keeps a stage that is split until all of its parts are bound', () => {
    const world = new World({ ...aSpec([{}]), stages: [of('world', 'eu', 'us'), of('last', 'last')] });
    for (const name of ['world', 'last']) world.fulfilled.add(name);
    world.settle();
    world.done.length = 0;
    world.unbound.add('us');
    edit(world, of('eu', 'eu'), of('us', 'us'), 'last').settle();
    expect(world.done).toEqual(['apply eu', 'apply us']);
    world.unbound.clear();
    world.settle();
    expect(world.done).toEqual(['apply eu', 'apply us', 'remove world']);
  });

  it('can be taken back', () => {
    const world = edit(three(), 's0>europe', 's1', 's2');
    world.unbound.add('europe');
    world.settle();
    edit(world, 'europe>s0', 's1', 's2').settle();
    expect(world.done).toEqual(['apply europe', 'remove europe']);
    edit(world, 's0>europe', 's1', 's2');
    world.unbound.clear();
    world.settle();
    edit(world, 'europe>s0', 's1', 's2').settle();
    expect(world.done.slice(2)).toEqual(['apply europe', 'remove s0', 'apply s0', 'remove europe']);
  });

  it('counts a stage as passed that is put back before its BindingPolicy has gone, and follows it', () => {
    for (const stageRetention of ['Keep', 'Remove'] as const) {
      const world = three({ stageRetention }, 1);
      const [first, second, third] = ['s0', 's1', 's2'].map((name) => stage(world, name));
      edit(world, first!, third!);
      world.unbound.add('s2');
      world.settle();
      edit(world, first!, { ...second!, clusterSelectors: of('s1', 's1', 'more').clusterSelectors }, third!);
      world.settle();
      expect(phases(world)).toEqual(['s0 Passed', 's1 Passed', 's2 Binding']);
      expect(world.done).toEqual(stageRetention === 'Keep' ? ['apply s2', 'apply s1'] : ['apply s2']);
      world.ask('abort');
      expect(world.settle()).toMatchObject({ phase: 'RolledBack' });
      expect(world.status.activeStage).toBe('s1');
      expect(world.placed.toSorted()).toEqual(stageRetention === 'Keep' ? ['s0', 's1'] : ['s1']);
    }
  });

  it('may come in two: the new name first, and then without the old one', () => {
    const world = edit(three(), of('europe', 's0'), 's0', 's1', 's2');
    world.settle();
    expect(world.done).toEqual([]);
    edit(world, 'europe', 's1', 's2').settle();
    expect(world.done).toEqual(['apply europe', 'remove s0']);
  });

  it.each<[string, string[]]>([
    ['is renamed', ['s0>z', 's1', 's2', 's3']],
    ['is renamed and moved', ['s1', 's0>z', 's2', 's3']],
  ])('is followed by an abort to a stage that %s meanwhile', (_, stages) => {
    for (const isEarly of [true, false]) {
      const world = new World(aSpec([{}, {}, {}, {}]));
      for (const name of ['s0', 's1', 's2']) world.fulfilled.add(name);
      world.settle();
      world.ask('abort', 's0');
      if (isEarly) edit(world, ...stages);
      world.settle((decision) => {
        if (decision.do === 'Remove' && world.spec.stages.some(({ name }) => name === 's0'))
          edit(world, ...stages);
      });
      expect(world.settle()).toMatchObject({ phase: 'RolledBack', reason: 'Aborted' });
      expect(world.status).toMatchObject({ activeStage: 'z' });
      expect(world.placed.toSorted()).toEqual(stages.indexOf('s0>z') === 0 ? ['z'] : ['s1', 'z']);
    }
  });

  it('goes back to the last part of a stage that is split meanwhile, which an abort names', () => {
    const stages = ['one', 'two', 'three'].map((name) => of(name, name));
    const world = new World({ ...aSpec([{}]), stages: [of('world', 'eu', 'us'), ...stages] });
    for (const name of ['world', 'one', 'two']) world.fulfilled.add(name);
    world.settle();
    world.ask('abort', 'world');
    edit(world, of('eu', 'eu'), of('us', 'us'), of('1', 'one'), 'two', 'three').settle();
    expect(world.status).toMatchObject({ activeStage: 'us', phase: 'RolledBack' });
    expect(world.placed.toSorted()).toEqual(['eu', 'us']);
  });

  it('takes no more back where an abort was to a stage that is deleted meanwhile', () => {
    const world = new World(aSpec([{}, {}, {}, {}]));
    for (const name of ['s0', 's1', 's2']) world.fulfilled.add(name);
    world.settle();
    world.ask('abort', 's0');
    edit(world, of('other', 'other'), 's1', 's2', 's3').settle();
    expect(world.status).toMatchObject({ activeStage: 's2', phase: 'RolledBack' });
  });

  it('leaves a late stage that is renamed to a person, who begins it again', () => {
    const late = { timeout: '1h', onTimeout: 'Hold' } as const;
    const world = new World(aSpec([{}, late, {}]));
    world.fulfilled.add('s0');
    world.settle();
    world.now += 3_600_000;
    world.settle();
    expect(edit(world, 's0', 's1>b', 's2').settle()).toMatchObject({
      phase: 'Paused',
      reason: 'TimedOut',
      message: expect.stringMatching(
        /Stage s1 is no longer asked for\. Send retry to begin with stage b, or abort\.$/,
      ) as string,
    });
    const promoted = stagedRefusal(world.state, 'promote');
    expect(promoted).toBe(
      'Expected a stage that is still asked for, got stage s1, which is not. Send retry to begin with the next one, or abort.',
    );
    world.ask('promote');
    expect(world.state.requests.promote).toBeUndefined();
    world.ask('retry');
    expect(stagedAnswer('retry', world.state)).toBe('It goes on with stage b, from the beginning.');
    expect(world.settle()).toMatchObject({ reason: 'Waiting' });
    expect(world.status.activeStage).toBe('b');
    expect(world.placed).toEqual(['s0', 'b']);
  });

  it('says what to ask for when a stage is renamed to which an abort has gone back', () => {
    const world = three();
    world.ask('abort');
    world.settle();
    expect(edit(world, 's0', 's1>b', 's2').settle()).toMatchObject({
      phase: 'RolledBack',
      message: expect.stringContaining('Send retry to begin with stage b, or abort.') as string,
    });
    world.ask('abort');
    world.settle();
    expect(world.placed).toEqual(['s0']);
  });

  it('waits for the end of a Freeze, of a pause, and of what Temporal has lost', () => {
    const world = edit(three(), 's0>a', 's1>b', 's2>c');
    world.freezes = [{ name: 'f', by: 'ops', reason: 'x.' }];
    world.settle();
    world.freezes = [];
    world.ask('pause');
    world.settle();
    expect(world.done).toEqual([]);
    world.forget();
    world.settle();
    world.ask('resume');
    for (const name of ['a', 'b', 'c']) world.fulfilled.add(name);
    world.settle();
    expect(world.done.slice(0, 3)).toEqual(['apply a', 'apply b', 'apply c']);
    expect(world.placed.toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('takes nothing from clusters when its status is lost as well', () => {
    const world = edit(three(), 's0>a', 's1>b', 's2>c');
    world.forget();
    world.status = {};
    world.settle();
    expect(world.done).toEqual(['apply a']);
    for (const name of ['a', 'b', 'c']) world.fulfilled.add(name);
    world.settle();
    expect(world.placed.toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('follows a state of before, which does not know what the stages selected', () => {
    const world = three();
    const { known: _none, ...before } = world.state;
    world.state = before;
    edit(world, 's0>a', 's1', 's2').settle();
    expect(world.done).toEqual(['apply a', 'remove s0']);
    const other = three();
    const { known: _neither, ...earlier } = other.state;
    other.state = earlier;
    edit(other, 's0>a', 's1>b', 's2>c').settle();
    expect(other.done).toEqual(['apply a']);
    for (const name of ['a', 'b', 'c']) other.fulfilled.add(name);
    other.settle();
    expect(other.placed.toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('counts a renamed stage as passed where passed stages are not kept, so that it is gone back to', () => {
    const world = edit(three({ stageRetention: 'Remove' }, 1), 's0>a', 's1', 's2');
    world.settle();
    expect(world.done).toEqual([]);
    expect(phases(world)).toEqual(['a Passed', 's1 Waiting', 's2 Pending']);
    world.ask('abort');
    world.settle();
    expect(world.done).toEqual(['apply a', 'remove s1']);
  });

  it('goes back to a stage that is renamed while another one is taken back', () => {
    const world = three({}, 2);
    world.ask('abort');
    edit(world, 's0', 's1>b', 's2').settle();
    expect(world.done).toEqual(['apply b', 'remove s2', 'remove s1']);
    expect(world.status).toMatchObject({ phase: 'RolledBack', activeStage: 'b' });
  });

  it('places no stage that was taken back', () => {
    const world = three({}, 2);
    world.ask('abort');
    world.settle();
    world.done.length = 0;
    expect(edit(world, 's0>a', 's1', 's2>c').settle()).toMatchObject({ phase: 'RolledBack' });
    expect(world.done).toEqual(['apply a', 'remove s0']);
    expect(edit(world, 'a', 's1>b', 'c>d').settle()).toMatchObject({ phase: 'RolledBack' });
    expect(world.placed.toSorted()).toEqual(['a', 's1']);
    world.ask('retry');
    world.settle();
    expect(world.placed.toSorted()).toEqual(['a', 'b']);
  });

  it('takes away what a late write has left of a stage that was taken back, whatever its name is now', () => {
    const world = three({}, 2);
    const late = world.policies.filter((one) => one.stage === 's2');
    world.ask('abort');
    world.settle();
    world.policies = [...world.policies, ...late];
    edit(world, 's0', 's1', 's2>c').settle();
    expect(world.placed).toEqual(['s0', 's1']);
  });

  it('skips no stage when the newest is renamed and moved behind it', () => {
    const world = edit(three({}, 1), 's0', 's2', 's1>x');
    world.settle();
    expect(world.placed).toEqual(['s0', 's1', 's2']);
    world.fulfilled.add('s2');
    world.settle();
    expect(world.done).toEqual(['apply s2', 'apply x', 'remove s1']);
  });

  it('takes a renamed stage back under both of its names', () => {
    const world = new World(aSpec([{}]));
    world.settle();
    world.unbound.add('a');
    edit(world, 's0>a').settle();
    expect(world.placed).toEqual(['s0', 'a']);
    world.ask('abort');
    world.settle();
    expect(world.placed).toEqual([]);
  });

  it('keeps what a stage reached under its former name until it reaches all of its clusters again', () => {
    const world = new World(aSpec([{ progressive: { maxConcurrency: 1 } }, {}]));
    for (const name of ['s0', 'a']) world.clusters.set(name, ['c1', 'c2']);
    world.ill.add('c2');
    world.settle();
    edit(world, 's0>a', 's1').settle();
    expect(world.placed).toEqual(['s0', 'a']);
    world.ill.clear();
    world.settle();
    expect(world.placed.toSorted()).toEqual(['a', 's1']);
  });

  it('begins a stage that is put behind the last one when that is completed', () => {
    const world = edit(three(), 's0', 's1', 's2', of('s3', 's3'));
    expect(world.settle()).toMatchObject({ phase: 'Progressing', reason: 'Waiting' });
    expect(world.done).toEqual(['apply s3']);
    expect(world.status.activeStage).toBe('s3');
  });

  it('asks for approval of a completed stage that is not the last one any more', () => {
    const world = new World(aSpec([{ approval: 'Manual' }]));
    world.fulfilled.add('s0');
    expect(world.settle()).toMatchObject({ phase: 'Completed' });
    edit(world, 's0', of('s1', 's1'));
    expect(world.settle()).toMatchObject({ phase: 'Paused', reason: 'WaitingForApproval' });
    world.ask('promote');
    world.settle();
    expect(world.status.activeStage).toBe('s1');
  });
});

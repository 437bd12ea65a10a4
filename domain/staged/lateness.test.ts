import { describe, expect, it } from 'vitest';
import { aSpec, World } from './testing/world.ts';

type Changes = Parameters<typeof aSpec>[0][number];

/** A StagedBindingPolicy of two stages, of which the first is taken back when it is late. */
const aWorld = (changes: Changes = {}): World =>
  new World(aSpec([{ timeout: '1h', onTimeout: 'Rollback', ...changes }, {}]));

const hours = (many: number): number => many * 3_600_000;

describe('a stage with a timeout', () => {
  it.each([
    ['is bound again', (world: World, isIll: boolean) => void (world.binds = !isIll)],
    [
      'is not fulfilled for a moment',
      (world: World, isIll: boolean) =>
        void (isIll ? world.fulfilled.delete('s0') : world.fulfilled.add('s0')),
    ],
  ])('is not late when it was fulfilled in time, waits for a person, and %s', (_, fall) => {
    const world = aWorld({ approval: 'Manual' });
    world.fulfilled.add('s0');
    world.settle();
    world.now += hours(2);
    fall(world, true);
    expect(world.settle()).toMatchObject({ phase: 'Progressing' });
    world.now += 60_000;
    fall(world, false);
    expect(world.settle()).toMatchObject({ reason: 'WaitingForApproval' });
    fall(world, true);
    world.settle();
    world.now += hours(1);
    expect(world.settle()).toMatchObject({ reason: 'TimedOut' });
  });

  it('is late when it is fulfilled now and then, and never for as long as it has to be', () => {
    const world = aWorld({ soak: '10m' });
    for (let times = 0; times < 14; times += 1) {
      world.now += 300_000;
      if (times % 2 === 0) world.fulfilled.add('s0');
      else world.fulfilled.delete('s0');
      world.settle();
    }
    expect(world.status.held).toMatchObject({ reason: 'TimedOut' });
  });

  it('has as long again when Temporal has lost what was known of it', () => {
    const world = aWorld({ approval: 'Manual' });
    world.fulfilled.add('s0');
    world.settle();
    world.now += hours(2);
    world.forget();
    world.binds = false;
    expect(world.settle()).toMatchObject({ reason: 'Binding', until: world.now + hours(1) });
  });

  it.each([
    ['a pause', (world: World) => world.ask('pause'), (world: World) => world.ask('resume')],
    [
      'a space that is away',
      (world: World) => void (world.problems = [{ reason: 'SpaceNotReached', message: 'It is away.' }]),
      (world: World) => void (world.problems = []),
    ],
  ])('does not count the time of %s', (_, hold, letGo) => {
    const world = aWorld();
    world.settle();
    world.now += hours(0.5);
    hold(world);
    world.settle();
    world.now += hours(5);
    world.settle();
    world.now += hours(5);
    letGo(world);
    expect(world.settle()).toMatchObject({ reason: 'Waiting', until: world.now + hours(0.5) });
    world.now += hours(0.5);
    world.settle();
    expect(world.placed).toEqual([]);
  });

  it('does not count the time for which nobody could look at its clusters', () => {
    const world = aWorld({ timeout: '24h', progressive: { progressDeadline: '1h' } });
    world.clusters.set('s0', ['a', 'b']);
    world.ill.add('b');
    world.settle();
    world.now += hours(0.5);
    world.unseen = { reason: 'SpaceNotReached', message: 'It is away.' };
    world.settle();
    world.now += hours(5);
    world.settle();
    world.unseen = undefined;
    expect(world.settle()).toMatchObject({ reason: 'Waiting', until: world.now + hours(0.5) });
    world.now += hours(0.5);
    expect(world.settle()).toMatchObject({ reason: 'TooManyFailures' });
    expect(world.placed).toEqual([]);
  });

  it('does not count the time for which a Freeze holds its next clusters', () => {
    const world = aWorld({ progressive: { maxConcurrency: 1 } });
    world.clusters.set('s0', ['a', 'b']);
    world.ill.add('a');
    world.settle();
    world.ill.clear();
    world.freezes = [{ name: 'year-end', by: 'ops', reason: 'Christmas.' }];
    world.now += 1000;
    expect(world.settle()).toMatchObject({ reason: 'WaitingForFreeze' });
    world.now += hours(24);
    expect(world.settle()).toMatchObject({ reason: 'WaitingForFreeze' });
    world.freezes = [];
    world.ill.add('b');
    expect(world.settle()).toMatchObject({ reason: 'Waiting', until: world.now + hours(1) - 1000 });
    expect(world.policies[0]?.only).toEqual(['a', 'b']);
  });
});

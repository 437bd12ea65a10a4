import { describe, expect, it } from 'vitest';
import { edit, envsOf, of, reached, three } from './testing/edits.ts';
import { aSpec, World } from './testing/world.ts';

describe('an edit of stages whose clusters are served', () => {
  it.each<[string, (world: World) => void]>([
    ['is renamed', (world) => edit(world, 's0', 's1', 's2>prod')],
    ['is renamed and selects more', (world) => edit(world, 's0', 's1', of('prod', 's2', 'more'))],
    ['is split', (world) => edit(world, 's0', 's1', of('a', 's2'), of('b', 'b'))],
    ['is one with the stage before', (world) => edit(world, 's0', of('both', 's1', 's2'))],
    ['is deleted, so that a passed one is the last again', (world) => edit(world, 's0', 's1')],
    ['is moved ahead of passed ones', (world) => edit(world, 's2', 's0', 's1').settle()],
    [
      'is renamed in two edits: the new name first, and then without the old one',
      (world) => {
        edit(world, 's0', 's1', of('prod', 's2'), 's2').settle();
        edit(world, 's0', 's1', 'prod');
      },
    ],
    [
      'is not the last any more, what comes after it is aborted, and someone tries again',
      (world) => {
        edit(world, 's0', 's1', 's2', of('s3', 's3')).settle();
        world.ask('abort');
        world.settle();
        world.fulfilled.delete('s2');
        world.ask('retry');
      },
    ],
    ['has lost its status as well as what Temporal knows', (world) => ((world.status = {}), world.forget())],
  ])(
    'takes nothing from clusters that are served because the completed stage %s and is late',
    (_, happens) => {
      for (const forgets of [false, true]) {
        const world = three();
        const served = reached(world);
        happens(world);
        const stages = world.spec.stages.map((one) => ({
          ...one,
          timeout: '1h',
          onTimeout: 'RollBack' as const,
        }));
        world.spec = { ...world.spec, stages };
        // Another cluster joins, or the workload is edited.
        world.version += 1;
        world.fulfilled.clear();
        world.settle();
        if (forgets) world.forget();
        world.settle();
        world.now += 3_600_000;
        expect(world.settle()).toMatchObject({ phase: 'Paused', reason: 'TimedOut' });
        const asked = stages.flatMap(({ clusterSelectors }) => envsOf(clusterSelectors));
        expect(reached(world)).toEqual(expect.arrayContaining(served.filter((env) => asked.includes(env))));
        const late = world.status.stages?.find(({ phase }) => phase === 'TimedOut');
        expect(late).toMatchObject({ completed: true });
      }
    },
  );

  it('takes no clusters from a stage that another one has got until that reaches them', () => {
    const world = new World({ ...aSpec([{}]), stages: [of('a', 'x', 'eu'), of('b', 'y')] });
    for (const name of ['a', 'b']) world.fulfilled.add(name);
    world.settle();
    world.done.length = 0;
    world.unbound.add('b');
    edit(world, of('a', 'x'), of('b', 'y', 'eu')).settle();
    expect(world.done).toEqual(['apply a', 'apply b']);
    expect(reached(world).toSorted()).toEqual(['eu', 'eu', 'x', 'x', 'y']);
    world.unbound.clear();
    world.settle();
    expect(world.done.slice(2)).toEqual(['apply a']);
    expect(reached(world).toSorted()).toEqual(['eu', 'x', 'y']);
  });

  it('takes the workload from no cluster when two stages exchange theirs', () => {
    const world = new World({ ...aSpec([{}]), stages: [of('a', 'x'), of('b', 'y')] });
    for (const name of ['a', 'b']) world.fulfilled.add(name);
    world.settle();
    edit(world, of('a', 'y'), of('b', 'x')).settle((decision) => {
      expect(reached(world)).toEqual(expect.arrayContaining(['x', 'y']));
      world.unbound.clear();
      if (decision.do === 'Apply') world.unbound.add(decision.stage);
    });
    expect(reached(world)).toEqual(expect.arrayContaining(['x', 'y']));
    world.unbound.clear();
    world.settle();
    world.unbound.clear();
    expect(world.settle()).toMatchObject({ phase: 'Completed' });
    expect(reached(world).toSorted()).toEqual(['x', 'y']);
  });

  it('takes nothing back by itself from a stage that has got clusters of a passed one', () => {
    const late = { timeout: '1h', onTimeout: 'RollBack' } as const;
    const world = new World({ ...aSpec([{}]), stages: [of('a', 'x', 'eu'), { ...of('b', 'y'), ...late }] });
    world.fulfilled.add('a');
    world.settle();
    edit(world, of('a', 'x'), { ...of('b', 'y', 'eu'), ...late }).settle();
    world.now += 3_600_000;
    expect(world.settle()).toMatchObject({ phase: 'Paused', reason: 'TimedOut' });
    expect(world.placed.toSorted()).toEqual(['a', 'b']);
  });
});

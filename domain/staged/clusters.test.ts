import { describe, expect, it } from 'vitest';
import type { StagedBindingPolicySpec } from '../../crds/staged-binding-policy.ts';
import { aSpec, World } from './testing/world.ts';

const MINUTE = 60_000;
const few = { maxConcurrency: 2, progressDeadline: '10m' };
const FIVE = ['c1', 'c2', 'c3', 'c4', 'c5'];

/** A stage of five clusters that are reached two at a time, and another stage. */
function five(
  first: Partial<StagedBindingPolicySpec['stages'][number]> = { progressive: few },
  more: Partial<StagedBindingPolicySpec> = {},
): World {
  const world = new World(aSpec([first, {}], more));
  world.clusters.set('s0', FIVE);
  for (const name of FIVE) world.ill.add(name);
  return world;
}
const cure = (world: World, ...names: string[]): void => {
  for (const name of names) world.ill.delete(name);
};
const reached = ({ policies }: World) => policies.find(({ stage }) => stage === 's0')?.only;
const clusters = ({ status }: World) => status.stages?.[0]?.clusters;

describe('a stage that reaches its clusters a few at a time', () => {
  it('asks which there are, begins with some, continues as they are done, and ends with all that it selects', () => {
    const world = five();
    expect(world.settle()).toMatchObject({
      phase: 'Progressing',
      reason: 'Waiting',
      until: world.now + 10 * MINUTE,
    });
    expect(world.done).toEqual(['select s0', 'apply s0', 'reach c1 c2']);
    expect(clusters(world)).toEqual({ of: 5, reached: 2, done: 0, failed: 0, failing: [] });
    cure(world, 'c2');
    world.settle();
    expect(reached(world)).toEqual(['c1', 'c2', 'c3']);
    cure(world, 'c1', 'c3');
    world.settle();
    expect(world.status.message).toContain('3 of 5 clusters fulfil it, 2 in progress');
    expect(reached(world)).toEqual(FIVE);
    expect(world.status.activeStage).toBe('s0');
    cure(world, ...FIVE);
    world.settle();
    expect(world.status).toMatchObject({ activeStage: 's1' });
    expect(clusters(world)).toMatchObject({ of: 5, done: 5 });
    // What joins later is reached like in any stage, and nothing is asked any more.
    expect(reached(world)).toBeUndefined();
    expect(world.selection).toBeUndefined();
    expect(world.placed).toEqual(['s0', 's1']);
  });

  it('leaves an earlier stage that is not kept the clusters that both may select until it is over', () => {
    const world = five(
      { clusterSelectors: [{ matchLabels: { env: 'prod', canary: 'yes' } }] },
      { stageRetention: 'Remove' },
    );
    const [canary, prod] = world.spec.stages;
    const selecting = { clusterSelectors: [{ matchLabels: { env: 'prod' } }], progressive: few };
    world.spec = { ...world.spec, stages: [canary!, { ...prod!, ...selecting }] };
    world.clusters.delete('s0');
    world.clusters.set('s1', FIVE);
    world.fulfilled.add('s0');
    world.settle();
    cure(world, 'c1', 'c2');
    world.settle();
    expect(world.placed.toSorted()).toEqual(['s0', 's1']);
    cure(world, ...FIVE);
    world.unbound.add('s1');
    world.settle();
    expect(world.placed.toSorted()).toEqual(['s0', 's1']);
    world.unbound.clear();
    expect(world.settle()).toMatchObject({ phase: 'Completed' });
    expect(world.placed).toEqual(['s1']);
  });

  it('waits while KubeStellar has not said which clusters there are, or there are none', () => {
    const world = five();
    world.clusters.set('s0', []);
    world.settle();
    expect([world.placed, world.done]).toEqual([[], ['select s0']]);
  });

  it('begins with no cluster when the window has shut by the time that it is known which there are', () => {
    const windows = [{ timeZone: 'UTC', start: '08:00', end: '09:00' }];
    const world = five({ progressive: few }, { windows });
    world.clusters.set('s0', []);
    world.settle();
    world.now += 90 * MINUTE;
    if (world.selection !== undefined) world.selection = { ...world.selection, clusters: FIVE };
    expect(world.settle()).toMatchObject({ reason: 'WaitingForWindow' });
    expect(world.placed).toEqual([]);
  });

  it('stops when more clusters have failed than may, and continues when someone tries again', () => {
    const world = five();
    world.settle();
    cure(world, 'c2');
    world.settle();
    world.now += 10 * MINUTE;
    expect(world.settle()).toMatchObject({
      phase: 'Paused',
      reason: 'TooManyFailures',
      message: expect.stringContaining('2 of 5 clusters did not fulfil it in time: c1, c3.') as string,
    });
    expect(clusters(world)).toMatchObject({ done: 1, failed: 2, failing: ['c1', 'c3'] });
    expect(reached(world)).toEqual(['c1', 'c2', 'c3']);
    cure(world, ...FIVE);
    expect(world.settle()).toMatchObject({ reason: 'TooManyFailures' });
    world.ask('retry');
    world.settle();
    expect(world.status.activeStage).toBe('s1');
  });

  it('takes the stage back when more have failed than may, where that is asked for', () => {
    const world = five({ progressive: few, onTimeout: 'Rollback' });
    world.settle();
    world.now += 10 * MINUTE;
    expect(world.settle()).toMatchObject({ reason: 'TooManyFailures' });
    expect([world.placed, world.selection]).toEqual([[], undefined]);
  });

  it('continues past failures that may be, and is over with them', () => {
    const world = five({ progressive: { ...few, maxFailures: '20%' } });
    cure(world, 'c2', 'c3', 'c4', 'c5');
    world.settle();
    expect(world.status.activeStage).toBe('s0');
    world.now += 10 * MINUTE;
    world.settle();
    expect(world.status.activeStage).toBe('s1');
    expect(clusters(world)).toMatchObject({ done: 4, failed: 1, failing: ['c1'] });
  });

  it('has no failures in a mandatory stage, whatever all stages may', () => {
    const world = five({ mandatory: true }, { progressive: { ...few, maxFailures: '100%' } });
    cure(world, 'c2', 'c3', 'c4', 'c5');
    world.settle();
    world.now += 10 * MINUTE;
    expect(world.settle()).toMatchObject({ reason: 'TooManyFailures' });
  });

  it('begins with no cluster during a Freeze, outside its windows, and while it is paused', () => {
    const world = five();
    world.settle();
    cure(world, 'c1');
    world.freezes = [{ name: 'year-end', by: 'ops', reason: 'Christmas.' }];
    expect(world.settle()).toMatchObject({ phase: 'Waiting', reason: 'WaitingForFreeze' });
    world.freezes = [];
    world.spec = { ...world.spec, windows: [{ timeZone: 'UTC', start: '20:00', end: '21:00' }] };
    expect(world.settle()).toMatchObject({ phase: 'Waiting', reason: 'WaitingForWindow' });
    const { windows: _none, ...open } = world.spec;
    world.spec = open;
    world.ask('pause');
    expect(world.settle()).toMatchObject({ phase: 'Paused' });
    expect(reached(world)).toEqual(['c1', 'c2']);
    world.now += 60 * MINUTE;
    world.ask('resume');
    // What was not looked at for an hour is not late.
    expect(world.settle()).toMatchObject({ reason: 'Waiting' });
    expect(reached(world)).toEqual(['c1', 'c2', 'c3']);
  });

  it('takes the workload from no cluster when Temporal has lost everything, nor when the status is lost as well', () => {
    const world = five();
    world.settle();
    cure(world, 'c1');
    world.settle();
    for (const status of [world.status, {}]) {
      world.forget();
      world.status = status;
      world.settle();
      expect(reached(world)).toEqual(['c1', 'c2', 'c3']);
    }
    cure(world, ...FIVE);
    world.settle();
    expect(world.status.activeStage).toBe('s1');
  });

  it('gives clusters as long again when the workload is edited, and takes it from none', () => {
    const world = five();
    world.settle();
    cure(world, 'c1', 'c2');
    world.settle();
    world.now += 9 * MINUTE;
    world.version += 1;
    for (const name of FIVE) world.ill.add(name);
    expect(world.settle()).toMatchObject({ until: world.now + 10 * MINUTE });
    expect(reached(world)).toEqual(['c1', 'c2', 'c3', 'c4']);
    expect(clusters(world)).toMatchObject({ done: 0, failed: 0 });
  });

  it('asks again when what it has asked by is deleted, and passes no stage meanwhile', () => {
    const world = five();
    world.settle();
    world.selection = undefined;
    world.settle();
    expect(world.done.slice(-1)).toEqual(['select s0']);
  });

  it('reaches the clusters that are left at once when someone finishes the stage', () => {
    const world = five();
    world.settle();
    world.ask('promote');
    world.settle();
    expect(reached(world)).toBeUndefined();
    expect(world.placed).toEqual(['s0', 's1']);
  });

  it('leaves a stage as it is whose BindingPolicy reaches all clusters already', () => {
    const world = five({});
    world.fulfilled.clear();
    world.clusters.delete('s0');
    world.settle();
    world.spec = aSpec([{ progressive: few }, {}]);
    world.clusters.set('s0', FIVE);
    world.settle();
    expect(reached(world)).toBeUndefined();
    expect(clusters(world)).toMatchObject({ of: 5, reached: 5 });
    expect(world.done).toEqual(['apply s0']);
  });

  it('is not completed any more when a cluster joins, and does not begin again with the others', () => {
    const world = new World(aSpec([{ progressive: few }]));
    world.clusters.set('s0', ['c1', 'c2']);
    expect(world.settle()).toMatchObject({ phase: 'Completed' });
    world.now += 5 * MINUTE;
    world.ill.add('c1');
    expect(world.settle()).toMatchObject({ phase: 'Completed' });
    world.clusters.set('s0', ['c1', 'c2', 'c3']);
    world.ill.add('c3');
    expect(world.settle()).toMatchObject({ phase: 'Progressing' });
    expect(clusters(world)).toMatchObject({ of: 3, reached: 3, done: 1 });
    world.ill.clear();
    expect(world.settle()).toMatchObject({ phase: 'Completed' });
  });

  it('lets clusters that come and go keep none from being late', () => {
    const world = five();
    world.settle();
    for (const all of [[...FIVE, 'c6'], FIVE, [...FIVE, 'c6']]) {
      world.now += 4 * MINUTE;
      world.clusters.set('s0', all);
      if (world.selection !== undefined) world.selection = { ...world.selection, clusters: all };
      world.settle();
    }
    expect(world.status.reason).toBe('TooManyFailures');
  });

  it('asks about the clusters of the next stage when it comes to that', () => {
    const world = new World(aSpec([{}, {}], { progressive: few }));
    world.clusters.set('s0', ['d1']);
    world.clusters.set('s1', ['p1', 'p2', 'p3']);
    world.settle();
    expect(world.status.phase).toBe('Completed');
    expect(world.done).toEqual([
      'select s0',
      'apply s0',
      'reach d1',
      'apply s0',
      'forget s0',
      'select s1',
      'apply s1',
      'reach p1 p2',
      'apply s1',
      'reach p1 p2 p3',
      'apply s1',
      'forget s1',
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { requestNames } from '../model/request.ts';
import { clusters, jobs, ruleAt, web } from './testing/applications.ts';
import { ApplicationsWorld } from './testing/world.ts';
import { isUrgentlyAsked } from './requests.ts';

/** A Cell with two applications whose traffic is held side by side, after a check has failed. */
function moving(): ApplicationsWorld {
  const other = web({ name: 'other', alb: ruleAt(11) });
  const world = new ApplicationsWorld({
    clusters: clusters('web-v1', 'jobs-v1'),
    applications: [web(), other, jobs()],
    parallel: true,
    onFailure: 'Hold',
  }).run();
  for (const name of ['web', 'other']) world.failing.add(`traffic of ${name}`);
  world.edit({ clusters: clusters('web-v2', 'jobs-v1') });
  world.run();
  world.trace.length = 0;
  return world;
}

const hurry = (world: ApplicationsWorld): string => world.turn('nothing', world.observeWithoutClusters()).do;

describe('a turn that does not wait for EKS and the clusters', () => {
  it.each([
    ['abort', ['web ApplyChild 1', 'other ApplyChild 1', 'web Forward abort', 'other Forward abort']],
    ['pause', []],
  ] as const)('does all that is asked with %s of all applications', (request, want) => {
    const world = moving();
    world.ask(request);
    for (let turn = 0; turn < 12 && hurry(world) === 'Act'; turn += 1);
    expect(world.trace).toEqual(want);
    expect(world.status.requests).toMatchObject([{ action: request }]);
    expect(world.status.clusters).toMatchObject([{ ready: true }, { ready: true }]);
  });

  it('does nothing that goes forward, and no secret', () => {
    const world = moving();
    world.edit({ clusters: clusters('web-v2', 'jobs-v2') });
    world.secrets.delete('jobs-v1');
    expect(hurry(world)).toBe('Wait');
    expect(world.trace).toEqual([]);
  });

  it.each<readonly [string, (world: ApplicationsWorld) => void]>([
    ['retry', (world) => world.ask('retry')],
    ['an edit', (world) => world.edit({ healthTimeout: '11m' })],
  ])('waits for clusters that are not ready as long again after %s', (_, ask) => {
    const world = new ApplicationsWorld({
      clusters: clusters('web-v1', 'jobs-v1').map((one) => ({ ...one, readyTimeout: '60m' })),
      applications: [web(), jobs()],
    });
    world.ready.set('jobs-v1', false);
    world.run();
    world.pass(3600);
    world.turn();
    expect(world.status.reason).toBe('ClustersNotReady');
    const [ready] = world.status.clusters ?? [];
    ask(world);
    hurry(world);
    expect(world.status.clusters).toMatchObject([ready, { ready: false }]);
    world.turn();
    expect(world.status).toMatchObject({ phase: 'Waiting', reason: 'WaitingForClusters' });
    world.pass(3600);
    world.turn();
    expect(world.status.reason).toBe('ClustersNotReady');
  });

  it('is taken for what holds traffic or takes it back', () => {
    const asked = requestNames.filter((action) => {
      const request = { action, by: 'ann', reason: '', at: 0 };
      return isUrgentlyAsked({ asked: [request], forwards: [], troubles: {}, repeated: {} });
    });
    expect(asked.toSorted()).toEqual(['abort', 'pause']);
  });
});

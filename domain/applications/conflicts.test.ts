import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clusters, clustersFor, job, labelled } from './testing/applications.ts';
import { ApplicationsWorld } from './testing/world.ts';

type Map = Readonly<Record<string, string>>;

/** Applications in place on these clusters, each by its own label. */
function placed(first: Map, more: object = {}): ApplicationsWorld {
  const applications = [labelled('web'), labelled('api'), labelled('jobs')];
  const world = new ApplicationsWorld({ clusters: clustersFor(first), applications, ...more }).run();
  expect(world.status.phase).toBe('Completed');
  world.trace.length = 0;
  return world;
}

const turns = (world: ApplicationsWorld, count = 120): void => {
  for (let turn = 0; turn < count; turn += 1) world.turn();
};

const askingIn = (world: ApplicationsWorld): unknown =>
  Object.fromEntries([...world.secrets].map(([name, { asking }]) => [name, asking]));

const apart = { c1: 'api', c2: 'web', c3: 'jobs' };
const refusal = (application: string, cluster: string, by: string): string =>
  `${application}: cannot set label app of Secret ${cluster} to ${application} for application ${application}: application ${by} has it as ${by} on cluster ${cluster}. Do it in two edits: have application ${by} leave the cluster or drop the label, and edit application ${application} once that is in place. Next: Beginning with revision 2.`;

describe('an application that asks for a label by which another one is deployed on its cluster', () => {
  it.each<readonly [string, Map]>([
    ['another', { c1: 'web', c2: 'api', c3: 'jobs' }],
    ['others in a circle', { c1: 'web', c2: 'jobs', c3: 'api' }],
  ])('is refused when it exchanges clusters with %s, and may in two edits', (_, wanted) => {
    for (const parallel of [false, true]) {
      const world = placed(apart, { parallel });
      world.edit({ clusters: clustersFor(wanted) });
      expect(world.run().trace).toEqual([]);
      expect(world.status).toMatchObject({ phase: 'Failed', reason: 'Conflict' });
      expect(world.status.message).toBe(refusal('web', 'c1', 'api'));
      world.edit({ clusters: clustersFor({ c4: 'web', c5: 'api', c6: 'jobs' }) });
      expect(world.run().status.phase).toBe('Completed');
      world.edit({ clusters: clustersFor(wanted) });
      expect(world.run().status.phase).toBe('Completed');
    }
  });

  it('does not come to the cluster before the other is in place elsewhere, and cannot return', () => {
    const api = { ...labelled('api'), postchecks: [{ name: 'after-api', job }] };
    const world = placed(apart, { parallel: true, applications: [labelled('web'), api, labelled('jobs')] });
    world.failing.add('after-api');
    world.edit({ clusters: clustersFor({ c1: 'web', c4: 'api', c3: 'jobs' }) });
    turns(world);
    expect(world.status.applications).toMatchObject([{ reason: 'Conflict' }, { reason: 'Reverted' }, {}]);
    expect([...world.deployed].toSorted()).toEqual(['api/c1', 'jobs/c3', 'web/c2']);
    world.failing.clear();
    world.ask('retry');
    expect(world.run().status.phase).toBe('Completed');
    expect([...world.deployed].toSorted()).toEqual(['api/c4', 'jobs/c3', 'web/c1']);
  });

  it('is not refused while it waits for its turn behind the other', () => {
    const world = placed({ c1: 'web', c2: 'api', c3: 'jobs' });
    world.edit({ clusters: clustersFor({ c4: 'web', c1: 'api', c3: 'jobs' }) });
    for (let turn = 0; turn < 60; turn += 1) {
      world.turn();
      expect(world.status.phase).not.toBe('Failed');
    }
    expect(askingIn(world)).toMatchObject({ c1: { api: { app: 'api' } } });
  });

  const both = (name: string, app?: string): object => ({
    ...labelled(name),
    argocd: { clusterSecret: { labels: app === undefined ? {} : { app } } },
    clusterSelector: { for: 'both' },
  });
  const sharing = (parallel: boolean): ApplicationsWorld =>
    new ApplicationsWorld({
      clusters: clustersFor({ c1: 'both' }),
      applications: [both('web', 'a'), both('api', 'a')],
      parallel,
    }).run();

  it.each([false, true])('is refused where both get the same new value; in parallel: %s', (parallel) => {
    const world = sharing(parallel);
    world.trace.length = 0;
    world.edit({ applications: [both('web', 'b'), both('api', 'b')] });
    expect(world.run().trace).toEqual([]);
    expect(world.status).toMatchObject({ phase: 'Failed', reason: 'Conflict' });
    world.edit({ applications: [both('web', 'a'), both('api')] });
    expect(world.run().status.phase).toBe('Completed');
    world.edit({ applications: [both('web', 'b'), both('api')] });
    expect(world.run().status.phase).toBe('Completed');
    expect(askingIn(world)).toEqual({ c1: { web: { app: 'b' }, api: {} } });
  });

  it('does not take it, also when it is new and comes first', () => {
    const of = (name: string): object => ({ ...labelled(name), clusterSelector: { role: 'web' } });
    const world = new ApplicationsWorld({ clusters: clusters('web-v1'), applications: [of('web')] }).run();
    world.trace.length = 0;
    world.edit({ applications: [of('api'), of('web')] });
    expect(world.run().trace).toEqual([]);
    expect(askingIn(world)).toEqual({ 'web-v1': { web: { app: 'web' } } });
    expect(world.status.applications).toMatchObject([
      { name: 'api', phase: 'Pending', reason: 'Conflict' },
      { name: 'web', reason: 'InvalidApplication' },
    ]);
  });

  it('gets back nothing that someone has given to another one by hand', () => {
    const world = placed(apart);
    world.secrets.set('c2', { asking: { api: { app: 'api' } }, isOwn: true });
    expect(world.run().trace).toEqual([]);
    expect(world.status).toMatchObject({ phase: 'Failed', reason: 'Conflict' });
  });
});

const names = ['web', 'api', 'jobs'];

describe('whatever applications are moved, and whatever fails', () => {
  it('a label of a secret has one value, and nothing that goes back is refused', () => {
    const place = fc.constantFrom(...names, 'none');
    const change = fc.oneof(
      { weight: 6, arbitrary: fc.constant('turn' as const) },
      fc.tuple(place, place, place, place),
      fc.constantFrom('after-web', 'after-api', 'after-jobs'),
      fc.constantFrom('retry' as const, 'abort' as const),
    );
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), fc.boolean(), (changes, parallel) => {
        const deletesFirst = { type: 'DeleteBeforeCreate' };
        const of = (name: string): object => ({
          ...labelled(name),
          argocd: {
            clusterSecret: { labels: { app: name } },
            applicationSet: { name },
            ...(name === 'api' ? {} : { updateStrategy: deletesFirst }),
          },
          postchecks: [{ name: `after-${name}`, job }],
        });
        const world = placed(apart, { parallel, applications: names.map(of) });
        for (const one of changes) {
          if (one === 'turn') world.turn();
          else if (one === 'retry' || one === 'abort') world.ask(one);
          else if (typeof one !== 'string')
            world.edit({
              clusters: clustersFor({
                ...Object.fromEntries(one.map((name, at) => [`c${at + 1}`, name])),
                ...Object.fromEntries(names.map((name) => [`own-${name}`, name])),
              }),
            });
          else if (!world.failing.delete(one)) world.failing.add(one);
          for (const { phase, reason } of world.status.applications ?? [])
            expect([phase, reason]).not.toEqual(['Reverting', 'Conflict']);
          for (const { asking } of world.secrets.values())
            expect(new Set(Object.values(asking).map(({ app }) => app)).size).toBeLessThan(2);
        }
        world.failing.clear();
        for (const those of [
          ['d1', 'd2', 'd3'],
          ['d1', 'd2', 'd3'],
          ['c1', 'c2', 'c3'],
        ]) {
          world.edit({
            clusters: clustersFor(Object.fromEntries(names.map((name, at) => [those[at], name]))),
          });
          world.ask('retry');
          world.run();
          world.pass(60);
          world.run();
        }
        expect(world.status.phase).toBe('Completed');
      }),
      { numRuns: 60 },
    );
  });
});

import { describe, expect, it } from 'vitest';
import { clusters, clustersFor, job, labelled } from './testing/applications.ts';
import { ApplicationsWorld, type Edit } from './testing/world.ts';

/** Two applications in place, on clusters of their own. */
function apart(more: object = {}): ApplicationsWorld {
  const world = new ApplicationsWorld({
    clusters: clustersFor({ c1: 'api', c2: 'web' }),
    applications: [labelled('web'), labelled('api')],
    ...more,
  }).run();
  expect(world.status.phase).toBe('Completed');
  world.trace.length = 0;
  return world;
}

describe('an application that asks for a label by which another one is deployed on its cluster', () => {
  const toAnother = clustersFor({ c1: 'web', c2: 'none', c3: 'api' });

  it('does not take it, also when it comes first', () => {
    const of = (name: string, app = name): object => ({
      ...labelled(name, app),
      clusterSelector: { role: 'web' },
    });
    const world = new ApplicationsWorld({ clusters: clusters('web-v1'), applications: [of('web')] }).run();
    world.trace.length = 0;
    world.edit({ applications: [of('api'), of('web')] });
    expect(world.run().trace).toEqual([]);
    expect(world.secrets.get('web-v1')?.asking).toEqual({ web: { app: 'web' } });
    expect(world.status.applications).toMatchObject([
      { name: 'api', phase: 'Pending', reason: 'Conflict' },
      { name: 'web', reason: 'InvalidApplication' },
    ]);
  });

  it('waits until the other has left', () => {
    const world = apart({ parallel: true });
    world.edit({ clusters: toAnother });
    expect(world.run().status.phase).toBe('Completed');
    expect(world.trace.indexOf('api RemoveLabels 2')).toBeLessThan(world.trace.indexOf('web SaveRevision 2'));
    expect([...world.secrets].map(([name, { asking }]) => [name, asking])).toEqual([
      ['c1', { web: { app: 'web' } }],
      ['c3', { api: { app: 'api' } }],
    ]);
  });

  it('says what to do when the other can leave only after it', () => {
    const world = apart();
    world.edit({ clusters: toAnother });
    expect(world.run().trace).toEqual([]);
    expect(world.status).toMatchObject({
      phase: 'Waiting',
      reason: 'Conflict',
      message:
        'web: Expected the label app of the secret of cluster c1 to have one value, got api, by which application api is deployed there, and web. Waiting until application api is not deployed by it any more, for which spec.parallel has to be true if it comes later; or use another label. Next: Beginning with revision 2.',
    });
    world.edit({ parallel: true });
    expect(world.run().status.phase).toBe('Completed');
  });

  it.each<readonly [string, Readonly<Record<string, string>>, string]>([
    ['the other', { c1: 'web', c2: 'api' }, 'web, api'],
    ['others', { c1: 'web', c2: 'jobs', c3: 'api' }, 'web, api, jobs'],
  ])('says what to do when it exchanges clusters with %s, so that none can go first', (_, wanted, those) => {
    const applications = [labelled('web'), labelled('api'), labelled('jobs')];
    const first = clustersFor({ c1: 'api', c2: 'web', c3: 'jobs' });
    for (const parallel of [false, true]) {
      const world = apart({ parallel, clusters: first, applications });
      world.edit({ clusters: clustersFor({ c3: 'jobs', ...wanted }) });
      expect(world.run().trace).toEqual([]);
      const web = world.status.applications?.[0]?.message;
      expect(web).toContain('by which application api is deployed there, and web.');
      expect(web).toContain(
        `Every one of the applications ${those} waits for another to leave, so that none goes first. Have one of them leave its cluster with an edit before, or use another label.`,
      );
      world.edit({ clusters: clustersFor({ c1: 'none', c2: 'web', c4: 'api', c3: 'jobs' }) });
      expect(world.run().status.phase).toBe('Completed');
      world.edit({ clusters: clustersFor({ c1: 'web', c2: 'api', c4: 'none', c3: 'jobs' }), parallel: true });
      expect(world.run().status.phase).toBe('Completed');
    }
  });

  it('waits for the other to get the new value where it is new itself', () => {
    const of = (name: string, app: string): object => ({
      ...labelled(name, app),
      clusterSelector: { role: 'web' },
    });
    const world = new ApplicationsWorld({
      clusters: clusters('web-v1'),
      applications: [of('web', 'a')],
      parallel: true,
    }).run();
    world.trace.length = 0;
    world.edit({ applications: [of('api', 'b'), of('web', 'b')] });
    expect(world.run().status.phase).toBe('Completed');
    expect(world.trace.indexOf('web ApplySecrets 2')).toBeLessThan(world.trace.indexOf('api ApplySecrets 1'));
  });

  it('does not wait where both get the same new value', () => {
    const both = clustersFor({ c1: 'both' });
    const of = (name: string, app: string): object => ({
      ...labelled(name, app),
      clusterSelector: { for: 'both' },
    });
    const world = new ApplicationsWorld({
      clusters: both,
      applications: [of('web', 'a'), of('api', 'a')],
    }).run();
    world.edit({ applications: [of('web', 'b'), of('api', 'b')] });
    expect(world.run().status.phase).toBe('Completed');
    expect(world.secrets.get('c1')?.asking).toEqual({ web: { app: 'b' }, api: { app: 'b' } });
  });

  it.each([false, true])('nor where only one has the value before; in parallel: %s', (parallel) => {
    const of = (name: string, app: string): object => ({
      ...labelled(name, app),
      clusterSelector: { for: 'both' },
      prechecks: [{ name: `before-${name}`, job }],
    });
    const both = (app: string): Edit => ({ applications: [of('web', app), of('api', app)] });
    const world = new ApplicationsWorld({ clusters: clustersFor({ c1: 'both' }), ...both('a'), parallel });
    world.run().failing.add('before-api');
    world.edit(both('b'));
    for (let turns = 0; turns < 120; turns += 1) world.turn();
    expect(world.secrets.get('c1')?.asking).toEqual({ web: { app: 'b' }, api: { app: 'a' } });
    world.failing.clear();
    world.edit(both('c'));
    expect(world.run().status.phase).toBe('Completed');
    expect(world.secrets.get('c1')?.asking).toEqual({ web: { app: 'c' }, api: { app: 'c' } });
  });

  const deletesFirst = (name: string): object => ({
    ...labelled(name),
    argocd: {
      clusterSecret: { labels: { app: name } },
      applicationSet: { name },
      updateStrategy: { type: 'DeleteBeforeCreate' },
    },
    postchecks: [{ name: `after-${name}`, job }],
  });

  it('keeps its old clusters until the other can no more go back, where it would delete them before', () => {
    const applications = [deletesFirst('web'), deletesFirst('api')];
    const world = apart({ parallel: true, applications });
    world.failing.add('after-api');
    world.edit({ clusters: toAnother });
    for (let turns = 0; turns < 120; turns += 1) world.turn();
    expect([...world.deployed].toSorted()).toEqual(['api/c1', 'web/c2']);
    expect(world.status.applications).toMatchObject([
      { name: 'web', reason: 'Conflict' },
      { name: 'api', reason: 'Reverted' },
    ]);
    world.failing.clear();
    world.ask('retry');
    expect(world.run().status.phase).toBe('Completed');
    expect([...world.deployed].toSorted()).toEqual(['api/c3', 'web/c1']);
  });

  it('does not wait for one that may go back where that waits for it, by a third one', () => {
    const api = deletesFirst('api');
    const world = apart({
      clusters: clustersFor({ c1: 'api', c2: 'jobs', c3: 'web' }),
      applications: [deletesFirst('web'), api, deletesFirst('jobs')],
      parallel: true,
    });
    // Argo CD is slow to take it from the cluster that it leaves for another one than it comes to in the end.
    world.isDeployable = false;
    world.edit({ clusters: clustersFor({ c1: 'none', c2: 'jobs', c3: 'web', c4: 'api' }) });
    world.run();
    world.edit({ clusters: clustersFor({ c1: 'web', c2: 'api', c3: 'jobs' }) });
    world.run();
    world.isDeployable = true;
    expect(world.run().status.phase).toBe('Completed');
    expect([...world.deployed].toSorted()).toEqual(['api/c2', 'jobs/c3', 'web/c1']);
  });

  it('nor where each may go back to the cluster that the other comes to', () => {
    const world = apart({ applications: [deletesFirst('web'), deletesFirst('api')], parallel: true });
    world.edit({ clusters: clustersFor({ c3: 'api', c4: 'web' }) });
    world.pass = () => undefined;
    world.run();
    Reflect.deleteProperty(world, 'pass');
    world.edit({ clusters: clustersFor({ c1: 'web', c2: 'api' }) });
    expect(world.run().status.phase).toBe('Completed');
    expect([...world.deployed].toSorted()).toEqual(['api/c2', 'web/c1']);
  });

  it('nor where both are to share the clusters that each has to itself', () => {
    const on = (value: string, app: string): object => ({
      ...labelled(value, app),
      clusterSelector: { for: 'both' },
    });
    const world = apart({ parallel: true });
    world.edit({
      clusters: clustersFor({ c1: 'both', c2: 'both' }),
      applications: [on('web', 'b'), on('api', 'b')],
    });
    expect(world.run().status.phase).toBe('Completed');
    const asking = { api: { app: 'b' }, web: { app: 'b' } };
    expect([world.secrets.get('c1')?.asking, world.secrets.get('c2')?.asking]).toEqual([asking, asking]);
  });
});

import { describe, expect, it } from 'vitest';
import { clustersFor, job, labelled } from './testing/applications.ts';
import { ApplicationsWorld } from './testing/world.ts';

describe('an application that goes back', () => {
  const of = (name: string, app: string): object => ({
    ...labelled(name, app),
    clusterSelector: { for: 'both' },
    postchecks: [{ name: `after-${name}`, job }],
  });

  it('takes no label from another one that has got the new value meanwhile', () => {
    const world = new ApplicationsWorld({
      clusters: clustersFor({ c1: 'both' }),
      applications: [of('api', 'a'), of('web', 'a')],
      parallel: true,
    }).run();
    world.failing.add('after-web');
    world.edit({ applications: [of('api', 'b'), of('web', 'b')] });
    for (let turns = 0; turns < 120; turns += 1) world.turn();
    expect(world.secrets.get('c1')?.asking).toEqual({ api: { app: 'b' }, web: { app: 'b' } });
    expect(world.status.applications).toMatchObject([
      { name: 'api', phase: 'Synced' },
      { name: 'web', phase: 'Reverting', reason: 'Conflict' },
    ]);
  });

  it('takes none from one that has come to the cluster which it has left', () => {
    const deletesFirst = (name: string): object => ({
      ...labelled(name),
      argocd: {
        clusterSecret: { labels: { app: name } },
        applicationSet: { name },
        updateStrategy: { type: 'DeleteBeforeCreate' },
      },
      postchecks: [{ name: `after-${name}`, job }],
    });
    const world = new ApplicationsWorld({
      clusters: clustersFor({ c1: 'web', c2: 'api' }),
      applications: [labelled('api'), deletesFirst('web')],
      parallel: true,
    }).run();
    world.failing.add('after-web');
    world.edit({ clusters: clustersFor({ c1: 'api', c3: 'web' }) });
    for (let turns = 0; turns < 120; turns += 1) world.turn();
    expect(world.secrets.get('c1')?.asking).toEqual({ api: { app: 'api' } });
    expect(world.status.applications).toMatchObject([{ phase: 'Synced' }, { reason: 'Conflict' }]);
  });

  /** Two applications in parallel that both have got the new value, and are in place with none. */
  function bothMidway(onFailure: string): ApplicationsWorld {
    const world = new ApplicationsWorld({
      clusters: clustersFor({ c1: 'both' }),
      applications: [of('api', 'a'), of('web', 'a')],
      parallel: true,
      onFailure,
    }).run();
    for (const name of ['after-api', 'after-web']) world.failing.add(name);
    world.edit({ applications: [of('api', 'b'), of('web', 'b')] });
    while (world.secrets.get('c1')?.asking['web']?.['app'] !== 'b') world.turn();
    return world;
  }

  it('does not wait for another one that goes back to the same value', () => {
    const world = bothMidway('Rollback');
    for (let turns = 0; turns < 120; turns += 1) world.turn();
    expect(world.status.phase).toBe('Reverted');
    expect(world.secrets.get('c1')?.asking).toEqual({ api: { app: 'a' }, web: { app: 'a' } });
  });

  it('does so only when the other does not stay as it is', () => {
    const world = bothMidway('Stop').run();
    expect(world.status.applications).toMatchObject([{ reason: 'Stopped' }, { reason: 'Stopped' }]);
    expect(world.secrets.get('c1')?.asking).toEqual({ api: { app: 'b' }, web: { app: 'b' } });
    world.ask('abort');
    for (let turns = 0; turns < 120; turns += 1) world.turn();
    expect(world.status.phase).toBe('Reverted');
    expect(world.secrets.get('c1')?.asking).toEqual({ api: { app: 'a' }, web: { app: 'a' } });
  });

  it('has its label restored that someone has edited in the secret of both', () => {
    const both = { applications: [of('api', 'a'), of('web', 'a')] };
    const world = new ApplicationsWorld({ clusters: clustersFor({ c1: 'both' }), ...both }).run();
    world.secrets.set('c1', { asking: { api: { app: 'x' }, web: { app: 'x' } }, isOwn: true });
    expect(world.run().status.phase).toBe('Completed');
    expect(world.secrets.get('c1')?.asking).toEqual({ api: { app: 'a' }, web: { app: 'a' } });
  });

  it('does not wait for another one that goes back to the cluster which it leaves itself', () => {
    const on = (cluster: string, name: string, app: string): object => ({
      ...of(name, app),
      clusterSelector: { for: cluster },
    });
    const world = new ApplicationsWorld({
      clusters: clustersFor({ c1: 'api', c2: 'web' }),
      applications: [on('api', 'api', 'a'), on('web', 'web', 'w')],
      parallel: true,
    }).run();
    for (const name of ['after-api', 'after-web']) world.failing.add(name);
    world.edit({
      clusters: clustersFor({ c1: 'both', c2: 'both' }),
      applications: [of('api', 'b'), of('web', 'b')],
    });
    for (let turns = 0; turns < 120; turns += 1) world.turn();
    expect(world.status.phase).toBe('Reverted');
    expect([...world.secrets].map(([name, { asking }]) => [name, asking])).toEqual([
      ['c1', { api: { app: 'a' } }],
      ['c2', { web: { app: 'w' } }],
    ]);
  });
});

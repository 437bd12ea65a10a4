import { describe, expect, it } from 'vitest';
import { jobs, web } from './testing/applications.ts';
import { ApplicationsWorld } from './testing/world.ts';

/** Entries of a Cell, by their names, with the EKS clusters that they name. */
const entries = (clusters: Readonly<Record<string, string>>): object[] =>
  Object.entries(clusters).map(([name, clusterName]) => ({
    name,
    eks: { clusterName },
    labels: { role: name.split('-')[0] },
  }));

/** A Cell whose applications are in place. */
function settled(applications: object[], clusters: Readonly<Record<string, string>>): ApplicationsWorld {
  const world = new ApplicationsWorld({ clusters: entries(clusters), applications }).run();
  expect(world.status.phase).toBe('Completed');
  world.trace.length = 0;
  return world;
}

describe('an entry that names another EKS cluster', () => {
  it('has the secret of the cluster before removed once the new one serves', () => {
    const world = settled([web()], { web: 'prod-1' });
    world.edit({ clusters: entries({ web: 'prod-2' }) });
    expect(world.run().trace).toEqual([
      'web SaveRevision 2',
      'web ApplySecrets 2',
      'web ApplyChild 2',
      'web MarkGood 2',
      'web RemoveLabels 2',
      'web DeleteSecrets',
      'web ApplyChild 2',
    ]);
    expect([...world.secrets.keys()]).toEqual(['prod-2']);
  });

  it('has it removed first, where old clusters go first', () => {
    const world = settled([jobs({ prechecks: undefined })], { jobs: 'prod-1' });
    world.edit({ clusters: entries({ jobs: 'prod-2' }) });
    while (!world.trace.includes('jobs RemoveLabels 2')) {
      expect(world.trace).not.toContain('jobs ApplySecrets 2');
      world.turn();
    }
    expect(world.run().trace.slice(1)).toEqual([
      'jobs RemoveLabels 2',
      'jobs DeleteSecrets',
      'jobs ApplySecrets 2',
      'jobs MarkGood 2',
    ]);
    expect([...world.secrets.keys()]).toEqual(['prod-2']);
  });

  it.each([
    ['instead', { web: 'prod-1' }],
    ['as well', { web: 'prod_1', 'web-2': 'prod-1' }],
  ])('does not take the secret from a cluster that serves, where it is to serve %s', (_, clusters) => {
    const world = settled([web()], { web: 'prod_1' });
    world.edit({ clusters: entries(clusters) });
    const { status, trace } = world.run();
    expect(trace.filter((one) => /Secrets|Labels/.test(one))).toEqual([]);
    expect(world.secrets.get('prod-1')).toMatchObject({ eksName: 'prod_1' });
    expect(status.message).toMatch(/Secret prod-1 for EKS cluster prod.1 is that of EKS/);
  });

  it('says how the secret of another cluster goes that an edit midway has left, and takes the name then', () => {
    const world = settled([web()], { web: 'prod-2' });
    world.edit({ clusters: entries({ web: 'prod_1' }) });
    while (!world.trace.includes('web ApplySecrets 2')) world.turn();
    world.edit({ clusters: entries({ web: 'prod-1' }) });
    expect(world.run().status.message).toMatch(
      /The Secret goes once every application is in place on other clusters than prod_1;/,
    );
    world.edit({ clusters: entries({ web: 'prod-2' }) });
    world.run();
    expect([...world.secrets.keys()]).toEqual(['prod-2']);
    world.edit({ clusters: entries({ web: 'prod-1' }) });
    expect(world.run().status.phase).toBe('Completed');
    expect([...world.secrets.keys()]).toEqual(['prod-1']);
  });

  it('waits until Argo CD has removed the Application of the cluster before', () => {
    const world = settled([jobs({ prechecks: undefined })], { jobs: 'prod-1' });
    world.isDeployable = false;
    world.edit({ clusters: entries({ jobs: 'prod-2' }) });
    expect(world.run().status).toMatchObject({
      reason: 'WaitingForApplicationSet',
      message: expect.stringContaining('jobs: The Application for cluster prod-1 is still there.'),
    });
    expect([...world.secrets].map(([name, { asking }]) => [name, asking])).toEqual([['prod-1', {}]]);
  });
});

describe('entries of one EKS cluster', () => {
  it('share its secret, which is not written again and again', () => {
    const of = (name: string): object =>
      web({ name, clusterSelector: { role: name }, alb: undefined, checks: undefined });
    const world = settled([of('web'), of('api')], { 'web-1': 'prod-1', 'api-1': 'prod-1' });
    expect(world.run().trace).toEqual([]);
    expect(world.secrets.get('prod-1')?.asking).toEqual({ web: { app: 'web' }, api: { app: 'web' } });
  });

  it('take no secret away when one of them gets another name', () => {
    const world = settled([web({ alb: undefined })], { 'web-1': 'prod-1' });
    world.edit({ clusters: entries({ 'web-one': 'prod-1' }) });
    expect(world.run().trace).toEqual(['web SaveRevision 2', 'web StartCheck 2 dd', 'web MarkGood 2']);
    expect(world.status.phase).toBe('Completed');
    expect([...world.secrets.keys()]).toEqual(['prod-1']);
  });

  it('cannot ask its secret for two values of one label', () => {
    const of = (name: string): object =>
      web({
        name,
        clusterSelector: { role: name },
        argocd: { clusterSecret: { labels: { app: name } } },
        alb: undefined,
      });
    const world = new ApplicationsWorld({
      clusters: entries({ 'web-1': 'prod-1', 'api-1': 'prod-1' }),
      applications: [of('web'), of('api')],
    }).run();
    expect(world.status).toMatchObject({ phase: 'Failed', reason: 'InvalidApplication' });
    expect(world.secrets.get('prod-1')?.asking).toEqual({ web: { app: 'web' } });
  });
});

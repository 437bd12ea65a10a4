import { describe, expect, it } from 'vitest';
import { clusters, job, web } from './testing/applications.ts';
import { ApplicationsWorld } from './testing/world.ts';

/** An application that Argo CD deploys by a label of its own. */
const labelled = (name: string, role = name): object =>
  web({ name, argocd: { clusterSecret: { labels: { role } } }, alb: undefined, checks: undefined });

/** A Cell whose application has got another name. */
function renamed(from: object, to: object): ApplicationsWorld {
  const world = new ApplicationsWorld({ clusters: clusters('web-v1'), applications: [from] }).run();
  expect(world.status.phase).toBe('Completed');
  world.trace.length = 0;
  world.edit({ applications: [to] });
  return world.run();
}

describe('an application that gets another name', () => {
  it.each([
    ['before', 'api', 'backend'],
    ['after', 'web', 'frontend'],
  ])('takes no label from what serves still by its old name, which comes %s the new one', (_, from, to) => {
    const world = renamed(labelled(from), labelled(to));
    expect(world.trace).toEqual([]);
    expect(world.secrets.get('web-v1')?.asking).toEqual({ [from]: { role: from } });
    expect(world.status).toMatchObject({
      phase: 'Failed',
      reason: 'Conflict',
      message: `${to}: cannot set label role of Secret web-v1 to ${to} for application ${to}: application ${from} has it as ${from} on cluster web-v1, though the Cell no longer has it. Use another label; or, if application ${from} is no longer needed, remove it from the annotation okra.mumo.co/applications of the Secret. Next: Beginning with revision 1.`,
    });
  });

  it('continues once nothing asks for the old name any more', () => {
    const world = renamed(labelled('api'), labelled('backend'));
    world.secrets.delete('web-v1');
    expect(world.run().status.phase).toBe('Completed');
    expect(world.secrets.get('web-v1')?.asking).toEqual({ backend: { role: 'backend' } });
  });

  it('shares a label that stays as it is', () => {
    const world = renamed(labelled('api'), labelled('backend', 'api'));
    expect(world.status.phase).toBe('Completed');
    expect(world.secrets.get('web-v1')?.asking).toEqual({ api: { role: 'api' }, backend: { role: 'api' } });
  });

  it('is left as it is where its secret has the label already', () => {
    const world = renamed(labelled('api'), labelled('backend', 'api'));
    world.secrets.set('web-v1', {
      asking: { api: { role: 'api' }, backend: { role: 'backend' } },
      isOwn: true,
    });
    world.edit({ applications: [labelled('backend')] });
    expect(world.run().status.phase).toBe('Completed');
  });

  it.each(['fails', 'is aborted'])('goes back to the end where the new label %s', (how) => {
    const checked = (role: string): object => ({
      ...labelled('web', role),
      postchecks: [{ name: 'after', job }],
    });
    const world = new ApplicationsWorld({
      clusters: clusters('web-v1'),
      applications: [checked('a')],
    }).run();
    world.edit({ clusters: clusters('web-v1', 'web-v2'), applications: [checked('b')] });
    while (!world.trace.includes('web ApplySecrets 2')) world.turn();
    // Someone has edited it by hand.
    world.secrets.set('web-v1', { asking: { web: { role: 'b' }, old: { role: 'a' } }, isOwn: true });
    if (how === 'fails') world.failing.add('after');
    else world.ask('abort');
    for (let turns = 0; turns < 120; turns += 1) world.turn();
    expect([...world.secrets]).toEqual([
      ['web-v1', { asking: { web: { role: 'a' }, old: { role: 'a' } }, isOwn: true }],
    ]);
    expect(world.status.applications?.[0]).toMatchObject({ reason: 'Reverted', failed: { reverted: true } });
  });
});

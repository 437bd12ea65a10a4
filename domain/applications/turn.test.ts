import { describe, expect, it } from 'vitest';
import { ApplicationsWorld } from './testing/world.ts';

const listenerARN =
  'arn:aws:elasticloadbalancing:eu-central-1:111122223333:listener/app/demo/0123456789abcdef/0123456789abcdef';
const analysis = { query: 'q', aggregator: 'avg', max: 0.1 };
const job = { template: { spec: { image: 'a' } } };

const web = (more: object = {}): object => ({
  name: 'web',
  clusterSelector: { role: 'web' },
  argocd: { clusterSecret: { labels: { app: 'web' } }, applicationSet: { name: 'web' } },
  alb: {
    listenerARN,
    forwardConfig: { priority: 10, targetGroup: { targetgroupBindingSelector: 'svc=web' } },
    updateStrategy: { stepWeight: 50, totalWeight: 100 },
  },
  checks: [{ name: 'dd', analysis }],
  ...more,
});
const jobs = (more: object = {}): object => ({
  name: 'jobs',
  clusterSelector: { role: 'jobs' },
  argocd: {
    clusterSecret: { labels: { app: 'jobs' } },
    applicationSet: { selector: 'svc=jobs' },
    updateStrategy: { type: 'DeleteBeforeCreate' },
  },
  prechecks: [{ name: 'run-test', job }],
  ...more,
});
const clusters = (...names: string[]): object[] =>
  names.map((name) => ({ name, labels: { role: name.split('-')[0] } }));

/** A Cell whose applications are in place on their first clusters. */
function settled(applications: object[], first: object[], more: object = {}): ApplicationsWorld {
  const world = new ApplicationsWorld({ clusters: first, applications, ...more }).run();
  world.trace.length = 0;
  return world;
}

describe('an application that creates before it deletes', () => {
  const moved = (more: object = {}): ApplicationsWorld => {
    const world = settled([web(more)], clusters('web-v1'));
    world.edit({ clusters: clusters('web-v2') });
    return world;
  };

  it('goes in the order: new secrets, traffic, old secrets, old target groups', () => {
    const world = moved({ prechecks: [{ name: 'before', job }], postchecks: [{ name: 'after', job }] }).run();
    expect(world.trace).toEqual([
      'web SaveRevision 2',
      'web StartCheck 2 before',
      'web ApplySecrets 2',
      'web ApplyChild 2',
      'web StartCheck 2 after',
      'web MarkGood 2',
      'web RemoveSecrets 2',
      'web ApplyChild 2',
    ]);
    expect([...world.secrets.keys()]).toEqual(['web-v2']);
    expect(world.status).toMatchObject({
      phase: 'Completed',
      applications: [{ phase: 'Synced', revision: 2 }],
    });
  });

  it('does nothing more once it is in place', () => {
    const world = moved().run();
    world.trace.length = 0;
    world.run();
    expect(world.trace).toEqual([]);
  });

  it('takes back what fails, and is then as it was before', () => {
    const world = moved();
    const before = [...world.secrets];
    world.failing.add('traffic of web');
    while (world.phases()[0] !== 'CheckFailed') world.turn();
    expect(world.children.get('web')?.serving).toEqual(
      settled([web()], clusters('web-v1')).children.get('web')?.serving,
    );
    expect(world.status).toMatchObject({ phase: 'Failed' });
    world.turn();
    expect(world.secrets.has('web-v2')).toBe(true);
    world.pass(60);
    world.run();
    expect(world.status).toMatchObject({ phase: 'Reverted', applications: [{ phase: 'CheckFailed' }] });
    expect([...world.secrets]).toEqual(before);
    expect([...world.groups.values()]).toMatchObject([{ version: '1' }]);
  });

  it('is not tried again before it is edited, or someone asks for it', () => {
    const world = moved();
    world.failing.add('traffic of web');
    world.run();
    world.pass(60);
    world.run();
    world.failing.clear();
    world.trace.length = 0;
    expect(world.run().trace).toEqual([]);
    world.ask('retry');
    world.run();
    expect(world.trace).toContain('web ApplyChild 3');
    expect(world.status.phase).toBe('Completed');
  });
});

describe('an application that deletes before it creates', () => {
  it('goes in the order: prechecks, old secrets, new secrets', () => {
    const world = settled([jobs()], clusters('jobs-v1'));
    world.edit({ clusters: clusters('jobs-v2') });
    expect(world.run().trace).toEqual([
      'jobs SaveRevision 2',
      'jobs StartCheck 2 run-test',
      'jobs RemoveSecrets 2',
      'jobs ApplySecrets 2',
      'jobs MarkGood 2',
    ]);
    expect(world.status.phase).toBe('Completed');
  });

  it('waits for a rollback after a precheck has failed, and says so', () => {
    const world = settled([jobs()], clusters('jobs-v1'));
    world.edit({ clusters: clusters('jobs-v2') });
    world.failing.add('run-test');
    world.run();
    expect(world.status).toMatchObject({
      phase: 'Failed',
      applications: [
        {
          phase: 'PrecheckFailed',
          message: 'run-test failed. Waiting 60 seconds before starting a rollback',
        },
      ],
    });
    world.pass(60);
    world.run();
    expect(world.status.phase).toBe('Reverted');
    expect([...world.secrets.keys()]).toEqual(['jobs-v1']);
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cellStatus } from '../../crds/cell-status.ts';
import type { ApplicationsSpec } from '../../crds/cell.ts';
import { clusters, job, jobs, web } from './testing/applications.ts';
import type { ApplicationAction } from './situation.ts';
import { holdRules } from './holds.ts';
import { applicationRules } from './judge.ts';
import { keepRules } from './settle.ts';
import { troubled } from './state.ts';
import { NO_TIME } from '../testing/builders.ts';
import { ApplicationsWorld } from './testing/world.ts';

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
      'web RemoveLabels 2',
      'web DeleteSecrets',
      'web ApplyChild 2',
    ]);
    expect([...world.secrets.keys()]).toEqual(['web-v2']);
    expect(world.status).toMatchObject({
      phase: 'Completed',
      applications: [{ phase: 'Synced', revision: 2 }],
    });
  });

  it('keeps the old secrets, without labels, until Argo CD has deleted what it deployed by them', () => {
    const world = moved();
    while (!world.trace.includes('web MarkGood 2')) world.turn();
    world.isDeployable = false;
    world.run();
    expect(world.secrets.get('web-v1')?.asking).toEqual({});
    expect(world.status).toMatchObject({
      phase: 'Progressing',
      reason: 'WaitingForApplicationSet',
      message: expect.stringContaining('The Application for cluster web-v1 is still there.'),
    });
    world.isDeployable = true;
    expect(world.run().status.phase).toBe('Completed');
    expect([...world.secrets.keys()]).toEqual(['web-v2']);
  });

  it('waits for the Applications on the old clusters also without an ApplicationSet that it names', () => {
    const argocd = { clusterSecret: { labels: { app: 'web' } } };
    const world = moved({ argocd });
    while (!world.trace.includes('web MarkGood 2')) world.turn();
    world.isDeployable = false;
    world.run();
    expect(world.secrets.get('web-v1')?.asking).toEqual({});
    expect(world.status.message).toContain('Application web/web-v1 for cluster web-v1 is still there.');
    world.isDeployable = true;
    expect(world.run().status.phase).toBe('Completed');
    expect([...world.secrets.keys()]).toEqual(['web-v2']);
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
      'jobs RemoveLabels 2',
      'jobs DeleteSecrets',
      'jobs ApplySecrets 2',
      'jobs MarkGood 2',
    ]);
    expect(world.status.phase).toBe('Completed');
  });

  it('A-G08 waits for a rollback after a precheck has failed, and says so', () => {
    const world = settled([jobs()], clusters('jobs-v1'));
    world.edit({ clusters: clusters('jobs-v2') });
    world.failing.add('run-test');
    while (world.status.phase !== 'Failed') world.turn();
    const failedAt = world.now;
    expect(world.status).toMatchObject({
      phase: 'Failed',
      applications: [
        {
          phase: 'PrecheckFailed',
          message: 'run-test failed. Waiting 60 seconds before starting a rollback',
        },
      ],
    });
    while (world.status.phase === 'Failed') world.turn();
    expect([world.status.phase, (world.now - failedAt) / 1000]).toEqual(['Reverted', 60]);
    expect([...world.secrets.keys()]).toEqual(['jobs-v1']);
  });

  it('A-G08 says that it cannot go back, and goes back once it can', () => {
    const world = settled([jobs()], clusters('jobs-v1'));
    world.edit({ clusters: clusters('jobs-v2') });
    while (world.secrets.has('jobs-v1')) world.turn();
    world.ask('abort');
    const action = { do: 'ApplySecrets', number: 1 } as const;
    const refusal = { reason: 'AccessDenied', message: 'No.', action };
    world.state = troubled(world.state, 'jobs', refusal, world.now);
    world.turn();
    expect(world.status).toMatchObject({ phase: 'RevertBlocked', reason: 'AccessDenied' });
    expect(world.status.message).toContain('No. Retrying.');
    expect([...world.secrets.keys()]).toEqual([]);
    expect(world.run().status.phase).toBe('Reverted');
    expect([...world.secrets.keys()]).toEqual(['jobs-v1']);
  });

  it('rolls back at once when its status has no time', () => {
    const world = settled([jobs()], clusters('jobs-v1'));
    world.edit({ clusters: clusters('jobs-v2') });
    world.failing.add('run-test');
    expect(withoutTimes(world.run()).run().status.phase).toBe('Reverted');
  });
});

/** Has a status with times that JavaScript does not parse. */
function withoutTimes(world: ApplicationsWorld): ApplicationsWorld {
  const text = JSON.stringify(world.status).replaceAll(/"\d{4}-\d\d-\d\dT[^"]*"/g, `"${NO_TIME}"`);
  world.status = JSON.parse(text) as typeof world.status;
  return world;
}

/** Until when the Cell waits. */
const untilOf = ({ decision }: ApplicationsWorld): number | undefined =>
  decision?.do === 'Wait' ? decision.until : undefined;

describe('an application that Argo CD does not deploy', () => {
  const stuck = (more: object = {}): ApplicationsWorld => {
    const world = settled([web()], clusters('web-v1'), more);
    world.isDeployable = false;
    world.edit({ clusters: clusters('web-v2') });
    return world;
  };

  it('waits without a limit, unless the Cell has one', () => {
    const world = stuck().run();
    world.pass(86_400);
    expect(world.run().status).toMatchObject({
      phase: 'Progressing',
      applications: [{ phase: 'Syncing', syncing: { revision: 2 } }],
    });
  });

  it('says how long it has waited, and fails and goes back after the time that it has', () => {
    const world = stuck({ syncTimeout: '10m' }).run();
    world.pass(120);
    expect(world.run().status.message).toContain('Waiting for 2m of 10m.');
    world.pass(600);
    expect(world.run().status).toMatchObject({
      phase: 'Failed',
      applications: [
        {
          phase: 'CheckFailed',
          failed: { revision: 2, reason: 'SyncTimeout' },
          message: expect.stringContaining('Argo CD has not deployed it within 10m: OutOfSync.'),
        },
      ],
    });
    expect(world.status.applications?.[0]).not.toHaveProperty('syncing');
    world.isDeployable = true;
    world.pass(60);
    expect(world.run().status.phase).toBe('Reverted');
    expect([...world.secrets.keys()]).toEqual(['web-v1']);
  });

  it('waits from now when its status has no time', () => {
    const world = withoutTimes(stuck({ syncTimeout: '10m' }).run()).run();
    expect(world.status.message).toContain('Waiting for 0m of 10m.');
    expect(untilOf(world)).toBeGreaterThan(world.now);
  });

  it('forgets how long it has waited once it is deployed, and with the next revision', () => {
    const world = stuck({ syncTimeout: '10m' }).run();
    world.pass(500);
    world.edit({ clusters: clusters('web-v3') });
    world.run();
    world.pass(500);
    expect(world.run().status.applications).toMatchObject([{ phase: 'Syncing', syncing: { revision: 3 } }]);
    world.isDeployable = true;
    world.run();
    expect(world.status.phase).toBe('Completed');
    expect(world.status.applications?.[0]).not.toHaveProperty('syncing');
  });
});

describe('the gate over the clusters', () => {
  const started = (more: object = {}): ApplicationsWorld => {
    const world = new ApplicationsWorld({
      clusters: clusters('web-v1', 'jobs-v1').map((one) => ({ ...one, ...more })),
      applications: [web(), jobs()],
    });
    world.ready.set('jobs-v1', false);
    return world;
  };

  it('lets no application begin before all clusters are ready', () => {
    const world = started().run();
    expect(world.trace).toEqual([]);
    expect(world.status).toMatchObject({
      phase: 'Waiting',
      reason: 'WaitingForClusters',
      message: 'Waiting for jobs-v1 to be ready: It is CREATING.',
    });
    world.ready.clear();
    expect(world.run().status.phase).toBe('Completed');
  });

  it('does not wait for one that need not be ready', () =>
    expect(started({ requireReady: false }).run().status.phase).toBe('Completed'));

  it('waits for one that EKS does not know, though it need not be ready', () => {
    const world = started({ requireReady: false });
    world.unknown.add('jobs-v1');
    expect(world.run().trace).toEqual([]);
  });

  it('fails when it takes too long, until someone sends retry, or it is ready', () => {
    const world = started({ readyTimeout: '60m' }).run();
    expect(world.status.phase).toBe('Waiting');
    world.pass(3600);
    expect(world.run().status).toMatchObject({ phase: 'Failed', reason: 'ClustersNotReady' });
    world.ask('retry');
    expect(world.run().status.phase).toBe('Waiting');
    world.pass(3600);
    expect(world.run().status.phase).toBe('Failed');
    world.ready.clear();
    expect(world.run().status.phase).toBe('Completed');
  });

  it('waits from now when its status has no time', () => {
    const world = withoutTimes(started({ readyTimeout: '60m' }).run()).run();
    expect(world.status.phase).toBe('Waiting');
    expect(untilOf(world)).toBeGreaterThan(world.now);
  });

  it('has nothing in place after an edit that names a cluster which EKS does not know yet', () => {
    const world = settled([web()], clusters('web-v1'));
    world.unknown.add('web-v2');
    world.edit({ clusters: clusters('web-v2') });
    world.run();
    const ready = world.status.conditions?.find(({ type }) => type === 'Ready');
    expect([world.status.phase, ready?.status, world.phases()]).toEqual(['Waiting', 'False', ['Pending']]);
    expect(world.trace).toEqual([]);
    world.unknown.clear();
    expect(world.run().status.phase).toBe('Completed');
    expect([...world.secrets.keys()]).toEqual(['web-v2']);
  });

  it('has nothing in place after such an edit either where an application selects by tags in EKS', () => {
    const tagged = web({ clusterSelector: { matchEKSTags: { role: 'web' } } });
    const world = new ApplicationsWorld({ clusters: clusters('web-v1'), applications: [tagged] });
    world.tags.set('web-v1', { role: 'web' });
    expect(world.run().status.phase).toBe('Completed');
    world.unknown.add('web-v2');
    world.edit({ clusters: clusters('web-v1', 'web-v2') });
    expect([world.run().status.phase, world.phases()]).toEqual(['Waiting', ['Pending']]);
    world.edit({ clusters: clusters('web-v1') });
    world.unknown.add('web-v1');
    expect([world.run().status.phase, world.phases()]).toEqual(['Completed', ['Synced']]);
  });

  it('leaves what is in place while the API server of a cluster does not answer, and waits for that after an edit', () => {
    const world = settled([web()], clusters('web-v1'));
    world.silent.add('web-v1').add('web-v2');
    expect(world.run().status).toMatchObject({ phase: 'Completed', clusters: [{ ready: false }] });
    world.edit({ clusters: clusters('web-v2') });
    expect(world.run().status).toMatchObject({ phase: 'Waiting', reason: 'WaitingForClusters' });
    expect(world.trace).toEqual([]);
    world.silent.clear();
    expect(world.run().status.phase).toBe('Completed');
    expect([...world.secrets.keys()]).toEqual(['web-v2']);
  });

  it('leaves what is in place when EKS does not know a cluster any more', () => {
    const world = settled([web({ clusterSelector: { matchEKSTags: { role: 'web' } } })], clusters('web-v1'));
    world.trace.length = 0;
    expect(world.status.phase).toBe('Failed');
    world.tags.set('web-v1', { role: 'web' });
    expect(world.run().status.phase).toBe('Completed');
    world.unknown.add('web-v1');
    world.trace.length = 0;
    expect(world.run().trace).toEqual([]);
    expect(world.status).toMatchObject({ phase: 'Completed', clusters: [{ ready: false }] });
  });
});

describe('several applications', () => {
  const both = (more: object = {}): ApplicationsWorld => {
    const world = settled([web(), jobs()], clusters('web-v1', 'jobs-v1'), more);
    world.edit({ clusters: clusters('web-v2', 'jobs-v2') });
    return world;
  };

  it('go one after the other, in their order', () => {
    const world = both();
    while (world.phases()[0] !== 'Migrating') world.turn();
    expect(world.phases()).toEqual(['Migrating', 'Pending']);
    world.run();
    const names = world.trace.map((said) => said.split(' ')[0]);
    expect(names.lastIndexOf('web')).toBeLessThan(names.indexOf('jobs'));
  });

  it('go side by side in parallel', () => {
    const world = both({ parallel: true }).run();
    const names = world.trace.map((said) => said.split(' ')[0]);
    expect(names.lastIndexOf('web')).toBeGreaterThan(names.indexOf('jobs'));
    expect(world.status.phase).toBe('Completed');
  });

  it('wait for one before them that has failed', () => {
    const world = both();
    world.failing.add('traffic of web');
    world.run();
    world.pass(60);
    world.run();
    expect(world.status).toMatchObject({ phase: 'Reverted', applications: [{}, { phase: 'Pending' }] });
    expect(world.trace.join()).not.toContain('jobs');
  });

  it('do not wait for it in parallel', () => {
    const world = both({ parallel: true });
    world.failing.add('traffic of web');
    world.run();
    world.pass(60);
    world.run();
    expect(world.phases()).toEqual(['CheckFailed', 'Synced']);
    expect(world.status.phase).toBe('Reverted');
  });

  it('hold the traffic of one behind them that moves already, when they begin again', () => {
    const world = settled([jobs(), web()], clusters('web-v1', 'jobs-v1'));
    world.edit({ clusters: clusters('web-v2', 'jobs-v1') });
    while (world.children.get('web')?.status.phase !== 'Progressing') world.turn();
    world.isDeployable = false;
    world.edit({ clusters: clusters('web-v2', 'jobs-v2') });
    expect(world.run().status).toMatchObject({
      phase: 'Progressing',
      applications: [{ phase: 'Syncing' }, { phase: 'Migrating' }],
    });
    expect(world.children.get('web')?.status.phase).toBe('Paused');
    world.isDeployable = true;
    expect(world.run().status.phase).toBe('Completed');
  });

  it('share the secret of a cluster, and each takes only itself away', () => {
    const other = { ...web(), name: 'other', alb: undefined, checks: undefined };
    const world = settled([web(), other], clusters('web-v1'));
    expect(world.secrets.get('web-v1')?.asking).toEqual({ web: { app: 'web' }, other: { app: 'web' } });
    world.edit({
      applications: [web(), { ...other, clusterSelector: { role: 'jobs' } }],
      clusters: clusters('web-v1', 'jobs-v1'),
    });
    world.run();
    expect(world.secrets.get('web-v1')?.asking).toEqual({ web: { app: 'web' } });
  });
});

describe('what holds', () => {
  const freeze = { name: 'f', by: 'ann', reason: 'Holiday.' };
  const holds: readonly (readonly [
    string,
    string,
    (world: ApplicationsWorld) => void,
    (world: ApplicationsWorld) => void,
  ])[] = [
    ['a pause', 'Paused', (world) => world.ask('pause'), (world) => world.ask('resume')],
    ['a Freeze', 'Waiting', (world) => (world.freezes = [freeze]), (world) => (world.freezes = [])],
    [
      'a shut window',
      'Waiting',
      (world) => world.edit({ windows: [{ start: '00:00', end: '00:01' }] }),
      (world) => world.edit({ windows: undefined }),
    ],
  ];

  it.each(holds)('%s: nothing goes forward', (_, phase, hold, letGo) => {
    const world = settled([web()], clusters('web-v1'));
    hold(world);
    world.turn();
    world.edit({ clusters: clusters('web-v2') });
    world.run();
    expect(world.trace.filter((said) => said.includes(' 2'))).toEqual([]);
    expect(world.status.phase).toBe(phase);
    letGo(world);
    expect(world.run().status.phase).toBe('Completed');
  });

  /** Takes a turn after someone has deleted the secret of a cluster; says what is done. */
  function withoutSecret(world: ApplicationsWorld, cluster: string): readonly string[] {
    world.isSafe = () => undefined;
    world.secrets.delete(cluster);
    world.trace.length = 0;
    world.turn();
    return world.trace.filter((said) => !said.includes('Forward'));
  }

  it.each([...holds.map(([held, , hold]) => [held, hold] as const), ['nothing', () => undefined] as const])(
    '%s: a secret of the revision is made again while traffic moves to it',
    (_, hold) => {
      const world = settled([web()], clusters('web-v1'));
      world.edit({ clusters: clusters('web-v2') });
      while (world.children.get('web')?.status.phase !== 'Progressing') world.turn();
      hold(world);
      world.pass = () => undefined;
      for (let turn = 0; turn < 3; turn += 1) world.turn();
      expect(withoutSecret(world, 'web-v2')).toEqual(['web ApplySecrets 2']);
    },
  );

  it('a pause: the traffic that is to move later is held too', () => {
    const world = settled([web()], clusters('web-v1'));
    world.edit({ clusters: clusters('web-v2') });
    while (world.trace.at(-1) !== 'web ApplyChild 2') world.turn();
    world.ask('pause');
    world.run();
    expect(world.trace.at(-1)).toBe('web ApplyChild 2');
    expect(world.children.get('web')?.serving).toEqual([expect.stringContaining('web-v1')]);
    world.ask('resume');
    expect(world.run().status.phase).toBe('Completed');
  });

  it.each(['the Cell', 'its Cell'])('a pause of %s: is the phase, once the traffic is paused', (whose) => {
    const world = settled([web()], clusters('web-v1'));
    world.edit({ clusters: clusters('web-v2') });
    while (world.children.get('web')?.status.phase !== 'Progressing') world.turn();
    const { serving } = world.children.get('web') ?? {};
    if (whose === 'the Cell') world.ask('pause');
    else {
      world.perform('web', { do: 'Forward', request: 'pause', by: 'ann', reason: '' });
      // Its traffic does not continue meanwhile.
      world.pass = () => undefined;
    }
    const phases = Array.from({ length: 5 }, () => (world.turn(), world.status.phase));
    expect(phases[0]).toBe(whose === 'the Cell' ? 'Progressing' : 'Paused');
    expect(phases.slice(3)).toEqual(['Paused', 'Paused']);
    expect(world.children.get('web')?.serving).toEqual(serving);
    const [reason, message] =
      whose === 'the Cell'
        ? ['Paused', /^web: Paused by ann\./]
        : ['Migrating', /^web: Cell mysystem-web is /];
    expect(world.status).toMatchObject({
      reason,
      message: expect.stringMatching(message),
      applications: [{ phase: 'Migrating', reason: 'Migrating' }],
    });
    expect(world.status.conditions?.find(({ type }) => type === 'Progressing')?.status).toBe('False');
  });

  it('a pause: is the phase while Argo CD deploys, and what goes back is told', () => {
    const world = settled([web()], clusters('web-v1'));
    world.isDeployable = false;
    world.edit({ clusters: clusters('web-v2') });
    world.run();
    expect(world.status.phase).toBe('Progressing');
    world.ask('pause');
    expect(world.run().status).toMatchObject({ phase: 'Paused', reason: 'Paused' });
    world.ask('abort');
    expect(world.run().status.phase).toBe('Reverted');
  });

  it.each(holds)('%s: what fails goes back all the same', (_, _phase, hold) => {
    const world = settled([web()], clusters('web-v1'));
    world.edit({ clusters: clusters('web-v2') });
    world.failing.add('traffic of web');
    while (world.children.get('web')?.status.phase !== 'Progressing') world.turn();
    hold(world);
    world.run();
    world.pass(60);
    world.run();
    expect([...world.secrets.keys()]).toEqual(['web-v1']);
    expect(world.status.applications).toMatchObject([{ failed: { reverted: true } }]);
  });
});

describe('an abort', () => {
  it('takes back what is under way at once, and nothing goes forward before retry', () => {
    const world = settled([web()], clusters('web-v1'));
    world.edit({ clusters: clusters('web-v2') });
    while (world.children.get('web')?.status.phase !== 'Progressing') world.turn();
    world.ask('abort');
    world.run();
    expect(world.status.phase).toBe('Reverted');
    expect([...world.secrets.keys()]).toEqual(['web-v1']);
    world.trace.length = 0;
    world.ask('resume');
    world.ask('promoteFull');
    expect(world.run().trace).toEqual([]);
    world.ask('retry');
    expect(world.run().status.phase).toBe('Completed');
    expect([...world.secrets.keys()]).toEqual(['web-v2']);
  });

  it('ends a check that is measured', () => {
    const world = settled([jobs()], clusters('jobs-v1'));
    world.edit({ clusters: clusters('jobs-v2') });
    while (world.trace.at(-1) !== 'jobs StartCheck 2 run-test') world.turn();
    for (const one of world.measurements.values()) one.phase = 'Running';
    world.ask('abort');
    world.turn();
    expect(world.trace.at(-1)).toBe('jobs TerminateCheck run-test');
    expect(world.run().status.phase).toBe('Reverted');
  });
});

describe('what has failed and is tried again later', () => {
  /** Traffic that moves, while something keeps failing that was done last. */
  function failing(...failures: readonly ApplicationAction[]): ApplicationsWorld {
    const world = settled([web()], clusters('web-v1'));
    world.edit({ clusters: clusters('web-v2') });
    while (world.children.get('web')?.status.phase !== 'Progressing') world.turn();
    // Somebody has deleted the secret of a cluster that serves, and it cannot be made again.
    world.secrets.delete('web-v2');
    world.isSafe = () => undefined;
    for (let times = 0; times < 10; times += 1)
      for (const action of failures)
        world.state = troubled(
          world.state,
          'web',
          { reason: 'AccessDenied', message: 'No.', action },
          world.now,
        );
    world.trace.length = 0;
    expect(world.turn().do).toBe('Wait');
    return world;
  }

  const secrets: ApplicationAction = { do: 'ApplySecrets', number: 2 };
  const takeBack: ApplicationAction = { do: 'ApplyChild', number: 1, keep: 2 };

  it.each([
    ['abort', 'web ApplyChild 1', secrets],
    ['abort', 'web ApplyChild 1', { do: 'ApplyChild', number: 2, keep: 1 }],
    ['abort', 'web ApplyChild 1', { do: 'Forward', request: 'promote', by: 'bob', reason: '' }],
  ] as const)('does not keep %s waiting: %s, after %j', (request, want, failure) => {
    const world = failing(failure);
    world.ask(request);
    world.turn();
    expect(world.trace).toEqual([want]);
    expect(world.state.troubles).toEqual({});
  });

  it.each<readonly [string, readonly ApplicationAction[]]>([
    ['the same', [takeBack]],
    ['that, and another after it', [takeBack, secrets]],
  ])('keeps it waiting where that has failed itself: %s', (_, failures) => {
    const world = failing(...failures);
    world.ask('abort');
    world.turn();
    expect(world.trace).not.toContain('web ApplyChild 1');
    world.trace.length = 0;
    world.pass(60);
    world.turn();
    expect(world.trace).toEqual(['web ApplyChild 1']);
  });

  it('does not keep an abort waiting where something that is done is not seen to be done', () => {
    const world = failing(secrets);
    world.pass(60);
    world.perform = (application, { do: what }) => void world.trace.push(`${application} ${what}`);
    while (world.status.reason !== 'NotSeen') world.turn();
    world.trace.length = 0;
    world.ask('abort');
    world.turn();
    expect(world.trace).toEqual(['web ApplyChild']);
  });

  it('hands requests on in their order, though one of them has failed', () => {
    const promote = { do: 'Forward', request: 'promote', by: 'ann', reason: '' } as const;
    const world = failing(promote);
    for (const request of ['promote', 'promoteFull'] as const) {
      world.ask(request);
      expect(world.turn().do).toBe('Wait');
    }
    world.pass(60);
    world.turn();
    world.turn();
    expect(world.trace.slice(0, 2)).toEqual(['web Forward promote', 'web Forward promoteFull']);
  });
});

describe('an abort while a postcheck is measured', () => {
  const measured = (): ApplicationsWorld => {
    const world = settled([web({ postchecks: [{ name: 'after', job }] })], clusters('web-v1'));
    world.edit({ clusters: clusters('web-v2') });
    while (world.trace.at(-1) !== 'web StartCheck 2 after') world.turn();
    for (const one of world.measurements.values()) one.phase = 'Running';
    world.ask('abort');
    return world;
  };

  it('takes the traffic back before the postcheck is ended, which may be refused', () => {
    const world = measured();
    world.turn();
    expect(world.trace.at(-1)).toBe('web ApplyChild 1');
    expect(world.run().status.phase).toBe('Reverted');
  });

  it('takes the traffic back though someone has taken a secret away', () => {
    const world = measured();
    world.secrets.set('web-v2', { asking: {}, isOwn: false });
    // The secret is another's now, so that nothing asks for it.
    world.isSafe = () => undefined;
    world.turn();
    expect(world.trace.at(-1)).toBe('web ApplyChild 1');
    world.run();
    expect(world.children.get('web')?.status).toMatchObject({ phase: 'Completed', stableVersion: '1.0.0' });
    expect(world.status).toMatchObject({ phase: 'Failed', reason: 'Conflict' });
    world.secrets.delete('web-v2');
    expect(world.run().status.phase).toBe('Reverted');
  });
});

describe('onFailure: Hold', () => {
  const stopped = (): ApplicationsWorld => {
    const world = settled([web()], clusters('web-v1'), { onFailure: 'Hold' });
    world.edit({ clusters: clusters('web-v2') });
    world.failing.add('traffic of web');
    world.run();
    world.pass(600);
    return world.run();
  };

  it('leaves everything as it is', () => {
    const world = stopped();
    expect(world.status).toMatchObject({ phase: 'Failed', reason: 'Stopped' });
    expect([...world.secrets.keys()]).toEqual(['web-v1', 'web-v2']);
  });

  it('keeps the weights as they are', () => {
    expect(stopped().children.get('web')).toMatchObject({
      status: { phase: 'Paused' },
      serving: { length: 2 },
    });
  });

  it('continues after retry, where it stands', () => {
    const world = stopped();
    world.failing.clear();
    world.ask('retry');
    expect(world.run().status.phase).toBe('Completed');
    expect([...world.secrets.keys()]).toEqual(['web-v2']);
  });

  it('goes back after an abort', () => {
    const world = stopped();
    world.ask('abort');
    expect(world.run().status.phase).toBe('Reverted');
    expect([...world.secrets.keys()]).toEqual(['web-v1']);
  });

  it('continues after an edit', () => {
    const world = stopped();
    world.failing.clear();
    world.edit({ clusters: clusters('web-v3') });
    expect(world.run().status.phase).toBe('Completed');
    expect([...world.secrets.keys()]).toEqual(['web-v3']);
  });
});

describe('A-G09 a precheck', () => {
  const waiting = (): ApplicationsWorld => {
    const world = settled([web({ prechecks: [{ name: 'before', job }] })], clusters('web-v1'));
    world.isDeployable = false;
    world.edit({ clusters: clusters('web-v2') });
    world.run();
    expect(world.phases()).toEqual(['Syncing']);
    world.trace.length = 0;
    return world;
  };

  it('that was successful is not run again for the same forward config', () =>
    expect(waiting().run().trace).toEqual([]));

  const started = (): ApplicationsWorld => {
    const world = settled([jobs()], clusters('jobs-v1'));
    world.edit({ clusters: clusters('jobs-v2') });
    while (world.trace.at(-1) !== 'jobs StartCheck 2 run-test') world.turn();
    return world;
  };

  it('of which not all Checks were made, because a worker was killed, is started again', () => {
    const world = started();
    for (const one of world.measurements.values()) Object.assign(one, { phase: 'Error', isPartial: true });
    expect(world.turn()).toMatchObject({ action: { do: 'StartCheck' } });
    for (const one of world.measurements.values()) Object.assign(one, { phase: 'Running', isPartial: false });
    expect(world.run().status.phase).toBe('Completed');
  });

  it.each([
    ['failed before all Checks were made', 'Failed'],
    ['lost a Check later', 'Error'],
  ] as const)('that has %s has failed', (_, phase) => {
    const world = started();
    for (const one of world.measurements.values()) one.phase = 'Running';
    if (phase === 'Error') world.turn();
    for (const one of world.measurements.values()) Object.assign(one, { phase, isPartial: true });
    expect(world.run().phases()).toEqual(['PrecheckFailed']);
  });

  it.each([
    ['has not begun within two minutes', true],
    ['has not begun, and its status has no time,', false],
  ])('that %s makes the Cell Degraded until it begins', (_, hasTimes) => {
    const world = started();
    const set = (isPending: boolean) => {
      const said = isPending ? { phase: 'Pending', message: '' } : { phase: 'Running' };
      for (const one of world.measurements.values()) Object.assign(one, said);
      return world.turn();
    };
    const degraded = () => world.status.conditions?.find(({ type }) => type === 'Degraded');
    set(true);
    expect(degraded()?.status).toBe('False');
    if (hasTimes) world.now += 120_000;
    else withoutTimes(world);
    set(true);
    expect(degraded()).toMatchObject({ status: 'True', reason: 'NotMeasured' });
    expect(untilOf(world)).toBeGreaterThan(world.now);
    expect(degraded()?.message).toContain('Look at its Events');
    set(false);
    expect(degraded()?.status).toBe('False');
  });

  it('that has another name now is no longer in the status, which keeps as many as there are', () => {
    const five = (suffix: string) => ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name: name + suffix, job }));
    const world = settled([web({ prechecks: five('1') })], clusters('web-v1'));
    world.edit({ applications: [web({ prechecks: five('2') })] });
    world.run();
    expect(cellStatus.safeParse(world.status).error?.issues).toBeUndefined();
    const [application] = world.status.applications ?? [];
    expect(application?.prechecks?.map(({ name }) => name)).toEqual(['a2', 'b2', 'c2', 'd2', 'e2']);
  });

  const api = jobs({ name: 'api', prechecks: [{ name: 'internal-smoke', job }] });
  const internal = jobs({ name: 'api-internal', prechecks: [{ name: 'smoke', job }] });

  it.each([
    ['after', [api, internal]],
    ['before', [internal, api]],
  ])('is measured though one of an application %s it would have the same name', (_, applications) => {
    const world = new ApplicationsWorld({ clusters: clusters('jobs-v1'), applications }).run();
    expect(world.status.phase).toBe('Completed');
    const names = [...world.measurements].map(([name, { application }]) => [application, name]);
    const named = /^mysystem-api-internal-smoke-pre-1-[0-9a-f]{8}$/;
    expect(world.measurements.size).toBe(2);
    expect(Object.fromEntries(names)).toEqual({
      api: expect.stringMatching(named),
      'api-internal': expect.stringMatching(named),
    });
  });

  it('is run again when someone has changed the forward config', () => {
    const world = waiting();
    world.rule = 'changed';
    expect(world.run().trace).toEqual(['web StartCheck 2 before']);
  });
});

describe('an edit', () => {
  it('of the checks alone moves no traffic', () => {
    const world = settled([web()], clusters('web-v1'));
    world.edit({ applications: [web({ checks: [] })] });
    world.run();
    expect(world.trace).toEqual(['web SaveRevision 2', 'web ApplyChild 2', 'web MarkGood 2']);
    expect(world.children.get('web')?.child.spec.version).toBe('1');
  });

  it('back to what was there before takes everything back', () => {
    const world = settled([web()], clusters('web-v1'));
    world.edit({ clusters: clusters('web-v2') });
    while (world.children.get('web')?.status.phase !== 'Progressing') world.turn();
    world.edit({ clusters: clusters('web-v1') });
    expect(world.run().status.phase).toBe('Completed');
    expect([...world.secrets.keys()]).toEqual(['web-v1']);
    expect(world.children.get('web')?.child.spec.version).toBe('1');
  });

  it('takes the traffic back from what it supersedes, before anything else', () => {
    const world = settled([web({ prechecks: [{ name: 'before', job }] })], clusters('web-v1'));
    world.edit({ clusters: clusters('web-v2') });
    while (world.children.get('web')?.status.phase !== 'Progressing') world.turn();
    world.trace.length = 0;
    world.edit({ clusters: clusters('web-v3') });
    expect(world.run().trace.slice(0, 4)).toEqual([
      'web ApplyChild 1',
      'web SaveRevision 3',
      'web StartCheck 3 before',
      'web ApplySecrets 3',
    ]);
    expect(world.status.phase).toBe('Completed');
  });

  const servedBy = (world: ApplicationsWorld): unknown =>
    world.children.get('web')?.serving.map((arn) => arn.split('/')[1]);

  it.each<readonly [string, (world: ApplicationsWorld) => void]>([
    ['a pause', (world) => world.ask('pause')],
    ['a cluster that is not ready', (world) => world.ready.set('web-v3', false)],
    ['a Freeze', (world) => (world.freezes = [{ name: 'f', by: 'ann', reason: 'Holiday.' }])],
  ])('takes the traffic back from what it supersedes, whatever holds the rest: %s', (_, hold) => {
    const world = settled([web()], clusters('web-v1'));
    world.edit({ clusters: clusters('web-v2') });
    while (world.children.get('web')?.status.phase !== 'Progressing') world.turn();
    world.trace.length = 0;
    hold(world);
    world.edit({ clusters: clusters('web-v3') });
    world.run();
    expect(world.trace.filter((said) => !said.includes('Forward'))).toEqual(['web ApplyChild 1']);
    expect(servedBy(world)).toEqual(['web-v1']);
  });

  it('takes the traffic back from what it supersedes though the new revision cannot be kept', () => {
    const world = settled([web()], clusters('web-v1'));
    world.edit({ clusters: clusters('web-v2') });
    while (world.children.get('web')?.status.phase !== 'Progressing') world.turn();
    const perform = world.perform.bind(world);
    world.perform = (application, action) =>
      action.do === 'SaveRevision' ? undefined : perform(application, action);
    world.edit({ clusters: clusters('web-v3') });
    world.run();
    expect(servedBy(world)).toEqual(['web-v1']);
  });

  it('takes the traffic back from what it supersedes while an application before it is moved', () => {
    const world = settled([jobs(), web()], clusters('web-v1', 'jobs-v1'));
    world.edit({ clusters: clusters('web-v2', 'jobs-v1') });
    while (world.children.get('web')?.status.phase !== 'Progressing') world.turn();
    world.isDeployable = false;
    world.edit({ clusters: clusters('web-v3', 'jobs-v2') });
    expect(world.run().phases()).toEqual(['Syncing', 'Pending']);
    expect(servedBy(world)).toEqual(['web-v1']);
  });

  it('of a first revision that was never good keeps the target groups that serve until the new ones do', () => {
    const world = new ApplicationsWorld({
      clusters: clusters('web-v1'),
      applications: [web({ postchecks: [{ name: 'after', job }] })],
    });
    world.failing.add('after');
    world.run();
    expect(world.phases()).toEqual(['CheckFailed']);
    world.failing.clear();
    world.edit({ clusters: clusters('web-v2') });
    while (world.trace.at(-1) !== 'web ApplyChild 2') world.turn();
    const versions = (): string[] => [...world.groups.values()].map(({ version }) => version).toSorted();
    expect(versions()).toEqual(['1', '2']);
    expect(world.run().status.phase).toBe('Completed');
    expect(versions()).toEqual(['2']);
  });

  it.each<readonly [string, Partial<ApplicationsSpec>, object, (world: ApplicationsWorld) => void]>([
    ['is invalid now', {}, {}, (world) => world.tags.delete('web-v2')],
    ['has failed and stays', { onFailure: 'Hold' }, {}, (world) => world.failing.add('traffic of web')],
    [
      'is in conflict with a secret of someone else',
      {},
      {},
      (world) => world.secrets.set('web-v2', { asking: {}, isOwn: false }),
    ],
    ['has a cluster that EKS does not know', {}, {}, (world) => world.unknown.add('web-v2')],
  ])('of the windows reaches the traffic of an application that %s', (_, more, edited, change) => {
    const tagged = web({ clusterSelector: { matchEKSTags: { role: 'web' } } });
    const world = new ApplicationsWorld({
      clusters: clusters('web-v1', 'jobs-v1'),
      applications: [jobs(), tagged],
      ...more,
    });
    world.tags.set('web-v1', { role: 'web' }).set('web-v2', { role: 'web' });
    world.run();
    world.edit({ clusters: clusters('web-v2', 'jobs-v1') });
    while (world.children.get('web')?.status.phase !== 'Progressing') world.turn();
    // The secret may be another's, so that nothing asks for it.
    world.isSafe = () => undefined;
    change(world);
    world.turn();
    const groups = [...world.groups];
    world.trace.length = 0;
    const windows = [{ start: '00:00', end: '00:01' }];
    world.edit({ ...edited, windows });
    world.run();
    expect(world.children.get('web')?.child.spec.windows).toMatchObject(windows);
    expect(world.trace).toEqual(['web ApplyChild 2']);
    expect([...world.groups]).toEqual(groups);
  });

  const moving = (world: ApplicationsWorld): ApplicationsWorld => {
    while (world.children.get('web')?.status.phase !== 'Progressing') world.turn();
    world.trace.length = 0;
    return world;
  };

  it.each<readonly [string, (world: ApplicationsWorld) => void, object]>([
    [
      'names a cluster that EKS does not know',
      (world) => world.edit({ clusters: clusters('web-v3') }),
      { phase: 'Waiting', reason: 'WaitingForClusters' },
    ],
    [
      'selects no cluster',
      (world) => world.edit({ clusters: clusters('jobs-v1') }),
      { phase: 'Failed', reason: 'InvalidApplication' },
    ],
    [
      'cannot be read by anybody',
      (world) => (world.problems = ['Expected an ARN.']),
      { phase: 'Failed', reason: 'InvalidSpec' },
    ],
  ])('in the midst of moving takes the traffic back at once when it %s', (_, edit, want) => {
    const world = settled([web()], clusters('web-v1'));
    world.edit({ clusters: clusters('web-v2') });
    moving(world);
    world.unknown.add('web-v3');
    edit(world);
    world.run();
    expect(world.trace).toEqual(['web ApplyChild 1']);
    expect(servedBy(world)).toEqual(['web-v1']);
    expect(world.status).toMatchObject(want);
    expect([...world.secrets.keys()]).toEqual(['web-v1', 'web-v2']);
    world.problems = [];
    world.edit({ clusters: clusters('web-v2') });
    expect(world.run().status.phase).toBe('Completed');
    expect([...world.secrets.keys()]).toEqual(['web-v2']);
  });

  it('takes the traffic back from what it supersedes though a secret of the new cluster is of someone else', () => {
    const world = settled([web()], clusters('web-v1'));
    world.edit({ clusters: clusters('web-v2') });
    moving(world);
    world.secrets.set('web-v3', { asking: {}, isOwn: false });
    world.edit({ clusters: clusters('web-v3') });
    world.run();
    expect(world.trace).toEqual(['web ApplyChild 1']);
    expect(servedBy(world)).toEqual(['web-v1']);
    expect(world.status).toMatchObject({ phase: 'Failed', reason: 'Conflict' });
    world.secrets.delete('web-v3');
    expect(world.run().status.phase).toBe('Completed');
  });

  it('that nobody can read loses no abort', () => {
    const world = settled([web()], clusters('web-v1'));
    world.edit({ clusters: clusters('web-v2') });
    moving(world);
    world.problems = ['Expected an ARN.'];
    world.ask('abort');
    world.run();
    expect(servedBy(world)).toEqual(['web-v1']);
    world.problems = [];
    expect(world.run().status).toMatchObject({
      phase: 'Reverted',
      applications: [{ failed: { revision: 2 } }],
    });
  });

  it('that nobody can read holds traffic that has nothing to go back to, as a pause does', () => {
    const checked = web({ postchecks: [{ name: 'after', job }] });
    const world = new ApplicationsWorld({ clusters: clusters('web-v1'), applications: [checked] });
    world.failing.add('after');
    world.run();
    world.edit({ clusters: clusters('web-v2') });
    moving(world);
    world.problems = ['Expected an ARN.'];
    world.ask('pause');
    world.run();
    expect(world.trace).toEqual([]);
    expect(servedBy(world)).toEqual(['web-v1', 'web-v2']);
  });

  it('that is not made leaves traffic where it is while a cluster is not known, or what it comes to is not valid', () => {
    const tagged = web({ clusterSelector: { matchEKSTags: { role: 'web' } } });
    const role = { role: 'web' };
    const world = new ApplicationsWorld({ clusters: clusters('web-v1'), applications: [tagged] });
    world.tags.set('web-v1', role).set('web-v2', role);
    world.run();
    world.edit({ clusters: clusters('web-v2') });
    moving(world);
    const both = servedBy(world);
    world.unknown.add('web-v2');
    world.run();
    expect(world.status).toMatchObject({ phase: 'Waiting', reason: 'WaitingForClusters' });
    world.unknown.clear();
    world.tags.delete('web-v2');
    world.run();
    expect(world.status).toMatchObject({ phase: 'Failed', reason: 'InvalidApplication' });
    expect([world.trace, servedBy(world)]).toEqual([[], both]);
    world.tags.set('web-v2', role);
    expect(world.run().status.phase).toBe('Completed');
  });

  it('that selects no cluster is refused, and nothing is deleted', () => {
    const world = settled([web(), jobs()], clusters('web-v1', 'jobs-v1'));
    world.edit({ clusters: clusters('new-v1', 'jobs-v1') });
    expect(world.run().trace).toEqual([]);
    expect(world.status).toMatchObject({ phase: 'Failed', reason: 'InvalidApplication' });
  });
});

describe('an application that gets or loses its load balancer while it moves', () => {
  const clusterOf = (world: ApplicationsWorld): unknown =>
    world.children.get('web')?.serving.map((arn) => arn.split('/')[1]);
  const checked = web({ postchecks: [{ name: 'after', job }] });

  it('keeps the secrets of the clusters that serve when there is no revision that takes the traffic back', () => {
    const world = settled([web({ alb: undefined })], clusters('web-v1'));
    world.edit({ clusters: clusters('web-v2'), applications: [checked] });
    world.failing.add('after');
    world.run();
    world.pass(60);
    world.run();
    expect(clusterOf(world)).toEqual(['web-v2']);
    expect([...world.secrets.keys()]).toEqual(['web-v1', 'web-v2']);
    expect(world.status).toMatchObject({ phase: 'Failed', reason: 'StillServing' });
    world.failing.clear();
    world.ask('retry');
    expect(world.run().status.phase).toBe('Completed');
  });

  it('keeps the secrets of the clusters from which the traffic has not all moved, though nothing was good yet', () => {
    const world = new ApplicationsWorld({ clusters: clusters('web-v1'), applications: [checked] });
    world.failing.add('after');
    world.run();
    world.edit({ clusters: clusters('web-v2') });
    while (world.children.get('web')?.status.phase !== 'Progressing') world.turn();
    world.failing.clear();
    // Its traffic does not continue meanwhile.
    Object.assign(world, { moveTraffic: () => undefined });
    world.edit({ applications: [web({ alb: undefined })] });
    expect(world.run().status).toMatchObject({ phase: 'Failed', reason: 'StillServing' });
    expect(clusterOf(world)).toEqual(['web-v1', 'web-v2']);
    expect([...world.secrets.keys()]).toEqual(['web-v1', 'web-v2']);
  });

  it.each([
    ['creates first', web({ alb: undefined })],
    ['deletes first', web({ ...jobs(), name: 'web', clusterSelector: { role: 'web' }, alb: undefined })],
  ])('keeps the secrets of the clusters that its Cell still sends traffic to when it %s', (_, without) => {
    const world = settled([checked], clusters('web-v1'));
    world.edit({ clusters: clusters('web-v2'), applications: [without] });
    world.run();
    expect(clusterOf(world)).toEqual(['web-v1']);
    expect(world.secrets.has('web-v1')).toBe(true);
    expect(world.status).toMatchObject({ phase: 'Failed', reason: 'StillServing' });
    world.children.delete('web');
    expect(world.run().status.phase).toBe('Completed');
    expect([...world.secrets.keys()]).toEqual(['web-v2']);
  });
});

describe('something that is done and changed back', () => {
  it('is not done again and again as fast as it can be', () => {
    const world = settled([web()], clusters('web-v1'));
    let removed = 0;
    for (let turn = 0; turn < 40; turn += 1) {
      if (world.secrets.delete('web-v1')) removed += 1;
      takeWithoutCheck(world);
    }
    expect(removed).toBeLessThan(15);
    expect(world.status.message).toContain('ApplySecrets was applied');
  });

  /** Takes a turn in which the secret of a cluster that serves may be missing, as someone has deleted it. */
  function takeWithoutCheck(world: ApplicationsWorld): void {
    world.isSafe = () => undefined;
    world.turn();
  }
});

it.each<readonly [string, readonly (readonly [string, unknown])[]]>([
  ['decided', applicationRules],
  ['kept in place', keepRules],
  ['held', holdRules],
])('an application is %s by the rules in the order that docs/design.md shows', (_, rules) => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/design.md'), 'utf8');
  expect(page).toContain(rules.map(([name], index) => `${index + 1}. ${name}`).join('\n'));
});

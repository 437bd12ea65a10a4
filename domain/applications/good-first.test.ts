import { describe, expect, it } from 'vitest';
import { clusters, job, ruleAt, web } from './testing/applications.ts';
import type { CellStatus } from '../../crds/cell.ts';
import { goodFirst } from './judge.ts';
import { applicationsRefusal } from './requests.ts';
import type { Turn } from './situation.ts';
import { ApplicationsWorld } from './testing/world.ts';

const servedBy = (world: ApplicationsWorld): unknown =>
  world.children.get('web')?.serving.map((arn) => arn.split('/')[1]);

/** A Cell whose traffic moves from web-v1, or others, to web-v2, and the Cell of whose application someone deletes then. */
function deletedMidway(...from: readonly string[]): ApplicationsWorld {
  const old = from.length === 0 ? ['web-v1'] : from;
  const world = new ApplicationsWorld({ clusters: clusters(...old), applications: [web()] }).run();
  world.edit({ clusters: clusters('web-v2') });
  while (world.children.get('web')?.status.phase !== 'Progressing') world.turn();
  world.children.delete('web');
  world.groups.clear();
  world.trace.length = 0;
  return world;
}

const versions = (world: ApplicationsWorld): object =>
  Object.fromEntries([...world.groups.values()].map(({ arn, version }) => [arn.split('/')[1], version]));

describe('the Cell of an application that someone deletes while it moves the traffic', () => {
  it('is made again at the good revision, and knows all that may get traffic', () => {
    const world = deletedMidway();
    expect(world.turn()).toMatchObject({
      do: 'Act',
      isBack: true,
      action: { do: 'ApplyChild', number: 1, keep: 2 },
    });
    expect(versions(world)).toEqual({ 'web-v1': '1', 'web-v2': '2' });
  });

  it('serves the good revision before it takes the steps to the other again', () => {
    const world = deletedMidway();
    while (!world.trace.includes('web ApplyChild 2')) world.turn();
    expect(servedBy(world)).toEqual(['web-v1']);
    while (world.children.get('web')?.status.phase !== 'Progressing') world.turn();
    expect(servedBy(world)).toEqual(['web-v1', 'web-v2']);
    expect(world.run().trace).toEqual([
      'web ApplyChild 1',
      'web ApplyChild 2',
      'web MarkGood 2',
      'web RemoveLabels 2',
      'web DeleteSecrets',
      'web ApplyChild 2',
    ]);
  });

  it.each([
    ['its own', 'web-v1'],
    ['those of what was under way', 'web-v2'],
  ])('gets its AWSTargetGroups though a worker was killed before it made %s', (_, cluster) => {
    const world = deletedMidway();
    world.turn();
    for (const [id, { arn }] of world.groups) if (arn.includes(cluster)) world.groups.delete(id);
    world.turn('after');
    expect(versions(world)).toEqual({ 'web-v1': '1', 'web-v2': '2' });
    expect(world.run().status.phase).toBe('Completed');
  });

  it('gives the traffic back before anything else when the application is edited', () => {
    const world = deletedMidway();
    world.edit({ clusters: clusters('web-v3') });
    expect(world.turn()).toMatchObject({ action: { do: 'ApplyChild', number: 1, keep: 2 } });
    expect(world.run().status.phase).toBe('Completed');
    expect(servedBy(world)).toEqual(['web-v3']);
    expect(world.trace.slice(0, 2)).toEqual(['web ApplyChild 1', 'web SaveRevision 3']);
  });

  it('is not made again for a revision that has no load balancer', () => {
    const world = deletedMidway();
    world.edit({ applications: [web({ alb: undefined })] });
    expect(world.run().status.phase).toBe('Completed');
    expect(world.trace.join()).not.toContain('ApplyChild');
  });

  it('is not made again while nobody can read the spec', () => {
    const world = deletedMidway();
    world.problems = ['Expected an ARN.'];
    expect(world.run().trace).toEqual([]);
  });

  it('is not made again as it was for an application that was removed with its secrets, and comes again', () => {
    const other = web({ name: 'other', clusterSelector: { role: 'other' }, alb: ruleAt(11) });
    const world = new ApplicationsWorld({
      clusters: clusters('web-v1', 'other-v1'),
      applications: [web(), other],
    }).run();
    world.edit({ applications: [other] });
    world.run();
    world.children.delete('web');
    for (const [id, { application }] of world.groups) if (application === 'web') world.groups.delete(id);
    world.secrets.delete('web-v1');
    world.trace.length = 0;
    world.edit({ clusters: clusters('web-v2', 'other-v1'), applications: [web({ alb: ruleAt(20) }), other] });
    expect(world.run().status.phase).toBe('Completed');
    expect(world.trace.filter((said) => said.includes('Child'))[0]).toBe('web ApplyChild 2');
  });

  it('is made again at the good revision also when one of its secrets is lost', () => {
    const world = deletedMidway('web-v1', 'web-v1b');
    world.secrets.delete('web-v1b');
    expect(world.turn()).toMatchObject({ action: { do: 'ApplyChild', number: 1, keep: 2 } });
  });

  it.each(['web-v2', 'web-v3'])(
    'is not made again while every secret of the good revision is lost, whatever is asked for: %s',
    (asked) => {
      const world = deletedMidway();
      const secret = world.secrets.get('web-v1')!;
      world.secrets.delete('web-v1');
      world.edit({ clusters: clusters(asked) });
      expect(world.run().trace).toEqual([]);
      expect(world.status).toMatchObject({
        reason: 'WaitingForCell',
        message:
          'web: Secret web-v1 does not have application web, which Cell mysystem-web needs before it is created again, so that revision 1 gets the traffic first. Restore it, or send abort while a newer revision is under way. If revision 1 is no longer needed, delete ControllerRevision mysystem-web-1; the newer one then gets all traffic at once.',
      });
      world.secrets.set('web-v1', secret);
      expect(world.turn()).toMatchObject({ action: { do: 'ApplyChild', number: 1, keep: 2 } });
      expect(world.run().status.phase).toBe('Completed');
    },
  );

  it('is left to the other revision once someone deletes the good one, though older ones were good', () => {
    const world = deletedMidway();
    for (const asked of ['web-v2', 'web-v3']) {
      world.edit({ clusters: clusters(asked) });
      world.run();
    }
    world.edit({ clusters: clusters('web-v4') });
    while (world.children.get('web')?.status.phase !== 'Progressing') world.turn();
    const newest = world.revisions.get('web')!.at(-1)!.number;
    world.children.delete('web');
    world.groups.clear();
    world.secrets.delete('web-v3');
    expect(world.run().status.message).toContain(`delete ControllerRevision mysystem-web-${newest - 1};`);
    world.revisions.set('web', world.revisions.get('web')!.toSpliced(-2, 1));
    expect(world.run().status.phase).toBe('Completed');
    expect(servedBy(world)).toEqual(['web-v4']);
  });

  it('is forgotten once the application has no load balancer, and a later one waits for nothing of it', () => {
    const world = deletedMidway();
    world.secrets.delete('web-v1');
    world.problems = ['Expected an ARN.'];
    const application = web({ alb: undefined, postchecks: [{ name: 'after', job }] });
    world.edit({ applications: [application], onFailure: 'Hold' });
    world.failing.add('after');
    world.run();
    expect(world.status.applications).toMatchObject([{ child: { name: 'mysystem-web' } }]);
    world.problems = [];
    world.run();
    expect(world.status.applications?.[0]).not.toHaveProperty('child');
    world.edit({ applications: [web()] });
    expect(world.run().status.phase).toBe('Completed');
    expect(servedBy(world)).toEqual(['web-v2']);
  });

  it('is made again by an abort though every secret of the good revision is lost', () => {
    const world = deletedMidway();
    world.secrets.delete('web-v1');
    world.run();
    world.ask('abort');
    expect(world.turn()).toMatchObject({ action: { do: 'ApplyChild', number: 1, keep: 2 } });
  });

  it('says what is waited for, and is left to the other revision once someone deletes the good one', () => {
    const world = deletedMidway();
    world.turn();
    const child = world.children.get('web')!;
    const { generation: observedGeneration } = child;
    for (let turns = 0; turns < 30; turns += 1) {
      child.status = {
        phase: 'Progressing',
        message: 'Expected healthy targets, got none.',
        observedGeneration,
      };
      world.turn();
    }
    expect(world.status).toMatchObject({
      reason: 'WaitingForCell',
      message:
        'web: Revision 1 gets the traffic first. Cell mysystem-web is Progressing: Expected healthy targets, got none. If revision 1 is no longer needed, delete ControllerRevision mysystem-web-1; the newer one then gets all traffic at once.',
    });
    world.revisions.set('web', world.revisions.get('web')!.slice(1));
    expect(world.run().status.phase).toBe('Completed');
    expect(servedBy(world)).toEqual(['web-v2']);
  });

  it.each(['promote', 'promoteFull'] as const)('refuses %s while the good revision is waited for', (name) => {
    const world = deletedMidway();
    const refusal = (): unknown => applicationsRefusal({ ...world.state, reported: world.status }, name);
    for (let turns = 0; turns < 2; turns += 1) world.turn();
    expect(world.status.applications).toMatchObject([{ phase: 'Migrating', reason: 'WaitingForCell' }]);
    expect(refusal()).toBe(
      'The last good revision of web gets the traffic first. Send the request again once the traffic moves.',
    );
    while (world.children.get('web')?.status.phase !== 'Progressing') world.turn();
    world.turn();
    expect(refusal()).toBeUndefined();
  });

  it.each([
    ['has served others since it was made', [{ version: '2.0.0' }], false],
    ['was made again', [], true],
  ])('is waited for where it %s', (_, history, isAwaited) => {
    const world = deletedMidway();
    world.turn();
    const status = { stableVersion: '2.0.0', history } as CellStatus;
    const seen = { ...world.observe().applications[0]! };
    const child = { ...seen.child!, status };
    const situation = {
      cell: 'mysystem',
      application: web(),
      problems: [],
      mark: { name: 'web', phase: 'Pending' },
      seen: { ...seen, child },
    } as unknown as Turn;
    expect(goodFirst(situation, 2) !== undefined).toBe(isAwaited);
  });
});

import { describe, expect, it } from 'vitest';
import { clusters, job, jobs, web } from '../applications/testing/applications.ts';
import { ApplicationsWorld } from '../applications/testing/world.ts';
import type { ObservedCell } from '../model/observation.ts';
import { weightsOf } from '../testing/builders.ts';
import { planApplications, type ApplicationPlan, type ApplicationsAsSeen } from './applications-plan.ts';

const nothing = { digest: '', selected: [], freezes: [], weighted: [], isApplied: true, sequence: 0 };

/** The Cell of an application in a world, as it serves. */
function childIn({ children }: ApplicationsWorld, application: string): ObservedCell {
  const key = { namespace: 'default', name: `mysystem-${application}` };
  const known = children.get(application);
  if (known === undefined) return { ...nothing, key };
  const { child, serving, status, generation } = known;
  const groups = child.targetGroups.map(({ name, arn, labels }) => ({
    name,
    arn,
    version: labels['okra.mumo.co/version'] ?? '',
  }));
  const weighted = groups
    .filter(({ arn }) => serving.includes(arn))
    .map(({ name, arn }) => ({ name, arn, weight: 100 / serving.length }));
  const cell = { uid: application, generation, spec: child.spec, status, problems: [] };
  return { ...nothing, key, cell, selected: groups, weighted, sequence: 1 };
}

const plan = (world: ApplicationsWorld): readonly ApplicationPlan[] => {
  const { key, applications } = world.observe();
  const seen: ApplicationsAsSeen['applications'] = applications.map(({ name, resolved, revisions }) => ({
    application: world.spec.applications.find((one) => one.name === name)!,
    resolved,
    revisions,
    mark: world.status.applications?.find((one) => one.name === name),
    child: childIn(world, name),
  }));
  return planApplications({ key, spec: world.spec, applications: seen }, world.now);
};

/** An application in short: what is done before and after its traffic moves, and the weights in between. */
const told = ({ name, revision, before, traffic, after }: ApplicationPlan): readonly string[] => [
  `${name} ${revision}`,
  ...before,
  ...(traffic?.parts ?? []).flatMap(({ ahead }) =>
    ahead.events
      .filter(({ is, afterwards }) => is === 'Shift' && afterwards === undefined)
      .map(({ weights = [] }) => JSON.stringify(weightsOf(weights))),
  ),
  ...after,
];

const checked = { prechecks: [{ name: 'before', job }], postchecks: [{ name: 'after', job }] };
const fresh = (applications: object[], more: object = {}): ApplicationsWorld =>
  new ApplicationsWorld({ clusters: clusters('web-v1', 'jobs-v1'), applications, ...more });
const settled = (applications: object[], more: object = {}): ApplicationsWorld =>
  fresh(applications, more).run();
const moved = (applications: object[], more: object = {}): ApplicationsWorld => {
  const world = settled(applications, more);
  world.edit({ clusters: clusters('web-v2', 'jobs-v2') });
  return world;
};

describe('the plan of a Cell with applications', () => {
  it.each<[string, ApplicationsWorld, readonly (readonly string[])[]]>([
    [
      'a first rollout',
      fresh([web(checked), jobs()]),
      [
        [
          'web 1',
          'The prechecks run: before.',
          'Argo CD gets web-v1.',
          '{"mysystem-web-web-v1":100}',
          'The postchecks run: after.',
        ],
        ['jobs 1', 'The prechecks run: run-test.', 'Argo CD gets jobs-v1.'],
      ],
    ],
    [
      'new clusters, of which one application deletes the old ones first',
      moved([web(checked), jobs()]),
      [
        [
          'web 2',
          'The prechecks run: before.',
          'Argo CD gets web-v2.',
          '{"mysystem-web-web-v1":100,"mysystem-web-web-v2":0}',
          '{"mysystem-web-web-v1":50,"mysystem-web-web-v2":50}',
          '{"mysystem-web-web-v1":0,"mysystem-web-web-v2":100}',
          'The postchecks run: after.',
          'Argo CD loses web-v1.',
        ],
        ['jobs 2', 'The prechecks run: run-test.', 'Argo CD loses jobs-v1.', 'Argo CD gets jobs-v2.'],
      ],
    ],
    ['nothing to do', settled([web(), jobs()]), [['web 1'], ['jobs 1']]],
  ])('says what is done, with the weights: %s', (_, world, want) => {
    const ahead = plan(world);
    expect(ahead.map(told)).toEqual(want);
    expect(ahead.flatMap(({ problems }) => problems)).toEqual([]);
    world.run();
    const revisions = world.status.applications?.map(({ revision }) => revision);
    expect(ahead.map(({ revision }) => revision)).toEqual(revisions);
  });

  it('has the checks at each weight, and the time that they take', () => {
    const [{ traffic } = { traffic: undefined }] = plan(moved([web()], { settle: '1m' }));
    const events = traffic?.parts[0]?.ahead.events ?? [];
    expect(events.filter(({ is }) => is === 'Measurement')).toHaveLength(2);
    const shifts = events.filter(({ is, afterwards }) => is === 'Shift' && afterwards === undefined);
    expect((shifts.at(-1)?.at ?? 0) - (shifts[0]?.at ?? 0)).toBe(60_000);
  });

  it('does nothing again of what was done before the traffic moves', () => {
    const world = moved([web(checked)], { settle: '1h' });
    while (world.status.applications?.[0]?.phase !== 'Migrating') world.turn();
    expect(plan(world).map(({ revision, before }) => [revision, ...before])).toEqual([[2]]);
  });

  it('has problems when a selector selects nothing, or a revision has failed', () => {
    const world = fresh([web({ clusterSelector: { role: 'nobody' } })]);
    const [one] = plan(world);
    expect(one?.problems).toEqual([expect.stringMatching(/^web: clusterSelector selects no cluster/)]);
    const failing = moved([jobs()]);
    failing.failing.add('run-test');
    failing.run();
    expect(plan(failing)[0]?.problems).toEqual([
      expect.stringMatching(/^jobs: run-test failed\. Edit the Cell, or send retry\.$/),
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { clusters, job, jobs, web } from '../applications/testing/applications.ts';
import { ApplicationsWorld } from '../applications/testing/world.ts';
import type { ObservedCell } from '../model/observation.ts';
import { planApplications, type ApplicationsPlan } from './applications-plan.ts';

/** The Cells of applications in a world, as they serve. */
function childrenIn(world: ApplicationsWorld): Readonly<Record<string, ObservedCell>> {
  return Object.fromEntries(
    [...world.children].map(([application, { child, serving, status, generation }]) => {
      const groups = child.targetGroups.map(({ name, arn, labels }) => ({
        name,
        arn,
        version: labels['okra.mumo.co/version'] ?? '',
      }));
      const weighted = groups
        .filter(({ arn }) => serving.includes(arn))
        .map(({ name, arn }) => ({ name, arn, weight: 100 / serving.length }));
      const cell = { uid: application, generation, spec: child.spec, status, problems: [] };
      const key = { namespace: 'default', name: child.name };
      return [
        application,
        { key, cell, digest: '', selected: groups, freezes: [], weighted, isApplied: true, sequence: 1 },
      ];
    }),
  );
}

const plan = (world: ApplicationsWorld): ApplicationsPlan =>
  planApplications(
    { observed: world.observe(), children: childrenIn(world) },
    { now: world.now, assumed: [] },
  );

/** What is done, in the words of the world. */
const actsIn = ({ actions }: ApplicationsPlan): readonly string[] =>
  actions.flatMap(({ application, action }) => {
    if (action === undefined) return [];
    const number = 'number' in action ? [action.number] : [];
    const check = 'check' in action ? [action.check] : [];
    return [[application, action.do, ...number, ...check].join(' ')];
  });

const checked = { prechecks: [{ name: 'before', job }], postchecks: [{ name: 'after', job }] };
const fresh = (applications: object[], more: object = {}): ApplicationsWorld =>
  new ApplicationsWorld({ clusters: clusters('web-v1', 'jobs-v1'), applications, ...more });
const settled = (applications: object[], more: object = {}): ApplicationsWorld => {
  const world = fresh(applications, more).run();
  world.trace.length = 0;
  return world;
};
const moved = (applications: object[], more: object = {}): ApplicationsWorld => {
  const world = settled(applications, more);
  world.edit({ clusters: clusters('web-v2', 'jobs-v2') });
  return world;
};

describe('the plan of a Cell with applications', () => {
  it.each<[string, ApplicationsWorld]>([
    ['a first rollout', fresh([web(checked), jobs()])],
    ['new clusters', moved([web(checked), jobs()])],
    ['new clusters, at the same time', moved([web(), jobs()], { parallel: true })],
    ['clusters of which nothing is deleted first', moved([jobs(), web()])],
    ['nothing to do', settled([web(), jobs()])],
  ])('is what it does then: %s', (_, world) => {
    const ahead = plan(world);
    world.run();
    // Side by side, which one comes first is a matter of how long things take.
    const ordered = (acts: readonly string[]): readonly string[] =>
      world.spec.parallel === true
        ? acts.toSorted((a, b) => (a.split(' ')[0] ?? '').localeCompare(b.split(' ')[0] ?? ''))
        : acts;
    expect(ordered(actsIn(ahead))).toEqual(ordered(world.trace));
    expect(ahead).toMatchObject({ problems: [], end: { phase: 'Completed' } });
    const revisions = (world.status.applications ?? []).map(({ name, revision }) => ({
      application: name,
      revision,
    }));
    expect(ahead.revisions).toEqual(revisions);
  });

  it('has the weights of its applications, with the checks at each, and the time that they take', () => {
    const { actions } = plan(moved([web()], { settle: '1m' }));
    const shifts = actions.filter(({ is }) => is === 'Shift' || is === 'Measurement');
    expect(
      shifts.map(({ weights, does }) =>
        weights === undefined ? does : weights.map(({ name, weight }) => `${name} ${weight}`).join(', '),
      ),
    ).toEqual([
      'mysystem-web-web-v1 100, mysystem-web-web-v2 0',
      'mysystem-web-web-v1 50, mysystem-web-web-v2 50',
      expect.stringContaining('Starting'),
      'mysystem-web-web-v1 0, mysystem-web-web-v2 100',
      expect.stringContaining('Starting'),
    ]);
    expect((actions.at(-1)?.at ?? 0) - (actions[0]?.at ?? 0)).toBe(120_000);
  });

  it('tells what it takes for granted: a pause, and a Freeze', () => {
    const world = moved([jobs()]);
    world.freezes = [{ name: 'night', by: 'ops', reason: 'sale' }];
    world.ask('pause');
    world.turn();
    const { actions, end } = plan(world);
    expect(actions.flatMap(({ assumes = [] }) => assumes)).toEqual([
      'someone sends resume at once',
      'the Freeze is lifted at once',
    ]);
    expect(end.phase).toBe('Completed');
  });

  it('has problems when a selector selects nothing', () => {
    const world = fresh([web({ clusterSelector: { role: 'nobody' } })]);
    expect(plan(world).problems).toEqual([expect.stringMatching(/^web: clusterSelector selects no cluster/)]);
  });
});

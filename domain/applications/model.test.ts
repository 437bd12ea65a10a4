import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requestNames } from '../model/request.ts';
import { clusters, job, jobs, web } from './testing/applications.ts';
import { ApplicationsWorld } from './testing/world.ts';

const checked = { prechecks: [{ name: 'before', job }], postchecks: [{ name: 'after', job }] };

/** A Cell with two applications that have to move to other clusters, and what fails on the way. */
function moving(failing: readonly string[], next: readonly string[]): ApplicationsWorld {
  const world = new ApplicationsWorld({
    clusters: clusters('web-a', 'web-b', 'jobs-a'),
    applications: [web(checked), jobs({ ...checked, checks: [{ name: 'during', job }] })],
  }).run();
  world.trace.length = 0;
  world.edit({ clusters: clusters(...next) });
  for (const one of failing) world.failing.add(one);
  return world;
}

/** Another world that is just like this one. */
function copyOf(world: ApplicationsWorld): ApplicationsWorld {
  const { ...fields }: object = world;
  return Object.assign(new ApplicationsWorld(world.spec), structuredClone(fields));
}

const end = (world: ApplicationsWorld): ApplicationsWorld => {
  world.run();
  world.pass(60);
  return world.run();
};

/** What there is, apart from when. */
const shown = (world: ApplicationsWorld): unknown => ({
  trace: world.trace,
  secrets: Object.fromEntries(world.secrets),
  groups: [...world.groups.values()],
  serving: [...world.children].map(([name, { serving }]) => [name, serving.toSorted()]),
  runs: [...world.runs],
  phases: [world.status.phase, ...world.phases()],
});

describe('a worker that is killed at any action', () => {
  const others = ['web-c', 'web-d', 'jobs-b'];
  it.each([
    ['all goes well', [], others],
    ['a cluster stays', [], ['web-b', 'web-c', 'jobs-b']],
    ['the traffic fails', ['traffic of web'], others],
    ['a precheck fails', ['before'], others],
    ['a postcheck fails', ['after'], others],
    ['a check without traffic fails', ['during'], others],
  ] as const)('leaves the order and the end as they are when %s', (_, failing, next) => {
    const want = shown(end(moving(failing, next)));
    const world = moving(failing, next);
    for (let at = 0; at < 45; at += 1) {
      for (const lose of ['before', 'after', 'twice'] as const) {
        const other = copyOf(world);
        other.turn(lose);
        expect(shown(end(other)), `${lose} at ${at}`).toEqual(want);
      }
      world.turn();
    }
    expect(shown(end(world))).toEqual(want);
  });
});

describe('a look without the clusters at any action', () => {
  it.each([
    ['all goes well', []],
    ['the traffic fails', ['traffic of web']],
    ['a postcheck fails', ['after']],
  ] as const)('leaves the order and the end as they are when %s', (_, failing) => {
    const others = ['web-c', 'web-d', 'jobs-b'];
    const want = shown(end(moving(failing, others)));
    const world = moving(failing, others);
    for (let at = 0; at < 45; at += 1) {
      const hurried = copyOf(world);
      hurried.turn('nothing', hurried.observeWithoutClusters());
      expect(shown(end(hurried)), `at ${at}`).toEqual(want);
      world.turn();
    }
  });
});

type Change = (world: ApplicationsWorld) => void;

const toggle = (set: Set<string>, name: string): void => {
  if (!set.delete(name)) set.add(name);
};

/** How the clusters stand, apart from since when. */
const standing = ({ status: { clusters: all = [] } }: ApplicationsWorld): unknown =>
  all.map(({ name, ready, message }) => [name, ready, message]);

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 10, arbitrary: fc.constant<Change>((world) => void world.turn()) },
  {
    weight: 3,
    arbitrary: fc.constantFrom('before' as const, 'after' as const, 'twice' as const).map(
      (lose): Change =>
        (world) =>
          void world.turn(lose),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constant<Change>((world) => {
      const before = standing(world);
      world.turn('nothing', world.observeWithoutClusters());
      expect(standing(world)).toEqual(before);
    }),
  },
  fc
    .tuple(
      fc.subarray(['web-a', 'web-b', 'web-c', 'web-d'], { minLength: 1, maxLength: 2 }),
      fc.subarray(['jobs-a', 'jobs-b'], { minLength: 1 }),
    )
    .map(
      ([some, more]): Change =>
        (world) =>
          world.edit({ clusters: clusters(...some, ...more) }),
    ),
  fc.constantFrom('10m', '20m').map(
    (healthTimeout): Change =>
      (world) =>
        world.edit({ healthTimeout }),
  ),
  fc.constantFrom('traffic of web', 'before', 'after').map(
    (name): Change =>
      (world) =>
        toggle(world.failing, name),
  ),
  fc.constantFrom(...requestNames).map(
    (name): Change =>
      (world) =>
        world.ask(name),
  ),
  fc.constant<Change>((world) => (world.isDeployable = !world.isDeployable)),
  fc.constant<Change>((world) => (world.problems = world.problems.length === 0 ? ['Expected an ARN.'] : [])),
  fc.constantFrom('web-b', 'jobs-a').map(
    (name): Change =>
      (world) =>
        toggle(world.unknown, name),
  ),
  fc.constant<Change>((world) => world.pass(61)),
  fc.constantFrom('web-a', 'jobs-b').map(
    (name): Change =>
      (world) =>
        void world.ready.set(name, world.ready.get(name) === false),
  ),
);

describe('whatever happens', () => {
  it('no cluster serves without a secret, nothing is run twice, and all comes to what is asked for', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), fc.boolean(), (changes, parallel) => {
        const world = new ApplicationsWorld({
          clusters: clusters('web-a', 'web-b', 'jobs-a'),
          applications: [web(checked), jobs(checked)],
          parallel,
        });
        for (const one of changes) one(world);
        world.problems = [];
        for (let turn = 0; turn < 3; turn += 1) world.turn();
        for (const { child } of world.children.values())
          expect(child.spec.healthTimeout).toBe(world.spec.healthTimeout);
        world.failing.clear();
        world.ready.clear();
        world.unknown.clear();
        world.isDeployable = true;
        world.ask('resume');
        world.ask('retry');
        end(world);
        world.ask('retry');
        end(world);
        expect(world.status.phase).toBe('Completed');
        const wanted = world.spec.clusters.map(({ name }) => name).toSorted();
        expect([...world.secrets.keys()].toSorted()).toEqual(wanted);
        const serving = [...world.children.values()].flatMap((child) =>
          child.serving.map((arn) => arn.split('/')[1]),
        );
        expect(new Set(serving)).toEqual(new Set(wanted.filter((name) => name.startsWith('web'))));
      }),
      { numRuns: 300 },
    );
  });

  it('nothing of a revision goes forward after it was aborted, before someone sends retry', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 25 }),
        fc.array(fc.constantFrom(...requestNames.filter((name) => name !== 'retry' && name !== 'abort')), {
          maxLength: 5,
        }),
        (at, asked) => {
          const world = moving([], ['web-c', 'web-d', 'jobs-b']);
          for (let turn = 0; turn < at; turn += 1) world.turn();
          world.ask('abort');
          world.turn();
          const isAborted = world.status.applications?.some(({ failed }) => failed !== undefined) === true;
          const from = world.trace.length;
          for (const one of asked) {
            world.ask(one);
            world.turn();
          }
          end(world);
          if (!isAborted) return;
          const after = world.trace.slice(from).filter((said) => !said.includes('Forward'));
          expect(after.filter((said) => /StartCheck|MarkGood|SaveRevision/.test(said))).toEqual([]);
          expect(world.status.phase).toMatch(/Reverted|Paused/);
        },
      ),
      { numRuns: 100 },
    );
  });
});

import { describe, expect, it } from 'vitest';
import type { CellSpec } from '../../crds/cell.ts';
import { aCell, weightsOf } from '../testing/builders.ts';
import { rollingOut } from '../testing/rolling-out.ts';
import { Simulation } from '../testing/simulation.ts';
import { nextVersion, planCell, type CellPlan } from './plan.ts';

// A Sunday.
const now = Date.parse('2026-11-22T10:00:00Z');
const serving = aCell().withGroups('1.0.0', 'a').serving({ a: 100 }).withStatus({ stableVersion: '1.0.0' });

/** All Mondays for longer than windows are looked ahead for. */
const mondays = Array.from({ length: 60 }, (_, week) =>
  new Date(now + (1 + 7 * week) * 24 * 3600_000).toISOString().slice(0, 10),
);

/** The plan in short: after how many seconds, what, and with which weights. */
const told = ({ parts }: CellPlan): readonly string[] =>
  parts.flatMap(({ assumed, ahead }) => [
    ...(assumed === undefined ? [] : [`assumed: ${assumed}`]),
    ...ahead.events.map(({ at, is, does, weights }) => {
      const what = weights === undefined ? does : JSON.stringify(weightsOf(weights));
      return `${(at - now) / 1000} ${is} ${what}`;
    }),
    `end: ${ahead.end?.outcome ?? ahead.stuck?.for}`,
  ]);

describe('a plan', () => {
  it('takes the steps of a newer version, with what is taken for granted', () => {
    const observed = serving
      .withGroups('2.0.0', 'b')
      .withSteps({ setWeight: 20 }, { pause: { duration: '10m' } }, { pause: {} }, { setWeight: 50 })
      .seen();
    const plan = planCell(observed, { now });
    expect(told(plan)).toEqual([
      '0 Shift {"a":100,"b":0}',
      '0 Shift {"a":80,"b":20}',
      '0 Wait Pausing for 10m.',
      '600 Wait Waiting for resume or promote.',
      '600 Shift {"a":50,"b":50}',
      '600 Shift {"a":0,"b":100}',
      '600 End 2.0.0 serves all traffic.',
      expect.stringMatching(/^600 Wait Keeping a at weight 0/),
      '1200 Shift {"b":100}',
      'end: Completed',
    ]);
    expect(plan.problems).toEqual([]);
    expect(plan.parts[0]?.ahead.rollout).toEqual({ from: '1.0.0', to: '2.0.0' });
    const numbers = plan.parts[0]?.ahead.events.map(({ step }) => step);
    expect(numbers).toEqual(['1/4', '1/4', '2/4', '3/4', '4/4', 'done', 'done', undefined, undefined]);
    expect(plan.parts[0]?.ahead.events.flatMap(({ assumes = [] }) => assumes)).toEqual([
      'resume is sent at once',
    ]);
  });

  it.each<[string, Partial<CellSpec>]>([
    [
      'a pause with an analysis in the background',
      {
        updateStrategy: {
          type: 'Canary',
          canary: {
            steps: [{ setWeight: 20 }, { pause: { duration: '8760h' } }],
            analysis: { templates: [{ templateName: 'rate' }], startingStep: 0 },
          },
        },
      },
    ],
    [
      'a bake with an analysis',
      {
        updateStrategy: {
          type: 'Canary',
          bake: { duration: '8760h', analysis: { templates: [{ templateName: 'rate' }] } },
        },
      },
    ],
    ['target groups that stay at weight 0', { updateStrategy: { type: 'Canary', detachAfter: '8760h' } }],
  ])('goes through a year of waiting: %s', (_, spec) => {
    const simulation = rollingOut({ settle: '0s', ...spec });
    const [part] = planCell(simulation.seen(), { now: simulation.now, assume: [] }).parts;
    expect(part?.ahead.end?.reason).toBe('Serving');
    expect((part?.ahead.now ?? 0) - simulation.now).toBeGreaterThanOrEqual(8760 * 3600_000);
  });

  it('takes it for granted that those approve who have to, before it is too late', () => {
    const approval = { groups: ['release'], count: 2, timeout: '1h' };
    const observed = serving.withGroups('2.0.0', 'b').withSteps({ setWeight: 20 }, { approval }).seen();
    const plan = planCell(observed, { now });
    expect(told(plan).slice(1, 4)).toEqual([
      '0 Shift {"a":80,"b":20}',
      '0 Wait Waiting for 2 of 2 approvals from release.',
      '0 Shift {"a":0,"b":100}',
    ]);
    expect(plan.problems).toEqual([]);
    expect(plan.parts[0]?.ahead.events.flatMap(({ assumes = [] }) => assumes)).toEqual([
      'those who have to approve do so at once',
    ]);
  });

  it('writes what a rollout writes', () => {
    const simulation = new Simulation({
      updateStrategy: {
        type: 'Canary',
        canary: { steps: [{ setWeight: 20 }, { pause: { duration: '1m' } }, { setWeight: 50 }] },
      },
    });
    simulation.provision('1.0.0', 'a');
    simulation.pass(0);
    simulation.provision('2.0.0', 'b');
    const plan = planCell(simulation.seen(), { now: simulation.now });
    simulation.wake();
    const before = simulation.writes.length;
    simulation.pass(24 * 3600_000);
    expect(
      plan.parts[0]?.ahead.events.flatMap(({ weights = [] }) =>
        weights.length === 0 ? [] : [weightsOf(weights)],
      ),
    ).toEqual(simulation.writes.slice(before).map(({ shift }) => weightsOf(shift.shares)));
  });

  it('assumes a first and a next version where there are none', () => {
    const plan = planCell(aCell().withSteps({ setWeight: 20 }).seen(), { now });
    expect(told(plan).filter((line) => !line.includes(' Wait '))).toEqual([
      'end: Waiting',
      'assumed: 1.0.0',
      expect.stringContaining('Shift {"web-1.0.0-1":100}'),
      'end: Completed',
      'assumed: 1.0.1',
      expect.stringContaining('{"web-1.0.0-1":100,"web-1.0.1-1":0}'),
      expect.stringContaining('{"web-1.0.0-1":80,"web-1.0.1-1":20}'),
      expect.stringContaining('{"web-1.0.0-1":0,"web-1.0.1-1":100}'),
      expect.stringContaining('End 1.0.1 serves all traffic.'),
      expect.stringContaining('{"web-1.0.1-1":100}'),
      'end: Completed',
    ]);
  });

  it('waits for the next window', () => {
    const windows: CellSpec['windows'] = [{ timeZone: 'UTC', days: ['Mon'], start: '09:00', end: '10:00' }];
    const observed = serving.withGroups('2.0.0', 'b').withSpec({ windows }).seen();
    const { parts } = planCell(observed, { now });
    const [first, second] = parts[0]?.ahead.events ?? [];
    expect(first?.does).toContain('opens at 2026-11-23T09:00:00.000Z');
    expect(new Date(second?.at ?? 0).toISOString()).toBe('2026-11-23T09:00:00.000Z');
  });

  it('takes it for granted that a Freeze without an end is lifted, and waits for one that ends', () => {
    const freeze = { name: 'night', by: 'ops', reason: 'sale' };
    const held = (until?: number): readonly (string | undefined)[] => {
      const observed = serving
        .withGroups('2.0.0', 'b')
        .frozenBy({ ...freeze, ...(until === undefined ? {} : { until }) })
        .seen();
      const [wait, shift] = planCell(observed, { now }).parts[0]?.ahead.events ?? [];
      return [wait?.is, wait?.assumes, shift?.is, String((shift?.at ?? 0) - now)];
    };
    expect(held()).toEqual(['Wait', 'the Freeze is lifted at once', 'Shift', '0']);
    expect(held(now + 3600_000)).toEqual(['Wait', undefined, 'Shift', '3600000']);
  });

  it('takes it for granted that clusters become ready', () => {
    const seen = serving.withGroups('2.0.0', 'b').seen();
    const waitsFor = { cell: 'shop', clusters: ['web-v2'] };
    const [wait, shift] = planCell({ ...seen, waitsFor }, { now }).parts[0]?.ahead.events ?? [];
    expect([wait?.assumes, shift?.is]).toEqual(['the clusters are ready at once', 'Shift']);
  });

  it('takes it for granted that applications before that of the Cell come to be in place', () => {
    const seen = serving.withGroups('2.0.0', 'b').seen();
    const behind = { cell: 'shop', application: 'jobs' };
    const [wait, shift] = planCell({ ...seen, behind }, { now }).parts[0]?.ahead.events ?? [];
    expect([wait?.assumes, shift?.is]).toEqual(['the applications before it are in place at once', 'Shift']);
  });

  it.each([
    [
      'more target groups than fit into a rule',
      serving
        .withGroups('1.0.0', 'a2', 'a3')
        .withGroups('2.0.0', 'b1', 'b2', 'b3')
        .serving({ a: 34, a2: 33, a3: 33 })
        .withSpec({ replicas: 3 }),
      /Versions 1\.0\.0 and 2\.0\.0 have together 6 target groups/,
    ],
    [
      'a target group without a version',
      serving.withGroups(undefined, 'x'),
      /AWSTargetGroup x has no version/,
    ],
    [
      'a window that never opens',
      serving.withGroups('2.0.0', 'b').withSpec({
        windows: [{ timeZone: 'UTC', days: ['Mon'], start: '09:00', end: '10:00', excludeDates: mondays }],
      }),
      /none of spec\.windows opens/,
    ],
  ])('finds %s', (_, cell, problem) => {
    expect(planCell(cell.seen(), { now }).problems.join('\n')).toMatch(problem);
  });
});

describe('the plan of a rollout that is under way', () => {
  const underWay = (): Simulation => {
    const simulation = new Simulation({
      updateStrategy: {
        type: 'Canary',
        canary: { steps: [{ setWeight: 20 }, { pause: {} }, { setWeight: 50 }] },
      },
    });
    simulation.provision('1.0.0', 'a');
    simulation.pass(0);
    simulation.provision('2.0.0', 'b');
    simulation.wake();
    simulation.pass(60_000);
    return simulation;
  };
  const weightsAhead = (simulation: Simulation): readonly object[] =>
    planCell(simulation.seen(), { now: simulation.now }).parts.flatMap(({ ahead }) =>
      ahead.events.flatMap(({ weights }) => (weights === undefined ? [] : [weightsOf(weights)])),
    );

  it('continues from the weights that are served', () => {
    const simulation = underWay();
    expect(simulation.status).toMatchObject({ phase: 'Paused', canaryWeight: 20 });
    expect(weightsAhead(simulation)).toEqual([{ a: 50, b: 50 }, { a: 0, b: 100 }, { b: 100 }]);
  });

  it('takes it for granted that what an operator has paused is resumed', () => {
    const simulation = underWay();
    simulation.ask('pause');
    simulation.run();
    const plan = planCell(simulation.seen(), { now: simulation.now });
    expect(plan.parts[0]?.ahead.events[0]).toMatchObject({
      is: 'Wait',
      does: expect.stringContaining('Paused by ann') as unknown,
      assumes: 'resume is sent at once',
    });
    expect(weightsAhead(simulation)).toHaveLength(3);
  });

  it('changes nothing of what is there', () => {
    const simulation = underWay();
    const before = JSON.stringify(simulation.seen());
    planCell(simulation.seen(), { now: simulation.now });
    expect(JSON.stringify(simulation.seen())).toBe(before);
  });
});

describe('a version that has failed before', () => {
  it('is no problem of the plan', () => {
    const blocked = serving
      .withGroups('2.0.0', 'b')
      .withStatus({ stableVersion: '1.0.0', blockedVersions: [{ version: '2.0.0', cause: 'x', time: '' }] });
    const plan = planCell(blocked.seen(), { now });
    expect(plan.parts.map(({ ahead }) => ahead.end?.outcome)).toEqual(['Reverted', 'Completed']);
    expect(plan.problems).toEqual([]);
  });
});

describe('the version that is assumed', () => {
  it.each([
    ['the first', aCell(), '1.0.0'],
    ['after the highest', serving.withGroups('1.4.0', 'b'), '1.4.1'],
    [
      'after one that is blocked',
      serving.withStatus({ blockedVersions: [{ version: '3.0.0', cause: '', time: '' }] }),
      '3.0.1',
    ],
    ['the pinned one', serving.withSpec({ version: 'v2' }), '2.0.0'],
  ])('is %s', (_, cell, version) => expect(nextVersion(cell.seen())).toBe(version));
});

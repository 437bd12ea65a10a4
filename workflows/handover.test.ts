import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CellSpec } from '../crds/cell.ts';
import { clusters, jobs, web } from '../domain/applications/testing/applications.ts';
import { ApplicationsWorld } from '../domain/applications/testing/world.ts';
import { requestNames } from '../domain/model/request.ts';
import { aSpec, World } from '../domain/staged/testing/world.ts';
import { shapeOf, unreadable, type HandoverShape } from '../domain/testing/handover-shape.ts';
import { aJob } from '../domain/testing/jobs.ts';
import { aStepAnalysis } from '../domain/testing/checks.ts';
import { Simulation } from '../domain/testing/simulation.ts';

const folder = join(import.meta.dirname, '../test/handovers');
const MINUTE = 60_000;
const analysis = { templates: [{ templateName: 'rate' }] };

type Strategy = NonNullable<CellSpec['updateStrategy']>;

const strategies: readonly Strategy[] = [
  {
    type: 'Canary',
    canary: {
      steps: [{ setWeight: 20 }, { pause: { duration: '10m' } }, { analysis }, { pause: {} }],
      analysis: { ...analysis, startingStep: 1 },
    },
    bake: { duration: '1h', analysis },
  },
  {
    type: 'Canary',
    canary: {
      onFailure: 'Hold',
      steps: [
        { stepWeight: 30 },
        { experiment: { templates: [{ name: 'a', specRef: 'canary', replicas: 1 }] } },
        { check: { name: 'dd', analysis: aStepAnalysis() } },
        { job: aJob() },
      ],
    },
  },
  { type: 'BlueGreen', blueGreen: { steps: [{ pause: {} }, { promote: {} }] } },
];

/** What may happen to a rollout. */
const troubles: readonly ((simulation: Simulation) => void)[] = [
  () => undefined,
  (one) => one.conclude('Successful'),
  (one) => one.conclude('Failed'),
  (one) => one.conclude('Inconclusive', 'inBackground'),
  (one) => void (one.refusals = 2),
  (one) => void (one.isBlind = !one.isBlind),
  (one) => void (one.isMute = !one.isMute),
  (one) => void (one.freezes = one.freezes.length > 0 ? [] : [{ name: 'f', by: 'ops', reason: 'sale' }]),
  (one) =>
    void one.unhealthy.add(
      'arn:aws:elasticloadbalancing:ap-northeast-1:111122223333:targetgroup/b/0123456789abcdef',
    ),
  (one) => one.provision('3.0.0', 'c'),
  ...requestNames.map((name) => (one: Simulation) => one.ask(name)),
];

/** What a rollout remembers each time that it waits, while this happens to it. */
function remembered(updateStrategy: Strategy, happens: typeof troubles): readonly unknown[] {
  const simulation = new Simulation({ updateStrategy, progressDeadline: '2h' });
  simulation.provision('1.0.0', 'a');
  simulation.pass(MINUTE);
  simulation.provision('2.0.0', 'b');
  return happens.map((happen, at) => {
    happen(simulation);
    simulation.wake();
    simulation.pass(at * 4 * MINUTE);
    return simulation.state;
  });
}

/** What rollouts remember, whatever happens to them. */
const rollouts = (): readonly unknown[] =>
  strategies.flatMap((strategy) =>
    troubles.flatMap((first, which) =>
      troubles
        .filter((_, at) => (at + which) % 4 === 0)
        .flatMap((second) => remembered(strategy, [first, second, () => undefined])),
    ),
  );

/** What Cells with applications remember. */
function applications(): readonly unknown[] {
  const states: unknown[] = [];
  for (const request of [undefined, 'pause', 'promote', 'abort', 'retry'] as const) {
    const world = new ApplicationsWorld({
      clusters: clusters('web-v1', 'jobs-v1'),
      applications: [web(), jobs()],
    }).run();
    world.edit({ clusters: clusters('web-v2', 'jobs-v2') });
    for (let turn = 0; turn < 40; turn += 1) {
      if (turn === 8 && request !== undefined) world.ask(request);
      states.push(world.state);
      world.turn();
    }
  }
  return states;
}

/** What StagedBindingPolicies remember. */
function staged(): readonly unknown[] {
  const states: unknown[] = [];
  for (const request of [undefined, 'pause', 'promote', 'abort', 'retry'] as const) {
    const world = new World(aSpec([{}, {}, {}]));
    for (const stage of ['s0', 's1', 's2']) {
      world.settle();
      states.push(world.state);
      if (request !== undefined) world.ask(request);
      states.push(world.state);
      world.fulfilled.add(stage);
    }
    world.settle();
    states.push(world.state);
  }
  return states;
}

const asSent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('what a run hands over', () => {
  it.each([
    ['cellRollout', rollouts],
    ['cellRollout with applications', applications],
    ['stagedBinding', staged],
  ])('is read by the release before: %s', (name, states) => {
    const file = join(folder, `${name.replaceAll(' ', '-')}.json`);
    const handovers = states().map(asSent);
    if (process.env['OKRA_RECORD_HANDOVERS'] !== undefined) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(file, `${JSON.stringify(shapeOf(handovers), undefined, 2)}\n`);
    }
    expect(existsSync(file)).toBe(true);
    const before = JSON.parse(readFileSync(file, 'utf8')) as HandoverShape;
    expect([...new Set(handovers.flatMap((one) => unreadable(before, one)))]).toEqual([]);
  });

  it.each<[string, unknown, string | undefined]>([
    ['has a field more', { is: 'Pausing', since: 1, more: true }, undefined],
    ['lacks what it has to have', { is: 'Pausing' }, 'Expected state.since, got none.'],
    [
      'has another alternative',
      { is: 'Other', since: 1 },
      'Expected state.is to be Pausing, Ready, got Other.',
    ],
    ['has another type', { is: 'Ready', since: '1' }, 'Expected state.since to be number, got string.'],
    ['lacks what not all have', { is: 'Ready', since: 1 }, undefined],
  ])('is compared with what was recorded: one that %s', (_, handover, problem) => {
    const shape = shapeOf([
      { is: 'Ready', since: 1, maybe: 2 },
      { is: 'Pausing', since: 1 },
    ]);
    expect(unreadable(shape, handover)[0]).toBe(problem);
  });
});

import { describe, expect, it } from 'vitest';
import { decide } from './decide.ts';
import type { InspectedForwarding } from '../../load-balancers/load-balancer.ts';
import { initialState, type Rollout, type RolloutState } from '../../model/state.ts';
import { aCell, arnOf, weightsOf, type CellBuilder, aRollout } from '../../testing/builders.ts';
import { normalise } from '../../load-balancers/weights.ts';
import { parseStep } from '../../steps/index.ts';

const NOW = 1_000_000;
const groups = (weights: Readonly<Record<string, number>>) =>
  Object.entries(weights).map(([name, weight]) => ({ name, arn: arnOf(name), weight }));
const serving = (weights: Readonly<Record<string, number>>): InspectedForwarding => ({
  is: 'Serving',
  targetGroups: groups(weights),
});
const told = { message: '', startedAt: '2026-11-21T12:00:00Z', endedAt: '2026-11-21T12:00:00Z' };
const nothing: InspectedForwarding = { is: 'Nothing' };
const saw = (found: InspectedForwarding, more: Partial<RolloutState> = {}): RolloutState => ({
  ...initialState,
  ...more,
  inspected: found,
});

const rollout = aRollout({
  steps: [{ setWeight: 20 }, { pause: {} }].map(parseStep),
  index: 1,
  progress: { is: 'Pausing', since: NOW },
});
const ending = { kind: 'Failed', reason: 'Aborted', message: 'Aborted by ann.', at: NOW } as const;
const rolling = (change: Partial<Rollout> = {}): Partial<RolloutState> => ({
  rollout: { ...rollout, ...change },
});

function decided(cell: CellBuilder, state: RolloutState): string {
  const decision = decide(cell.seen(), state, NOW);
  switch (decision.do) {
    case 'Shift':
      return `${decision.purpose} ${decision.version} ${JSON.stringify(weightsOf(decision.shares))}`;
    case 'Close':
      return `${decision.outcome} ${decision.reason}`;
    case 'End':
      return `${decision.ending.kind} ${decision.ending.reason}`;
    default:
      return decision.do;
  }
}

const cell = aCell()
  .withSteps({ setWeight: 20 }, { pause: {} })
  .withGroups('1.0.0', 'a')
  .withGroups('2.0.0', 'b');
const remembered = cell.withStatus({
  stableVersion: '1.0.0',
  targetGroups: [{ name: 'a', arn: arnOf('a'), version: '1.0.0', role: 'Stable', weight: 100 }],
});

describe('a Cell of which no object says what is served', () => {
  it.each<[string, CellBuilder, RolloutState, string]>([
    ['looks at the load balancer before it installs', cell, initialState, 'Inspect'],
    ['installs when there is nothing', cell, saw(nothing), 'Installing 2.0.0 {"b":100}'],
    [
      'takes over what is served with the same weights, and does not jump to the newest',
      cell,
      saw(serving({ a: 100 })),
      'Adopting 1.0.0 {"a":100}',
    ],
    [
      'takes over weights of another total',
      cell,
      saw(serving({ a: 1, b: 0 })),
      'Adopting 1.0.0 {"a":100,"b":0}',
    ],
    [
      'takes over a rollout in its midst',
      cell,
      saw(serving({ a: 8, b: 2 })),
      'Adopting 1.0.0 {"a":80,"b":20}',
    ],
    [
      'takes over groups that it does not know beside one that it does',
      cell,
      saw(serving({ a: 50, foreign: 50 })),
      'Adopting 1.0.0 {"a":50,"foreign":50}',
    ],
    [
      'takes over what is foreign, so that the first version takes its steps',
      cell,
      saw(serving({ foreign: 100 })),
      'Adopting 0.0.0-unknown {"foreign":100}',
    ],
    ['installs when nothing carries traffic', cell, saw(serving({ a: 0 })), 'Installing 2.0.0 {"b":100}'],
    [
      'gives everything back to the version that served last when nothing serves any more',
      remembered,
      saw(nothing),
      'Reinstalling 1.0.0 {"a":100}',
    ],
    ...(
      [
        ['Installed', '1.0.0', undefined],
        ['Reverted', '2.0.0', '1.0.0'],
      ] as const
    ).map(([outcome, version, from]): [string, CellBuilder, RolloutState, string] => [
      `does so by its history (${outcome}) where the status has told since that nothing serves`,
      cell.withStatus({ history: [{ outcome, version, ...(from && { from }), ...told }] }),
      saw(nothing),
      'Reinstalling 1.0.0 {"a":100}',
    ]),
    [
      'installs the newest when the target groups of what served last are gone',
      aCell().withGroups('2.0.0', 'b').withStatus({ stableVersion: '1.0.0' }),
      saw(nothing),
      'Installing 2.0.0 {"b":100}',
    ],
    ['does not look while nothing could be installed', aCell(), initialState, 'Waiting NoTargetGroups'],
    [
      'looks all the same when its status says that something was served',
      remembered.withSpec({ replicas: 2 }),
      initialState,
      'Inspect',
    ],
    [
      'takes over what its status remembers, though the AWSTargetGroups are gone',
      aCell().withStatus({
        targetGroups: [{ name: 'a', arn: arnOf('a'), version: '1.0.0', role: 'Stable', weight: 100 }],
      }),
      saw(serving({ a: 100 })),
      'Adopting 1.0.0 {"a":100}',
    ],
    ['needs no look when an object says it', cell.serving({ a: 100 }), initialState, 'Begin'],
  ])('%s', (_, seen, state, want) => expect(decided(seen, state)).toBe(want));
});

describe('a rollout whose configuration was deleted', () => {
  it.each<[string, RolloutState, string]>([
    ['looks at the load balancer', { ...initialState, ...rolling() }, 'Inspect'],
    ['keeps its weights', saw(serving({ a: 80, b: 20 }), rolling()), 'Adopting 1.0.0 {"a":80,"b":20}'],
    [
      'keeps its weights while it is paused by an operator',
      saw(serving({ a: 80, b: 20 }), {
        ...rolling(),
        requests: { paused: { by: 'ann', reason: '', at: NOW } },
      }),
      'Adopting 1.0.0 {"a":80,"b":20}',
    ],
    ['is withdrawn when the rule is gone as well', saw(nothing, rolling()), 'Withdrawn NotServed'],
    [
      'is aborted before anybody looks',
      { ...initialState, ...rolling(), requests: { abort: { by: 'ann', reason: '', at: NOW } } },
      'Failed Aborted',
    ],
    ['looks before it takes traffic back', { ...initialState, ...rolling({ ending }) }, 'Inspect'],
    [
      'is taken back from what is served, and drops nobody',
      saw(serving({ a: 80, b: 20 }), rolling({ ending })),
      'Reverting 1.0.0 {"a":100,"b":0}',
    ],
    [
      'gives everything to the stable version when the rule is gone as well',
      saw(nothing, rolling({ ending })),
      'Reverting 1.0.0 {"a":100}',
    ],
  ])('%s', (_, state, want) =>
    expect(decided(cell.withStatus({ stableVersion: '1.0.0' }), state)).toBe(want),
  );
});

describe('normalise', () => {
  it.each<[string, Record<string, number>, Record<string, number>]>([
    ['keeps weights that add up to 100', { a: 80, b: 20 }, { a: 80, b: 20 }],
    ['gives a single group everything', { a: 1 }, { a: 100 }],
    ['keeps proportions', { a: 1, b: 3 }, { a: 25, b: 75 }],
    ['gives what is left to the largest remainders', { a: 1, b: 1, c: 1 }, { a: 34, b: 33, c: 33 }],
    ['leaves 0 at 0', { a: 0, b: 7 }, { a: 0, b: 100 }],
    ['never takes the last of what carries traffic', { a: 999, b: 1 }, { a: 99, b: 1 }],
    ['does so for several', { a: 999, b: 1, c: 1, d: 1, e: 1 }, { a: 96, b: 1, c: 1, d: 1, e: 1 }],
    ['has nothing of nothing', {}, {}],
    ['has nothing of weights of 0', { a: 0, b: 0 }, {}],
  ])('%s', (_, weights, want) => expect(weightsOf(normalise(groups(weights)))).toEqual(want));
});

import { describe, expect, it } from 'vitest';
import type { CellSpec } from '../../crds/cell.ts';
import { decide } from '../rollout/decide/decide.ts';
import type { Decision } from '../model/decision.ts';
import { type Freezing, freezeAt, freezesOf } from './freeze.ts';
import { recordFinish, recordBake, recordShift, recordTime } from '../rollout/record/record.ts';
import { takeRequest } from '../model/requests.ts';
import { initialState, type Rollout, type RolloutState } from '../model/state.ts';
import { aCell, arnOf, weightsOf, type CellBuilder, aRollout } from '../testing/builders.ts';
import { parseStep } from '../steps/index.ts';

/** A Saturday noon. */
const NOW = Date.parse('2026-11-21T12:00:00Z');
const HOUR = 3_600_000;
const stamp = { by: 'ann', reason: '', at: NOW };
const freeze: Freezing = { name: 'year-end', by: 'ops', reason: 'Christmas.' };
const weekdays: CellSpec['windows'] = [
  { timeZone: 'UTC', days: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'], start: '09:00', end: '17:00' },
];
const opening = Date.parse('2026-11-23T09:00:00Z') - NOW;

const base = aCell().withSteps({ setWeight: 20 }, { pause: { duration: '1h' } }, { setWeight: 50 });
const next = base
  .withGroups('1.0.0', 'a')
  .withGroups('2.0.0', 'b')
  .withStatus({ stableVersion: '1.0.0' })
  .serving({ a: 100 });
const settled = base.withGroups('1.0.0', 'a').withStatus({ stableVersion: '1.0.0' });

function rolling(at: Partial<Rollout> = {}, more: Partial<RolloutState> = {}): RolloutState {
  const rollout = aRollout({
    startedAt: NOW - HOUR,
    stepStartedAt: NOW - HOUR,
    steps: [{ setWeight: 20 }, { pause: { duration: '1h' } }, { setWeight: 50 }].map(parseStep),
    ...at,
  });
  return { ...initialState, rollout, ...more };
}
const nothing: RolloutState = { ...initialState, inspected: { is: 'Nothing' } };

function told(decision: Decision): string {
  switch (decision.do) {
    case 'Shift':
      return `${decision.purpose} ${JSON.stringify(weightsOf(decision.shares))}`;
    case 'Wait':
      return `Wait for ${decision.for}${decision.until === undefined ? '' : ` ${decision.until - NOW}`}`;
    case 'End':
      return `${decision.ending.kind}: ${decision.ending.reason}`;
    default:
      return decision.do;
  }
}

type Case = [string, CellBuilder, RolloutState, string];
const moving = next.serving({ a: 100, b: 0 });

describe('a Freeze', () => {
  it.each<Case>([
    ['holds a rollout before it begins', next.frozenBy(freeze), initialState, 'Wait for Freeze'],
    ['holds the first version', base.withGroups('1.0.0', 'a').frozenBy(freeze), nothing, 'Wait for Freeze'],
    ['holds the next change of weights', moving.frozenBy(freeze), rolling({}), 'Wait for Freeze'],
    ['holds the look at the targets before it', moving.frozenBy(freeze), rolling(), 'Wait for Freeze'],
    [
      'lets a pause continue',
      next.serving({ a: 80, b: 20 }).frozenBy(freeze),
      rolling({ index: 1, progress: { is: 'Pausing', since: NOW } }),
      `Wait for Pause ${HOUR}`,
    ],
    [
      'waits for its end when it has one',
      next.frozenBy({ ...freeze, until: NOW + 5 }),
      initialState,
      'Wait for Freeze 5',
    ],
    ['holds no more when it is over', next.frozenBy({ ...freeze, until: NOW }), initialState, 'Begin'],
    [
      'of several the longest counts',
      next.frozenBy({ ...freeze, until: NOW + 5 }, { ...freeze, name: 'other', until: NOW + 9 }),
      initialState,
      'Wait for Freeze 9',
    ],
    [
      'never holds an abort',
      next.serving({ a: 80, b: 20 }).frozenBy(freeze),
      rolling({ index: 1 }, { requests: { abort: stamp } }),
      'Failed: Aborted',
    ],
    [
      'never holds what takes back',
      next.serving({ a: 80, b: 20 }).frozenBy(freeze),
      rolling({ ending: { kind: 'Failed', reason: 'Aborted', message: '', at: NOW } }),
      'Reverting {"a":100,"b":0}',
    ],
    [
      'never holds falling back',
      base
        .withGroups('1.0.0', 'a')
        .serving({ b: 100 })
        .withStatus({
          stableVersion: '2.0.0',
          targetGroups: [{ name: 'b', arn: arnOf('b'), role: 'Stable', weight: 100, version: '2.0.0' }],
        })
        .frozenBy(freeze),
      initialState,
      'FallingBack {"a":100}',
    ],
    [
      'never holds a rollback by spec.version',
      next
        .serving({ a: 0, b: 100 })
        .withStatus({ stableVersion: '2.0.0' })
        .withSpec({ version: '1.0.0' })
        .frozenBy(freeze),
      initialState,
      'RollingBack {"a":100,"b":0}',
    ],
    [
      'holds a scale out',
      settled.withGroups('1.0.0', 'c').serving({ a: 100 }).frozenBy(freeze),
      initialState,
      'Wait for Freeze',
    ],
    [
      'never holds what takes a group out that is gone',
      settled
        .serving({ a: 50, c: 50 })
        .withStatus({
          targetGroups: [{ name: 'c', arn: arnOf('c'), role: 'Stable', weight: 50, version: '1.0.0' }],
        })
        .frozenBy(freeze),
      initialState,
      'Rebalancing {"a":100}',
    ],
  ])('%s', (_, cell, state, want) => expect(told(decide(cell.seen(), state, NOW))).toBe(want));

  it('says who asks for it, why, and what comes next', () => {
    expect(decide(next.frozenBy(freeze).seen(), initialState, NOW).message).toBe(
      'Held by Freeze year-end of ops: Christmas. Continues when it is deleted. Next: Rolling out 2.0.0 in place of 1.0.0.',
    );
  });

  it('is about all namespaces, or those that it names', () => {
    const objects = [
      { metadata: { name: 'all' }, spec: { by: 'a', reason: 'b' } },
      { metadata: { name: 'some' }, spec: { by: 'a', reason: 'b', namespaces: ['shop'] } },
      { metadata: { name: 'going', deletionTimestamp: 'now' }, spec: { by: 'a', reason: 'b' } },
    ];
    expect(freezesOf('shop', objects).map((one) => one.name)).toEqual(['all', 'some']);
    expect(freezesOf('bank', objects).map((one) => one.name)).toEqual(['all']);
  });

  it.each([
    ['has no spec', undefined],
    ['says of which namespaces in another form', { by: 'ops', reason: 'r', namespaces: 'bank' }],
    ['says nothing that can be read', { by: 1, reason: 1, until: 1 }],
  ])('that %s holds everything until it is deleted', (_, spec) => {
    const held = freezesOf('shop', [{ metadata: { name: 'odd' }, spec: spec as never }]);
    expect(freezeAt(held, Date.parse('2100-01-01'))).toMatchObject({
      name: 'odd',
      by: expect.any(String),
      reason: expect.any(String),
    });
  });
});

describe('windows', () => {
  it.each<Case>([
    [
      'hold a rollout until the next one opens',
      next.withSpec({ windows: weekdays }),
      initialState,
      `Wait for Window ${opening}`,
    ],
    ['hold the next step', moving.withSpec({ windows: weekdays }), rolling({}), `Wait for Window ${opening}`],
    [
      'do not hold an abort',
      next.serving({ a: 80, b: 20 }).withSpec({ windows: weekdays }),
      rolling({}, { requests: { abort: stamp } }),
      'Failed: Aborted',
    ],
    [
      'do not hold the first version',
      base.withGroups('1.0.0', 'a').withSpec({ windows: weekdays }),
      nothing,
      'Installing {"a":100}',
    ],
    [
      'do not hold a change of the rule',
      moving.withSpec({ windows: weekdays, ingress: otherHosts() }),
      rolling({}),
      'Reconfiguring {"a":100,"b":0}',
    ],
  ])('%s', (_, cell, state, want) => expect(told(decide(cell.seen(), state, NOW))).toBe(want));
});

describe('the settle time', () => {
  const cell = next.serving({ a: 80, b: 20 }).withSpec({ settle: '10s' });
  it.each<Case>([
    ['is waited for after a change', cell, rolling({ shiftedAt: NOW - 4000 }), 'Wait for Settle 6000'],
    ['is over some time', cell, rolling({ shiftedAt: NOW - 10_000 }), 'Advance'],
    ['holds no abort', cell, rolling({ shiftedAt: NOW }, { requests: { abort: stamp } }), 'Failed: Aborted'],
  ])('%s', (_, seen, state, want) => expect(told(decide(seen.seen(), state, NOW))).toBe(want));

  it.each<[string, string, number]>([
    ['an Application Load Balancer', 'AWSApplicationLoadBalancer', 10],
    ['a Network Load Balancer, as Amazon ECS waits for it', 'AWSNetworkLoadBalancer', 600],
  ])('is that of the data plane when the spec says none: %s', (_, type, seconds) => {
    const ingress = { ...cell.seen().cell?.spec.ingress, type };
    const { observedForwarding: _app, ...seen } = cell.withSpec({ settle: undefined, ingress }).seen();
    const state = rolling({ shiftedAt: NOW });
    expect(told(decide(seen, state, NOW))).toBe(`Wait for Settle ${seconds * 1000}`);
    expect(told(decide(seen, state, NOW + seconds * 1000))).toBe('Advance');
  });

  it('begins with the write that was read back', () => {
    const shift = {
      do: 'Shift',
      purpose: 'ShiftingTraffic',
      version: '2.0.0',
      shares: [],
      urgent: false,
      message: '',
    } as const;
    const { cell: seen } = cell.seen();
    if (seen === undefined) throw new Error('Expected a Cell, got none.');
    const { rollout } = recordShift(rolling(), shift, {
      from: '1.0.0',
      cell: seen,
      now: NOW,
      corrects: false,
    });
    expect(rollout?.shiftedAt).toBe(NOW);
  });
});

describe('the deadline of a rollout', () => {
  const cell = next.serving({ a: 80, b: 20 }).withSpec({ progressDeadline: '2h' });
  const waits: Decision = { do: 'Wait', for: 'Window', message: '' };
  const works: Decision = { do: 'Wait', for: 'Health', message: '' };
  it.each<Case>([
    [
      'fails it when it is over',
      cell,
      rolling({ index: 1, startedAt: NOW - 2 * HOUR }),
      'Failed: ProgressDeadlineExceeded',
    ],
    ['leaves it in peace before', cell, rolling({ index: 1, startedAt: NOW - HOUR }), 'Pause'],
    [
      'does not count what it stood still',
      cell,
      rolling({ index: 1, startedAt: NOW - 3 * HOUR, deadlinePausedMs: HOUR + 1 }),
      'Pause',
    ],
    [
      'does not end while it stands still',
      cell,
      rolling({ index: 1, startedAt: 0, deadlinePausedSince: NOW, progress: { is: 'Pausing', since: NOW } }),
      `Wait for Pause ${HOUR}`,
    ],
    [
      'ends what it waits for',
      next.serving({ a: 100, b: 0 }).withSpec({ progressDeadline: '2h', healthTimeout: '9h' }),
      rolling(
        { startedAt: NOW - 2 * HOUR + 5 },
        { health: { targetGroupARNs: [arnOf('b')], since: NOW, at: NOW, checks: 9, lack: 'None.' } },
      ),
      'Wait for Health 5',
    ],
    [
      'does not count while it bakes',
      cell
        .serving({ a: 0, b: 100 })
        .withSpec({ progressDeadline: '1s', updateStrategy: { type: 'Canary', bake: { duration: '1h' } } }),
      rolling({ startedAt: 0, progress: { is: 'Baking', since: NOW } }),
      `Wait for Bake ${HOUR}`,
    ],
  ])('%s', (_, seen, state, want) => expect(told(decide(seen.seen(), state, NOW))).toBe(want));

  it('counts from where it stopped when the rollout continues', () => {
    const still = recordTime(rolling(), waits, NOW);
    expect(still.rollout?.deadlinePausedSince).toBe(NOW);
    expect(recordTime(still, waits, NOW + 5).rollout?.deadlinePausedSince).toBe(NOW);
    const going = recordTime(still, works, NOW + HOUR).rollout;
    expect(going).toMatchObject({ deadlinePausedMs: HOUR });
    expect(going?.deadlinePausedSince).toBeUndefined();
  });
});

describe('baking', () => {
  const updateStrategy = {
    type: 'Canary' as const,
    canary: { steps: [{ setWeight: 50 }] },
    bake: { duration: '1h' },
  };
  const cell = next.serving({ a: 0, b: 100 }).withSpec({ updateStrategy });
  const steps = updateStrategy.canary.steps;
  const done = rolling({ steps: steps.map(parseStep), index: 1 });
  it.each<Case>([
    ['begins when everything is given', cell, done, 'Bake'],
    ['lasts its time', cell, recordBake(done, NOW), `Wait for Bake ${HOUR}`],
    ['ends by itself', cell, recordBake(done, NOW - HOUR), 'Finish'],
    ['ends by a promote', cell, { ...recordBake(done, NOW), requests: { promote: stamp } }, 'Finish'],
    [
      'is not skipped by a promoteFull before',
      cell,
      { ...recordBake(done, NOW), requests: { promoteFull: { ...stamp, at: NOW - 1 } } },
      `Wait for Bake ${HOUR}`,
    ],
    [
      'is taken back by an abort',
      cell,
      { ...recordBake(done, NOW), requests: { abort: stamp } },
      'Failed: Aborted',
    ],
    [
      'lets a newer version wait',
      cell.withGroups('3.0.0', 'c'),
      recordBake(done, NOW),
      `Wait for Bake ${HOUR}`,
    ],
    [
      'ends when nobody asks for it any more',
      cell.withSpec({ updateStrategy: { type: 'Canary', canary: { steps } } }),
      recordBake(done, NOW),
      'Finish',
    ],
    [
      'goes back by one write',
      cell,
      {
        ...recordBake(done, NOW),
        rollout: {
          ...recordBake(done, NOW).rollout!,
          ending: { kind: 'Failed', reason: 'Aborted', message: '', at: NOW },
        },
      },
      'Reverting {"a":100,"b":0}',
    ],
  ])('%s', (_, seen, state, want) => expect(told(decide(seen.seen(), state, NOW))).toBe(want));
});

describe('the rollback window', () => {
  const replaced = (endedAt: number) => [
    {
      version: '2.0.0',
      from: '1.0.0',
      outcome: 'Completed' as const,
      message: '',
      startedAt: new Date(0).toISOString(),
      endedAt: new Date(endedAt).toISOString(),
    },
  ];
  const pinned = (endedAt: number | undefined) =>
    next
      .serving({ a: 0, b: 100 })
      .withStatus({
        stableVersion: '2.0.0',
        ...(endedAt === undefined ? {} : { history: replaced(endedAt) }),
      })
      .withSpec({
        version: '1.0.0',
        updateStrategy: {
          type: 'Canary',
          canary: { steps: [{ setWeight: 20 }] },
          rollbackWindow: { duration: '24h' },
        },
      });
  it.each<Case>([
    [
      'swaps at once what was replaced inside it',
      pinned(NOW - 24 * HOUR),
      initialState,
      'RollingBack {"a":100,"b":0}',
    ],
    ['takes the steps outside of it', pinned(NOW - 24 * HOUR - 1), initialState, 'Begin'],
    ['takes the steps with what nobody remembers', pinned(undefined), initialState, 'Begin'],
  ])('%s', (_, seen, state, want) => expect(told(decide(seen.seen(), state, NOW))).toBe(want));
});

describe('blue-green', () => {
  const updateStrategy = {
    type: 'BlueGreen' as const,
    blueGreen: { steps: [{ pause: {} }, { promote: {} }] },
  };
  it('is one switch among its steps', () => {
    const steps = [{ pause: {} }, { setWeight: 100 }];
    const cell = next.withSpec({ updateStrategy }).serving({ a: 100, b: 0 });
    expect(told(decide(cell.seen(), rolling({ steps: steps.map(parseStep) }), NOW))).toBe('Pause');
    expect(told(decide(cell.seen(), rolling({ steps: steps.map(parseStep), index: 1 }), NOW))).toBe(
      'ShiftingTraffic {"a":0,"b":100}',
    );
  });
  it('without steps switches at once', () => {
    const cell = next.withSpec({ updateStrategy: { type: 'BlueGreen' } }).serving({ a: 100, b: 0 });
    expect(told(decide(cell.seen(), rolling({ steps: [] }), NOW))).toBe('ShiftingTraffic {"a":0,"b":100}');
  });
});

describe('the history', () => {
  it('says what changed, when, and who asked for what', () => {
    const asked = takeRequest(
      takeRequest(rolling(), 'pause', { by: 'ann', reason: 'lunch', at: NOW }),
      'resume',
      {
        by: 'bob',
        reason: '',
        at: NOW + 1,
      },
    );
    const { justChanged, requested: left } = recordFinish(asked, NOW + 2);
    expect(justChanged).toMatchObject({
      version: '2.0.0',
      from: '1.0.0',
      outcome: 'Completed',
      startedAt: '2026-11-21T11:00:00.000Z',
      endedAt: '2026-11-21T12:00:00.002Z',
    });
    expect(justChanged?.requests).toEqual([
      { action: 'pause', by: 'ann', reason: 'lunch', time: '2026-11-21T12:00:00.000Z' },
      { action: 'resume', by: 'bob', reason: '', time: '2026-11-21T12:00:00.001Z' },
    ]);
    expect(left).toBeUndefined();
  });
  it('keeps no request that was refused', () => {
    expect(takeRequest(rolling(), 'retry', stamp).requested).toBeUndefined();
  });
});

function otherHosts(): CellSpec['ingress'] {
  const { ingress } = aCell().seen().cell!.spec;
  const block = ingress.awsApplicationLoadBalancer!;
  return {
    ...ingress,
    awsApplicationLoadBalancer: { ...block, listener: { rule: { priority: 10, hosts: ['other.com'] } } },
  };
}

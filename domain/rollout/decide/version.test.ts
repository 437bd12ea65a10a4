import { describe, expect, it } from 'vitest';
import { decide } from './decide.ts';
import type { Decision } from '../../model/decision.ts';
import { withKnown } from '../../model/known.ts';
import { takeRequest } from '../../model/requests.ts';
import { initialState, type RolloutState } from '../../model/state.ts';
import { aCell, arnOf, weightsOf, type CellBuilder } from '../../testing/builders.ts';
import { Simulation } from '../../testing/simulation.ts';

const NOW = 1_000_000;
const blocked = (version: string) => [
  { version, cause: 'AnalysisRun failed.', time: '2026-01-01T00:00:00Z', observedGeneration: 1 },
];
const remembered = (name: string, version: string) => ({
  name,
  arn: arnOf(name),
  version,
  role: 'Stable' as const,
  weight: 100,
});

/** A state in which someone has looked at the load balancer and has found nothing. */
const looked: RolloutState = { ...initialState, inspected: { is: 'Nothing' } };

function decided(cell: CellBuilder, state = looked): string {
  const now = decide(cell.seen(), state, NOW);
  // What waits at weight 0 is looked at before anything becomes of it.
  const idle = { targetGroupARNs: ['a', 'b'].map(arnOf), since: NOW, at: NOW, unhealthyARNs: [] };
  const next = now.do === 'CheckHealth' ? decide(cell.seen(), { ...state, idle }, NOW) : now;
  const decision = next.do === 'Wait' ? (next.settled ?? next) : next;
  switch (decision.do) {
    case 'Shift':
      return `${decision.purpose} ${JSON.stringify(weightsOf(decision.shares))}${requiredBy(decision)}`;
    case 'Begin':
      return `Begin ${decision.canary.version} over ${decision.stable.version} at ${decision.index}`;
    case 'Close':
      return `${decision.outcome} ${decision.reason}`;
    default:
      return decision.do;
  }
}

function requiredBy({ requires }: Extract<Decision, { do: 'Shift' }>): string {
  const [healthy] = requires?.healthy ?? [];
  return healthy === undefined ? '' : ` if ${healthy.split('/')[1]} is healthy`;
}

describe('a Cell without a rollout', () => {
  it.each<[string, CellBuilder, string]>([
    ['waits without any target group', aCell(), 'Waiting NoTargetGroups'],
    [
      'installs the first version with the whole weight',
      aCell().withGroups('1.0.0', 'a'),
      'Installing {"a":100}',
    ],
    [
      'installs a pair evenly',
      aCell().withSpec({ replicas: 2 }).withGroups('1.0.0', 'a1', 'a2'),
      'Installing {"a1":50,"a2":50}',
    ],
    [
      'waits for the second of a pair',
      aCell().withSpec({ replicas: 2 }).withGroups('1.0.0', 'a1'),
      'Waiting NotEnoughTargetGroups',
    ],
    [
      'installs all when there are more than replicas',
      aCell().withSpec({ replicas: 2 }).withGroups('1.0.0', 'a', 'b', 'c'),
      'Installing {"a":33,"b":33,"c":34}',
    ],
    [
      'ignores a bad version beside a good one',
      aCell().withGroups('latest', 'x').withGroups('1.0.0', 'a'),
      'Installing {"a":100}',
    ],
    [
      'refuses to install six groups before anything is written',
      aCell().withGroups('1.0.0', 'a', 'b', 'c', 'd', 'e', 'f'),
      'Failed TooManyTargetGroups',
    ],
    [
      'is settled when the newest version serves',
      aCell().withGroups('1.0.0', 'a').serving({ a: 100 }),
      'Completed Serving',
    ],
    [
      'begins a newer version',
      aCell().withGroups('1.9.0', 'a').withGroups('1.10.0', 'b').serving({ a: 100 }),
      'Begin 1.10.0 over 1.9.0 at 0',
    ],
    [
      'waits for the second group of a newer version',
      aCell()
        .withSpec({ replicas: 2 })
        .withGroups('1.0.0', 'a1', 'a2')
        .withGroups('2.0.0', 'b1')
        .serving({ a1: 50, a2: 50 }),
      'Waiting NotEnoughTargetGroups',
    ],
    [
      'never goes down by itself',
      aCell().withGroups('1.0.0', 'a').withGroups('2.0.0', 'b').serving({ a: 0, b: 100 }),
      'Completed Serving',
    ],
    [
      'does not try a blocked version',
      aCell()
        .withGroups('1.0.0', 'a')
        .withGroups('2.0.0', 'b')
        .serving({ a: 100, b: 0 })
        .withStatus({ blockedVersions: blocked('2.0.0') }),
      'Reverted VersionBlocked',
    ],
    [
      'goes past a blocked version to a newer one, from what served before',
      aCell()
        .withGroups('1.0.0', 'a')
        .withGroups('2.0.0', 'b')
        .withGroups('3.0.0', 'c')
        .serving({ a: 100, b: 0 })
        .withStatus({ stableVersion: '1.0.0', blockedVersions: blocked('2.0.0') }),
      'Begin 3.0.0 over 1.0.0 at 0',
    ],
    [
      'stays blocked when the pin is as old as the failure',
      aCell()
        .withSpec({ version: '2.0.0' })
        .withGroups('1.0.0', 'a')
        .withGroups('2.0.0', 'b')
        .serving({ a: 100, b: 0 })
        .withStatus({ blockedVersions: blocked('2.0.0').map((one) => ({ ...one, pinned: true })) }),
      'Reverted VersionBlocked',
    ],
    [
      'tries a blocked version that was pinned afterwards',
      aCell()
        .withSpec({ version: '2.0.0' })
        .atGeneration(2)
        .withGroups('1.0.0', 'a')
        .withGroups('2.0.0', 'b')
        .serving({ a: 100, b: 0 })
        .withStatus({ blockedVersions: blocked('2.0.0') }),
      'Begin 2.0.0 over 1.0.0 at 0',
    ],
    [
      'stays at a pinned version',
      aCell()
        .withSpec({ version: '1.0.0' })
        .withGroups('1.0.0', 'a')
        .withGroups('2.0.0', 'b')
        .serving({ a: 100 }),
      'Completed Serving',
    ],
    [
      'waits for a pinned version that is not there',
      aCell().withSpec({ version: '9.9.9' }).withGroups('1.0.0', 'a').serving({ a: 100 }),
      'Waiting NotEnoughTargetGroups',
    ],
    [
      'looks at the targets before it rolls back to a pinned version',
      aCell()
        .withSpec({ version: '1.0.0' })
        .withGroups('1.0.0', 'a')
        .withGroups('2.0.0', 'b')
        .serving({ a: 0, b: 100 }),
      'RollingBack {"a":100,"b":0} if a is healthy',
    ],
    [
      'falls back when what served is gone',
      aCell()
        .withGroups('1.0.0', 'a')
        .serving({ a: 0, b: 100 })
        .withStatus({ targetGroups: [remembered('b', '2.0.0')] }),
      'FallingBack {"a":100}',
    ],
    [
      'attaches a group that has joined before it gets traffic',
      aCell().withGroups('2.0.0', 'b1', 'b2', 'b3').serving({ b1: 50, b2: 50 }),
      'AttachingTargetGroups {"b1":50,"b2":50,"b3":0}',
    ],
    [
      'refuses a rollout that cannot fit into a rule',
      aCell()
        .withSpec({ replicas: 2 })
        .withGroups('1.0.0', 'a1', 'a2', 'a3')
        .withGroups('2.0.0', 'b1', 'b2', 'b3')
        .serving({ a1: 33, a2: 33, a3: 34 }),
      'Failed TooManyTargetGroups',
    ],
    [
      'refuses a rollout for which there is no room beside what else serves',
      aCell()
        .withGroups('0.9.0', 'z')
        .withGroups('1.0.0', 'a', 'b', 'c')
        .serving({ a: 50, x: 20, y: 20, z: 10 }),
      'Failed TooManyTargetGroups',
    ],
    [
      'refuses to roll back where there is no room beside what else serves',
      aCell()
        .withSpec({ version: '1.0.0' })
        .withGroups('0.9.0', 'z')
        .withGroups('1.0.0', 'a', 'c', 'd')
        .withGroups('2.0.0', 'b', 'e')
        .serving({ a: 20, b: 30, e: 30, z: 20 }),
      'Failed TooManyTargetGroups',
    ],
    [
      'takes up a lost rollout at the weight that it finds',
      aCell()
        .withSteps({ setWeight: 10 }, { setWeight: 20 }, { pause: {} }, { setWeight: 40 })
        .withGroups('1.0.0', 'a')
        .withGroups('2.0.0', 'b')
        .serving({ a: 80, b: 20 })
        .withStatus({ stableVersion: '1.0.0' }),
      'Begin 2.0.0 over 1.0.0 at 1',
    ],
  ])('%s', (_, cell, want) => expect(decided(cell)).toBe(want));

  it('tries a blocked version again when it is asked to', () => {
    const cell = aCell()
      .withGroups('1.0.0', 'a')
      .withGroups('2.0.0', 'b')
      .serving({ a: 100, b: 0 })
      .withStatus({ blockedVersions: blocked('2.0.0') });
    const asked = takeRequest(initialState, 'retry', { by: 'me', reason: '', at: NOW });
    const known = withKnown(cell.seen(), asked);
    expect(decide(known, asked, NOW)).toMatchObject({ do: 'Begin', canary: { version: '2.0.0' } });
  });

  describe('of which someone has changed the weights by hand', () => {
    const two = aCell()
      .withGroups('1.0.0', 'a')
      .withGroups('2.0.0', 'b')
      .serving({ a: 100, b: 0 })
      .withStatus({ stableVersion: '1.0.0' });
    const suspecting: RolloutState = { ...looked, mayDiffer: true };
    const shut = [{ timeZone: 'UTC', start: '22:00', end: '23:00' }];

    it.each<[string, CellBuilder]>([
      ['while a Freeze holds the next version', two.frozenBy({ name: 'all', by: 'ops', reason: 'Friday.' })],
      ['while no window is open', two.withSpec({ windows: shut })],
      ['while the next version does not fit into the rule', two.withGroups('2.0.0', 'c', 'd', 'e', 'f')],
      ['while nothing else is to be done', two.withStatus({ blockedVersions: blocked('2.0.0') })],
    ])('puts them back %s', (_, cell) =>
      expect(decide(cell.seen(), suspecting, NOW)).toMatchObject({
        do: 'Shift',
        purpose: 'Restoring',
        verify: true,
        shares: two.seen().weighted,
      }),
    );

    it('stands as before meanwhile, where that does not change with it', () => {
      const cell = two.withGroups('2.0.0', 'c', 'd', 'e', 'f').seen();
      const settled = { do: 'Close', reason: 'TooManyTargetGroups' };
      expect(decide(cell, suspecting, NOW)).toMatchObject({ do: 'Shift', settled });
    });
  });
});

describe('a newer version whose number is a time down to milliseconds', () => {
  it('takes its steps when it is pinned', () => {
    const steps = [{ setWeight: 5 }, { pause: {} }];
    const web = new Simulation({ updateStrategy: { type: 'Canary', canary: { steps } } });
    web.provision('1.0.0-20261123235959123', 'a');
    web.run();
    web.provision('1.0.0-20261123235959124', 'b');
    web.edit((spec) => ({ ...spec, version: '1.0.0-20261123235959124' }));
    web.wake();
    web.run();
    expect(weightsOf(web.served)).toEqual({ a: 95, b: 5 });
  });
});

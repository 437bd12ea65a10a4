import { describe, expect, it } from 'vitest';
import { decide } from '../rollout/decide/decide.ts';
import { servedUntil } from '../rollout/report/history.ts';
import { initialState } from '../model/state.ts';
import { aCell, arnOf, type CellBuilder } from '../testing/builders.ts';

function decided(cell: CellBuilder): string {
  const decision = decide(cell.seen(), initialState, 0);
  if (decision.do === 'Close') return `${decision.outcome} ${decision.reason}`;
  return decision.do === 'Begin' ? `Begin ${decision.canary.version}` : decision.do;
}

const time = '2026-01-01T00:00:00Z';
const blocking = (version: string) => ({ blockedVersions: [{ version, cause: 'It failed.', time }] });

/** A Cell whose one group serves and says its version like this. */
const serving = (spelling: string): CellBuilder => aCell().withGroups(spelling, 'a').serving({ a: 100 });

describe('a version is the same however it is written', () => {
  it.each<[string, CellBuilder, string]>([
    ['in the label of what serves', serving('2').withStatus({ stableVersion: '2.0.0' }), 'Completed Serving'],
    ['in a status of old', serving('2.0.0').withStatus({ stableVersion: '2' }), 'Completed Serving'],
    [
      'in the labels of two groups of one Cell',
      aCell()
        .withSpec({ replicas: 2 })
        .withGroups('v2', 'a')
        .withGroups('2.0.0', 'b')
        .serving({ a: 50, b: 50 }),
      'Completed Serving',
    ],
    ['in a pin', serving('2.0.0').withGroups('3', 'b').withSpec({ version: 'v2' }), 'Completed Serving'],
    [
      'in a block',
      serving('1.0.0').withGroups('v2', 'b').withStatus(blocking('2.0.0')),
      'Reverted VersionBlocked',
    ],
    [
      'in a block that someone wrote by hand',
      serving('1.0.0').withGroups('2.0.0', 'b').withStatus(blocking('v2')),
      'Reverted VersionBlocked',
    ],
    [
      'in a pin that lifts a block',
      serving('1.0.0').withGroups('2.0.0', 'b').withStatus(blocking('2.0.0')).withSpec({ version: 'v2' }),
      'Begin 2.0.0',
    ],
  ])('%s', (_, cell, want) => expect(decided(cell)).toBe(want));

  it('in the history', () => {
    const change = { version: '3.0.0', from: '2.0.0', outcome: 'Completed', message: '' } as const;
    const until = servedUntil('v2', [{ ...change, startedAt: time, endedAt: time }]);
    expect(until).toBe(Date.parse(time));
  });
});

describe('a newer version that is written short', () => {
  it('is rolled out', () => {
    expect(decided(serving('1.9.0').withGroups('v2', 'b'))).toBe('Begin 2.0.0');
  });

  it('is rolled out by the steps when only its build metadata is newer', () => {
    expect(decided(serving('2.0.0+build.7').withGroups('2.0.0+build.8', 'b'))).toBe('Begin 2.0.0+build.8');
  });

  it('takes the place of what a status names that is no version', () => {
    const targetGroups = [
      { name: 'x', arn: arnOf('x'), version: 'latest', role: 'Stable' as const, weight: 100 },
    ];
    const cell = aCell().withGroups('2', 'b').serving({ x: 100, b: 0 }).withStatus({ targetGroups });
    expect(decided(cell)).toBe('Begin 2.0.0');
  });
});

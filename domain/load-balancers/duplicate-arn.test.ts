import { describe, expect, it } from 'vitest';
import { decide } from '../rollout/decide/decide.ts';
import type { ObservedCell } from '../model/observation.ts';
import { initialState } from '../model/state.ts';
import { aCell, arnOf, weightsOf, type CellBuilder } from '../testing/builders.ts';
import { byName, groupByVersion } from '../versions/version.ts';

/** An AWSTargetGroup of the target group of another one. */
const another = (name: string, of: string, version?: string) => ({
  name,
  arn: arnOf(of),
  ...(version === undefined ? {} : { version }),
});

const selecting = (cell: CellBuilder, ...more: ReturnType<typeof another>[]): ObservedCell => {
  const seen = cell.seen();
  return { ...seen, selected: [...seen.selected, ...more].toSorted(byName) };
};

function decided(observed: ObservedCell): string {
  const decision = decide(observed, { ...initialState, inspected: { is: 'Nothing' } }, 0);
  switch (decision.do) {
    case 'Shift':
      return `${decision.purpose} ${JSON.stringify(weightsOf(decision.shares))}`;
    case 'Begin':
      return `Begin ${decision.canary.groups.map(({ name }) => name).join()} over ${decision.stable.groups.map(({ name }) => name).join()}`;
    case 'Close':
      return `${decision.outcome} ${decision.reason}`;
    default:
      return decision.do;
  }
}

describe('one target group in two AWSTargetGroups', () => {
  const group = (name: string, version: string | undefined) => another(name, 'x', version);
  const counted = (...groups: ReturnType<typeof another>[]) => {
    const { sets, rejected } = groupByVersion(groups);
    return {
      counts: sets.map(({ version, groups: [first] }) => `${first?.name} ${version}`),
      rejected: rejected.map(({ name, reason }) => `${name} ${reason}`),
    };
  };

  it.each<[string, ReturnType<typeof another>[], string[], string[]]>([
    ['of one version', [group('b', '1.0.0'), group('a', 'v1')], ['a 1.0.0'], ['b DuplicateARN']],
    ['of two versions', [group('b', '2.0.0'), group('a', '1.0.0')], ['a 1.0.0'], ['b DuplicateARN']],
    [
      'of two versions, the other way round',
      [group('a', '2'), group('b', '1')],
      ['a 2.0.0'],
      ['b DuplicateARN'],
    ],
    ['without a version', [group('a', undefined), group('b', '1')], ['b 1.0.0'], ['a MissingVersion']],
    ['of a bad version', [group('a', 'latest'), group('b', '1')], ['b 1.0.0'], ['a InvalidVersion']],
    [
      'and in a third',
      [group('c', '1'), group('b', '1'), group('a', '1')],
      ['a 1.0.0'],
      ['b DuplicateARN', 'c DuplicateARN'],
    ],
  ])('%s counts by the first by name', (_, groups, counts, rejected) =>
    expect(counted(...groups)).toEqual({ counts, rejected }),
  );

  it.each([
    [
      '1.0.0',
      `Target group ${arnOf('x')} is in two selected AWSTargetGroups: a, which is used, and b. Delete one of the two, or correct its spec.arn.`,
    ],
    [
      '2.0.0',
      `Target group ${arnOf('x')} has two versions: 1.0.0 in AWSTargetGroup a, which is used, and 2.0.0 in b. Delete one of the two, or correct its spec.arn.`,
    ],
  ])('is reported, with %s as well', (version, message) =>
    expect(groupByVersion([group('a', '1.0.0'), group('b', version)]).rejected).toEqual([
      { name: 'b', reason: 'DuplicateARN', message },
    ]),
  );

  it.each<[string, ObservedCell, string]>([
    [
      'gets the weight of one',
      selecting(aCell().withGroups('1.0.0', 'a', 'b'), another('c', 'a', '1.0.0')),
      'Installing {"a":50,"b":50}',
    ],
    [
      'is one of the replicas',
      selecting(aCell().withSpec({ replicas: 2 }).withGroups('1.0.0', 'a'), another('b', 'a', '1.0.0')),
      'Waiting NotEnoughTargetGroups',
    ],
    [
      'is not rolled out in place of itself',
      selecting(aCell().withGroups('1.0.0', 'a').serving({ a: 100 }), another('b', 'a', '2.0.0')),
      'Completed Serving',
    ],
    [
      'is not on either side of a rollout',
      selecting(
        aCell().withGroups('1.0.0', 'a').withGroups('2.0.0', 'b').serving({ a: 100 }),
        another('c', 'a', '2.0.0'),
      ),
      'Begin b over a',
    ],
    [
      'serves what the one says that has a version',
      selecting(aCell().withGroups('1.0.0', 'b').serving({ b: 100 }), another('a', 'b')),
      'Completed Serving',
    ],
  ])('%s', (_, observed, want) => expect(decided(observed)).toBe(want));
});

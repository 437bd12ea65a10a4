import { describe, expect, it } from 'vitest';
import type { AnalysisPhase } from './analysis.ts';
import { beyondLimits, findOrphans, type FinishedRun } from './finished-runs.ts';
import { ROLLOUT_LABEL } from '../../kubernetes/labels.ts';

const run = (name: string, minute: number, phase?: AnalysisPhase): FinishedRun => ({
  metadata: { name, uid: name, creationTimestamp: `2026-11-20T00:0${minute}:00Z` },
  ...(phase === undefined ? {} : { status: { phase } }),
});
const names = (runs: readonly FinishedRun[]): readonly string[] => runs.map(({ metadata }) => metadata.name);

describe('the AnalysisRuns of earlier rollouts', () => {
  const runs = [
    run('s1', 1, 'Successful'),
    run('f1', 2, 'Failed'),
    run('s2', 3, 'Successful'),
    run('e2', 4, 'Error'),
    run('r', 0, 'Running'),
    run('new', 0),
    run('i3', 5, 'Inconclusive'),
  ];

  it.each<[string, Parameters<typeof beyondLimits>[1], readonly string[]]>([
    ['are kept up to five of each by default', {}, []],
    ['go beyond their number, the oldest first', { successful: 1, unsuccessful: 1 }, ['e2', 'f1', 's1']],
    [
      'go all of them at 0, but those that measure',
      { successful: 0, unsuccessful: 0 },
      ['i3', 'e2', 'f1', 's2', 's1'],
    ],
  ])('%s', (_, limits, want) =>
    expect(names(beyondLimits(runs, limits)).toSorted()).toEqual(want.toSorted()),
  );

  it('go the oldest first', () => expect(names(beyondLimits(runs, { successful: 0 }))).toEqual(['s1', 's2']));
});

describe('what measures though no rollout is under way', () => {
  const labels = { [ROLLOUT_LABEL]: '0123' };
  const of = (
    name: string,
    phase?: AnalysisPhase,
    more: Partial<FinishedRun> = {},
    minute = 1,
  ): FinishedRun => {
    const one = run(name, minute, phase);
    return { ...one, metadata: { ...one.metadata, labels }, ...more };
  };

  it('was left behind, unless it is ending, has ended, was made by someone else, or by a rollout that has begun since', () => {
    const runs = [
      of('running', 'Running'),
      of('new'),
      of('ending', 'Running', { spec: { terminate: true } }),
      of('good', 'Successful'),
      of('undecided', 'Inconclusive'),
      run('foreign', 1, 'Running'),
      of('next', 'Running', {}, 3),
    ];
    expect(names(findOrphans(runs, Date.parse('2026-11-20T00:02:00Z')))).toEqual(['running', 'new']);
  });
});

import { describe, expect, it } from 'vitest';
import { readBenchArguments } from './arguments.mjs';

describe('readBenchArguments', () => {
  it.each([
    ['measures what is promised', [], { clusters: 50, bindings: 10, arrivals: 20, policies: 500, stages: 5 }],
    [
      'measures less',
      ['--clusters', '3', '--arrivals=2', '--policies=1', '--stages=16'],
      { clusters: 3, bindings: 10, arrivals: 2, policies: 1, stages: 16 },
    ],
  ])('%s', (_, args, size) =>
    expect(readBenchArguments(args)).toEqual({ do: 'Measure', size, groups: ['discovery', 'staged'] }),
  );

  it('measures one group alone', () =>
    expect(readBenchArguments(['--only', 'staged'])).toMatchObject({ do: 'Measure', groups: ['staged'] }));

  it.each([
    ['an option that there is not', ['--fast'], '--fast'],
    ['a word', ['fast'], 'fast'],
    [
      'too few clusters for two to be in trouble',
      ['--clusters', '2'],
      'Expected --clusters to be a whole number from 3 to 100, got 2.',
    ],
    ['what is no number', ['--bindings', 'many'], 'got many'],
    ['more than there are names for', ['--clusters', '101'], 'got 101'],
    ['more stages than a policy may have', ['--stages', '17'], 'from 1 to 16, got 17'],
    ['a group that there is not', ['--only', 'all'], 'Expected --only to be discovery or staged, got all.'],
  ])('refuses %s with the usage', (_, args, want) => {
    const request = readBenchArguments(args);
    expect(request).toMatchObject({ do: 'Explain', status: 2, message: expect.stringContaining(want) });
    expect(request).toMatchObject({ message: expect.stringContaining('Usage: npm run bench') });
  });

  it('explains itself with status 0', () => {
    expect(readBenchArguments(['--help'])).toMatchObject({ do: 'Explain', status: 0 });
  });
});

import { describe, expect, it } from 'vitest';
import { readBenchArguments } from './arguments.mjs';

const all = ['steps', 'abort', 'load', 'discovery', 'staged', 'start', 'takeover', 'idle', 'burst'];
const usual = {
  clusters: 50,
  bindings: 10,
  arrivals: 20,
  policies: 500,
  stages: 5,
  starts: 5,
  cells: 10_000,
  burst: 5_000,
  rollouts: 40,
  rounds: 5,
};

describe('readBenchArguments', () => {
  it.each([
    ['measures what is promised', [], { ...usual }],
    [
      'measures less',
      ['--clusters', '3', '--arrivals=2', '--policies=1', '--stages=16'],
      { ...usual, clusters: 3, arrivals: 2, policies: 1, stages: 16 },
    ],
  ])('%s', (_, args, size) =>
    expect(readBenchArguments(args)).toEqual({ do: 'Measure', size, groups: all, write: false }),
  );

  it.each([
    ['one group alone', ['--only', 'staged'], { groups: ['staged'] }],
    [
      'some',
      ['--only', 'idle,start', '--write', '--json', 'out'],
      { groups: ['start', 'idle'], write: true, json: 'out' },
    ],
  ])('measures %s', (_, args, want) =>
    expect(readBenchArguments(args)).toMatchObject({ do: 'Measure', ...want }),
  );

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
    [
      'a group that there is not',
      ['--only', 'all'],
      'Expected --only to be some of steps, abort, load, discovery, staged, start, takeover, idle, burst, got all.',
    ],
  ])('refuses %s with the usage', (_, args, want) => {
    const request = readBenchArguments(args);
    expect(request).toMatchObject({ do: 'Explain', status: 2, message: expect.stringContaining(want) });
    expect(request).toMatchObject({ message: expect.stringContaining('Usage: npm run bench') });
  });

  it('explains itself with status 0', () => {
    expect(readBenchArguments(['--help'])).toMatchObject({ do: 'Explain', status: 0 });
  });
});

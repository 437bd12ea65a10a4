import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  resolveAmount,
  computeProgress,
  readStrategy,
  type ClusterMark,
  type Strategy,
} from './progressive.ts';
import { aSpec } from './testing/world.ts';

const NOW = Date.parse('2026-11-22T08:00:00Z');
const MINUTE = 60_000;

const aStrategy = (said: Partial<Strategy> = {}): Strategy => ({
  maxConcurrency: 2,
  maxFailures: 0,
  progressDeadline: 10 * MINUTE,
  minSuccessTime: 0,
  label: 'name',
  column: 'cluster',
  ...said,
});
const ALL = ['c1', 'c2', 'c3', 'c4', 'c5'];
const at = (minutes: number, ...names: string[]): ClusterMark[] =>
  names.map((name) => ({ name, startedAt: NOW - minutes * MINUTE }));
const done = (minutes: number, ...names: string[]): ClusterMark[] =>
  names.map((name) => ({ name, startedAt: NOW - MINUTE, fulfilledSince: NOW - minutes * MINUTE }));

describe('an amount of clusters', () => {
  it.each<[number | string, number, number]>([
    [2, 5, 2],
    [9, 5, 5],
    [0, 5, 0],
    ['0%', 5, 0],
    ['1%', 5, 1],
    ['20%', 5, 1],
    ['25%', 5, 2],
    ['50%', 3, 2],
    ['99%', 3, 3],
    ['100%', 7, 7],
    ['50%', 0, 0],
  ])('of %s of %i is %i', (amount, of, want) => expect(resolveAmount(amount, of)).toBe(want));
});

describe('the strategy of a stage', () => {
  const stage = (said: object) => aSpec([said]).stages.at(0) ?? nothing();
  const common = { progressive: { maxConcurrency: '10%', maxFailures: 3, progressDeadline: '5m' } };
  it.each<[string, Parameters<typeof readStrategy>[0], object, object | undefined]>([
    ['is none when nothing says so', {}, {}, undefined],
    ['is none of a stage without a condition', common, { condition: undefined }, undefined],
    [
      'is Open Cluster Management’s defaults',
      {},
      { progressive: {} },
      { maxConcurrency: '100%', maxFailures: 0 },
    ],
    [
      'is that of all stages',
      common,
      {},
      { maxConcurrency: '10%', maxFailures: 3, progressDeadline: 300_000 },
    ],
    [
      'is its own first',
      common,
      { progressive: { maxFailures: 1 } },
      { maxConcurrency: '10%', maxFailures: 1 },
    ],
    [
      'has no failures when it is mandatory',
      common,
      { mandatory: true },
      { maxConcurrency: '10%', maxFailures: 0 },
    ],
  ])('%s', (_, spec, said, want) => {
    const strategy = readStrategy(spec, stage(said));
    expect(strategy ?? {}).toMatchObject(want ?? {});
    expect(strategy === undefined).toBe(want === undefined);
  });
});

interface Case {
  readonly strategy?: Partial<Strategy>;
  readonly all?: readonly string[];
  readonly reached?: readonly string[];
  readonly fulfilled?: readonly string[];
  readonly before?: readonly ClusterMark[];
}

const take = ({ strategy = {}, all = ALL, reached = [], fulfilled = [], before = [] }: Case) =>
  computeProgress(aStrategy(strategy), { all, reached, fulfilled }, before, NOW);

describe('a stage that reaches its clusters a few at a time', () => {
  it.each<[string, Case, Partial<ReturnType<typeof take>>]>([
    ['begins with as many as may be on their way', {}, { next: ['c1', 'c2'], isOver: false }],
    ['begins by name, whatever order they come in', { all: ALL.toReversed() }, { next: ['c1', 'c2'] }],
    ['begins with all where nothing is said', { strategy: { maxConcurrency: '100%' } }, { next: ALL }],
    [
      'waits while those are on their way',
      { reached: ['c1', 'c2'], before: at(1, 'c1', 'c2') },
      { next: [], underway: ['c1', 'c2'], until: NOW + 9 * MINUTE },
    ],
    [
      'continues with one for each that is done',
      { reached: ['c1', 'c2'], fulfilled: ['c2'], before: at(1, 'c1', 'c2') },
      { next: ['c3'], done: ['c2'], underway: ['c1'] },
    ],
    [
      'lets one that fulfils it take its place for minSuccessTime',
      {
        strategy: { minSuccessTime: 5 * MINUTE },
        reached: ['c1', 'c2'],
        fulfilled: ['c1', 'c2'],
        before: [...done(5, 'c1'), ...done(4, 'c2')],
      },
      { next: ['c3'], done: ['c1'], underway: ['c2'], until: NOW + MINUTE },
    ],
    [
      'counts one that is late as failed, and stops when none may',
      { reached: ['c1', 'c2'], fulfilled: ['c2'], before: [...at(10, 'c1'), ...done(1, 'c2')] },
      { next: [], failed: ['c1'], done: ['c2'], isBreached: true },
    ],
    [
      'continues past as many failures as may be',
      {
        strategy: { maxFailures: '20%' },
        reached: ['c1', 'c2'],
        fulfilled: ['c2'],
        before: [...at(10, 'c1'), ...done(1, 'c2')],
      },
      { next: ['c3', 'c4'], failed: ['c1'], isBreached: false },
    ],
    [
      'stops at one failure more than may be',
      { strategy: { maxFailures: 1 }, reached: ['c1', 'c2'], before: at(10, 'c1', 'c2') },
      { next: [], failed: ['c1', 'c2'], isBreached: true },
    ],
    [
      'never fails one without a deadline',
      { strategy: aStrategyWithoutDeadline(), reached: ['c1', 'c2'], before: at(9999, 'c1', 'c2') },
      { next: [], failed: [], underway: ['c1', 'c2'] },
    ],
    [
      'counts one that was late as done once it fulfils it',
      { reached: ['c1', 'c2'], fulfilled: ['c1'], before: at(10, 'c1').concat(at(1, 'c2')) },
      { failed: [], done: ['c1'], next: ['c3'] },
    ],
    [
      'gives one that does not fulfil it any more as long again',
      { reached: ['c1', 'c2'], fulfilled: ['c2'], before: done(20, 'c1', 'c2') },
      { failed: [], underway: ['c1'], done: ['c2'], next: ['c3'], until: NOW + 10 * MINUTE },
    ],
    [
      'is over when all are done',
      { reached: ALL, fulfilled: ALL, before: done(1, ...ALL) },
      { isOver: true, done: ALL, next: [] },
    ],
    [
      'is over with failures that may be',
      {
        strategy: { maxFailures: 1 },
        reached: ALL,
        fulfilled: ALL.slice(1),
        before: [...at(10, 'c1'), ...done(1, ...ALL.slice(1))],
      },
      { isOver: true, failed: ['c1'] },
    ],
    [
      'is not over when all have failed, though all may',
      { strategy: { maxFailures: '100%' }, reached: ALL, before: at(10, ...ALL) },
      { isOver: false, isBreached: false, failed: ALL },
    ],
    ['is not over when it selects no cluster', { all: [], reached: [] }, { isOver: false, next: [], of: 0 }],
    [
      'continues with a cluster that joins later',
      { all: [...ALL, 'c0'], reached: ALL, fulfilled: ALL, before: done(1, ...ALL) },
      { isOver: false, next: ['c0'] },
    ],
    [
      'forgets a cluster that is not selected any more',
      { all: ['c1'], reached: ['c1', 'c2'], fulfilled: ['c1'], before: [...done(1, 'c1'), ...at(10, 'c2')] },
      { isOver: true, failed: [], of: 1 },
    ],
  ])('%s', (_, given, want) => expect(take(given)).toMatchObject(want));

  it('never has more on their way than may be, and ends when all fulfil it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30 }),
        fc.oneof(
          fc.integer({ min: 1, max: 30 }),
          fc.integer({ min: 1, max: 100 }).map((n) => `${n}%`),
        ),
        fc.array(fc.nat(29), { maxLength: 40 }),
        (count, maxConcurrency, succeeding) => {
          const all = Array.from({ length: count }, (_, index) => `c${index}`);
          const strategy = aStrategy({ maxConcurrency, maxFailures: '100%' });
          let [reached, marks, now]: [readonly string[], readonly ClusterMark[], number] = [[], [], NOW];
          const fulfilled = new Set<string>();
          const step = () => {
            const turn = computeProgress(strategy, { all, reached, fulfilled: [...fulfilled] }, marks, now);
            expect(turn.underway.length + turn.next.length).toBeLessThanOrEqual(
              Math.max(turn.underway.length, resolveAmount(maxConcurrency, count)),
            );
            reached = [...reached, ...turn.next];
            ({ marks } = turn);
            now += MINUTE;
            return turn;
          };
          for (const index of succeeding) {
            step();
            const name = reached[index % Math.max(1, reached.length)];
            if (name !== undefined) fulfilled.add(name);
          }
          for (const name of all) fulfilled.add(name);
          for (let times = 0; times < 40; times += 1) step();
          expect(step()).toMatchObject({ isOver: true, of: count });
        },
      ),
      { numRuns: 200 },
    );
  });
});

function nothing(): never {
  throw new Error('Expected a stage.');
}

function aStrategyWithoutDeadline(): Partial<Strategy> {
  const { progressDeadline: _none, ...others } = aStrategy();
  return { ...others, progressDeadline: Number.POSITIVE_INFINITY };
}

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { progressOf } from './progress.mjs';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const words = { doing: 'building', done: 'built' };

/** Two lanes build these tools; a work takes what is said when it begins. */
function building(works: readonly { name: string; seconds: number; chain: string }[]) {
  const lines: string[] = [];
  const progress = progressOf((line) => lines.push(line), words, works, { lanes: 2 });
  const build = (name: string, seconds: number): Promise<void> =>
    progress.during(name, () => new Promise((resolve) => setTimeout(resolve, seconds * 1000)));
  return {
    lines,
    build,
    left: progress.left,
    pass: (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000),
  };
}

const three = [
  { name: 'a', seconds: 240, chain: 'a' },
  { name: 'b', seconds: 120, chain: 'b' },
  { name: 'c', seconds: 120, chain: 'c' },
];

it('reports each work at its start and end, and all of them once a minute', async () => {
  const { lines, build, pass } = building(three);
  void build('a', 90);
  void build('b', 30).then(() => build('c', 45));
  await pass(100);
  expect(lines).toEqual([
    'building 1 of 3: a',
    'building 2 of 3: b',
    'b: built in 30 s',
    'building 3 of 3: c',
    'still building a, c; 2 of 3 left, about 1 min',
    'c: built in 45 s',
    'a: built in 90 s',
  ]);
  await pass(600);
  expect(lines).toHaveLength(7);
});

it('reports what fails', async () => {
  const lines: string[] = [];
  const { during } = progressOf((line) => lines.push(line), words, three.slice(0, 1));
  await expect(during('a', () => Promise.reject(new Error('no compiler')))).rejects.toThrow('no compiler');
  expect(lines).toEqual(['building a', 'a: failed after 0 s']);
});

it('estimates by what runs at once, and what has to wait for each other', () => {
  expect(building(three).left()).toBe('about 4 min');
  expect(building(three.map((work) => ({ ...work, chain: 'kubernetes' }))).left()).toBe('about 8 min');
});

it('corrects the estimate by how long works took, and by those that are overdue', async () => {
  const { build, left, pass } = building(three);
  void build('a', 3000);
  void build('b', 360);
  await pass(360);
  // Three times as slow: a takes 720 s in all, c 360 s.
  expect(left()).toBe('about 6 min');
  void build('c', 3000);
  await pass(1800);
  // a has taken 2160 s, nine times as long, and c 1800 s.
  expect(left()).toBe('about 4 min');
});

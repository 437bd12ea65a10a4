import { expect, it } from 'vitest';
import { withProgress, workload } from './progress.mjs';

it('says how much is left of a work, and about how long it takes on this machine', () => {
  let now = 0;
  const work = workload({ a: 240, b: 120, c: 120 }, () => now * 1000);
  expect(work.left()).toBe('3 of 3 left, about 4 min');
  work.begin('a');
  work.begin('b');
  now = 120;
  work.end('b');
  work.begin('c');
  expect(work.left()).toBe('2 of 3 left, about 2 min');
  // Four times as slow from here on.
  now = 1200;
  expect(work.left()).toBe('2 of 3 left, about 2 min');
  now = 2000;
  work.end('a');
  expect(work.left()).toBe('1 of 3 left, about 1 min');
});

it('says so from the beginning of each work', async () => {
  const said: string[] = [];
  const words = { name: 'etcd', doing: 'building', done: 'built', left: () => '2 of 3 left, about 1 min' };
  await withProgress(
    (line) => said.push(line),
    words,
    () => Promise.resolve(),
  );
  expect(said).toEqual(['etcd: building; 2 of 3 left, about 1 min', 'etcd: built in 0 s']);
});

import { describe, expect, it } from 'vitest';
import { addLook, pauseBeforeLook, type Looks } from './pace.ts';

const after = (count: number, everyMs: number): Looks =>
  Array.from({ length: count }, (_, index) => index * everyMs).reduce<Looks>(addLook, []);

describe('the next look', () => {
  it.each<[string, Looks, number, number]>([
    ['comes at once after none', [], 0, 0],
    ['comes at once after a burst', after(39, 10), 380, 0],
    [
      'waits after forty within a minute, until the first of them is a minute ago',
      after(40, 1_500),
      59_200,
      800,
    ],
    ['waits for the oldest of the last forty', after(60, 1_500), 89_200, 800],
    ['waits no longer than what is to be taken back may', after(40, 100), 4_000, 1_500],
    ['comes at once after forty that took longer', after(40, 2_000), 78_000, 0],
  ])('%s', (_, looks, now, want) => expect(pauseBeforeLook(looks, now)).toBe(want));

  it('remembers no more looks than it needs', () => expect(after(1_000, 1)).toHaveLength(40));
});

import { describe, expect, it } from 'vitest';
import { parseComponents } from './run.ts';

describe('parseComponents', () => {
  it.each([
    ['watchers', ['watchers']],
    ['worker', ['worker']],
    ['worker, watchers', ['watchers', 'worker']],
    ['worker,worker', ['worker']],
    ['dashboard', ['dashboard']],
  ])('reads %s', (text, want) => expect(parseComponents(text)).toEqual(want));

  it.each(['', 'workers', 'watchers,', 'watchers;worker'])('refuses %j and says what to write', (text) => {
    expect(() => parseComponents(text)).toThrow(/must be one or more of watchers, worker, dashboard/);
  });
});

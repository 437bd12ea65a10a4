import { describe, expect, it } from 'vitest';
import { runOkractl } from './testing/shell.ts';

const freeze = (name: string) => ({
  apiVersion: 'okra.mumo.co/v1alpha1',
  kind: 'Freeze',
  metadata: { name },
  spec: { by: 'ops', reason: 'sale' },
});
const objects = [freeze('night'), freeze('sale')];

describe.each([
  { words: ['promote', 'web', '--full'], done: 1, question: 'Skip the remaining steps of Cell default/web' },
  { words: ['unfreeze', '--all'], done: 2, question: 'Lift all Freezes of the cluster (night, sale)?' },
])('$words', ({ words, done, question }) => {
  it('asks, and does it after a yes', async () => {
    const outcome = await runOkractl(words, { objects, answers: true });
    expect(outcome.err).toContain(question);
    expect([outcome.code, outcome.done.length]).toEqual([0, done]);
  });

  it('does nothing after a no', async () => {
    const outcome = await runOkractl(words, { objects, answers: false });
    expect(outcome.err).toContain('okractl: Cancelled; nothing was changed.');
    expect([outcome.code, outcome.done]).toEqual([1, []]);
  });

  it('does not ask with --yes', async () => {
    const outcome = await runOkractl([...words, '--yes'], { objects, answers: false });
    expect([outcome.code, outcome.done.length]).toEqual([0, done]);
  });

  it('is refused without a terminal and without --yes', async () => {
    const outcome = await runOkractl(words, { objects });
    expect(outcome.err).toContain('there is no terminal. Pass --yes to confirm.');
    expect([outcome.code, outcome.done]).toEqual([2, []]);
  });
});

it('asks nothing when there is no Freeze to lift', async () => {
  expect(await runOkractl(['unfreeze', '--all'])).toMatchObject({ code: 0, out: 'No Freezes found.\n' });
});

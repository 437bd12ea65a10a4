import { describe, expect, it } from 'vitest';
import type { AskName } from './request.ts';
import { notAsSeen, seenIn, type Seen } from './seen.ts';
import { initialState, type RolloutState } from './state.ts';
import { aRollout } from '../testing/builders.ts';

const set = (version: string) => ({ version, groups: [] });
const state: RolloutState = {
  ...initialState,
  rollout: aRollout({ stable: set('1.0.0'), canary: set('2.0.0'), index: 2 }),
};

describe('what was looked at', () => {
  it.each<[string, AskName, Seen, string | undefined]>([
    ['lets a request pass that says nothing of it', 'promote', {}, undefined],
    ['lets one pass for what is there', 'promote', { version: '2.0.0', step: 3, paused: false }, undefined],
    [
      'has a second promote of the same step refused',
      'promote',
      { version: '2.0.0', step: 2 },
      `The request is for step 2 of 2.0.0, and the rollout is at step 3 of 2.0.0. Check it, and send promote again.`,
    ],
    [
      'has a promote of another version refused',
      'promoteFull',
      { version: '1.9.0', step: 3 },
      `The request is for step 3 of 1.9.0, and the rollout is at step 3 of 2.0.0. Check it, and send promoteFull again.`,
    ],
    ['lets a whole promotion pass at a later step', 'promoteFull', { version: '2.0.0', step: 2 }, undefined],
    [
      'has a second resume refused, which would end the pause step',
      'resume',
      { version: '2.0.0', step: 3, paused: true },
      `The request is for step 3 of 2.0.0, paused by an operator, and the rollout is at step 3 of 2.0.0. Check it, and send resume again.`,
    ],
    [
      'has an approval of another step refused',
      'approve',
      { step: 5 },
      `The request is for step 5 of 2.0.0, and the rollout is at step 3 of 2.0.0. Check it, and send approve again.`,
    ],
    ['never has an abort refused', 'abort', { version: '1.9.0', step: 1, paused: true }, undefined],
    ['never has a pause refused', 'pause', { version: '1.9.0', step: 1, paused: true }, undefined],
  ])('%s', (_, name, seen, want) => expect(notAsSeen(state, name, seen)).toBe(want));

  it('is nothing where there is no rollout, which is told otherwise', () => {
    expect(notAsSeen(initialState, 'promote', { version: '2.0.0' })).toBeUndefined();
  });

  it.each<[unknown, Seen]>([
    [undefined, {}],
    ['2.0.0', {}],
    [{ version: 2, step: '3', paused: 'yes' }, {}],
    [
      { by: 'ann', version: 'v2', step: 3, paused: true },
      { version: '2.0.0', step: 3, paused: true },
    ],
  ])('is read out of %j', (sent, want) => expect(seenIn(sent)).toEqual(want));
});

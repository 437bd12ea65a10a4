import { describe, expect, it } from 'vitest';
import { takeRequest } from './requests.ts';
import { initialState, type RolloutState } from './state.ts';
import { aRollout } from '../testing/builders.ts';

const state: RolloutState = {
  ...initialState,
  rollout: aRollout(),
};

describe('a request', () => {
  it('is kept as it was said', () => {
    const stamp = { by: 'ann', reason: 'errors in checkout', at: 1 };
    expect(takeRequest(state, 'abort', stamp)).toMatchObject({
      requests: { abort: stamp },
      requested: [{ action: 'abort', ...stamp }],
    });
  });

  it('is kept as far as the status has room for it, so that no status is refused for it', () => {
    const { requests, requested } = takeRequest(state, 'abort', {
      by: 'b'.repeat(100_000),
      reason: 'r'.repeat(100_000),
      at: 1,
    });
    const want = { by: `${'b'.repeat(252)}…`, reason: `${'r'.repeat(1023)}…`, at: 1 };
    expect(requests.abort).toEqual(want);
    expect(requested).toEqual([{ action: 'abort', ...want }]);
  });
});

import type { RolloutState } from './state.ts';

/** Forgets a request to promote: it was about what is over. */
export function withoutPromote(state: RolloutState): RolloutState {
  const { promote: _over, ...requests } = state.requests;
  return { ...state, requests };
}

import type { Decision } from '../../model/decision.ts';
import type { RolloutState } from '../../model/state.ts';

/** Waits until what was refused is tried again; undefined when nothing was, or when what was moves no traffic. */
export function awaitBackoff(state: RolloutState, now: number): Decision | undefined {
  const { backoff } = state;
  if (backoff === undefined || backoff.quiet === true || now >= backoff.until) return undefined;
  return { do: 'Wait', for: 'Backoff', until: backoff.until, message: backoff.message };
}

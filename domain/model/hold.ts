import type { Decision } from './decision.ts';
import type { RolloutState } from './state.ts';

/** Waits until what was refused is tried again; undefined when nothing was, or when what was moves no traffic. */
export function heldBy(state: RolloutState, now: number): Decision | undefined {
  const { hold } = state;
  if (hold === undefined || hold.quiet === true || now >= hold.until) return undefined;
  return { do: 'Wait', for: 'Hold', until: hold.until, message: hold.message };
}

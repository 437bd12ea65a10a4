import { decide } from './decide.ts';
import type { Decision } from '../model/decision.ts';
import { goesForward } from '../gates/gate.ts';
import type { ObservedCell } from '../model/observation.ts';
import { announced, timed } from './record.ts';
import { abortIsDue } from '../model/requests.ts';
import type { Retry, RolloutState } from '../model/state.ts';

/** What is known of the objects when a turn begins. */
export interface Sight {
  /** Undefined before the first look. */
  readonly observed: ObservedCell | undefined;
  /** When they were looked at, in milliseconds since the epoch. */
  readonly observedAt: number;
  /** Whether something may have changed since. */
  readonly isStale: boolean;
}

/** What a turn comes to: a look at the objects, or a decision with the state that it leaves. */
export type Turn =
  | { readonly is: 'Look' }
  | { readonly is: 'Decided'; readonly decision: Decision; readonly state: RolloutState };

/** How old a look at the objects may be when something is done that goes forward, in milliseconds. */
const FRESH_MS = 10_000;

/** Decides what a rollout does next, as far as it can see and tell what it does. */
export function takeTurn(sight: Sight, state: RolloutState, now: number): Turn {
  const { observed, observedAt, isStale } = sight;
  const { blind } = state;
  const mayLook = blind === undefined || now >= blind.until;
  const urgent = observed === undefined ? undefined : takingBack(observed, state, now);
  if (urgent !== undefined && observed !== undefined) return decided(urgent, observed, state, now);
  if (mayLook && (isStale || observed === undefined)) return { is: 'Look' };
  if (observed === undefined) return { is: 'Decided', decision: waitFor(blind, now), state };
  const wanted = decide(observed, state, now);
  // A word of a Freeze, or of anything else, may have been lost while this waited.
  if (mayLook && goesForward(wanted) && now - observedAt > FRESH_MS) return { is: 'Look' };
  return decided(untilTold(untilSeen(wanted, state, now), state), observed, state, now);
}

/** What takes traffic back does not wait for a look at the objects, nor for anything else that may not answer. */
function takingBack(observed: ObservedCell, state: RolloutState, now: number): Decision | undefined {
  if (state.rollout?.ending === undefined && !abortIsDue(state)) return undefined;
  const decision = decide(observed, state, now);
  return decision.do === 'End' || (decision.do === 'Shift' && decision.urgent) ? decision : undefined;
}

// oxlint-disable-next-line max-params -- all four are what a turn is made of
const decided = (decision: Decision, observed: ObservedCell, state: RolloutState, now: number): Turn => ({
  is: 'Decided',
  decision,
  state: announced(timed(state, decision, now), decision, observed),
});

/** While the objects cannot be read only what takes traffic back goes on, by what was seen last. */
function untilSeen(decision: Decision, { blind, rollout }: RolloutState, now: number): Decision {
  if (blind === undefined) return decision;
  if (rollout?.ending === undefined && decision.do !== 'End') return waitFor(blind, now);
  return decision.do === 'Wait'
    ? { ...decision, until: Math.min(decision.until ?? Infinity, blind.until) }
    : decision;
}

/** A run does not close before the status says how, since what it does not say is lost with it. */
function untilTold(decision: Decision, { unreported }: RolloutState): Decision {
  if (unreported === undefined) return decision;
  const { until, message } = unreported;
  if (decision.do === 'Close') return { do: 'Wait', for: 'Backoff', until, message, settled: decision };
  return decision.do === 'Wait'
    ? { ...decision, until: Math.min(decision.until ?? Infinity, until) }
    : decision;
}

const waitFor = (blind: Retry | undefined, now: number): Decision => ({
  do: 'Wait',
  for: 'Backoff',
  until: blind?.until ?? now,
  message: blind?.message ?? 'Waiting for the first look at the Cell.',
});

import { untilBackgroundRead } from '../measure/background.ts';
import { type Decision, standsStill } from '../../model/decision.ts';
import { candidates } from '../../versions/candidate.ts';
import { damp } from '../../gates/damping.ts';
import { deadlineOf } from '../../gates/deadline.ts';
import { abortIsDue } from '../../model/requests.ts';
import { holdForStable, untilTargetsChecked } from '../../gates/targets.ts';
import { attachFirst, type GuardInput } from '../../gates/guard.ts';
import { awaitBackoff, applyVerdictFirst } from './hold.ts';
import type { RolloutInput } from './end.ts';
import { withInspected } from '../../model/known.ts';
import type { ObservedCell } from '../../model/observation.ts';
import { isUnsure, restore } from './adoption.ts';
import {
  cellRules,
  endingRules,
  findNext,
  firstRules,
  restRules,
  rolloutRules,
  servingRules,
  stepRules,
} from './rules.ts';
import { decideBy } from '../../rules.ts';
import type { RolloutState } from '../../model/state.ts';
import { stableSet } from '../../versions/stable.ts';

/** Decides the one thing that a Cell needs next, by the rules in `rules.ts`. `now` is in milliseconds since the epoch. */
export function decide(seen: ObservedCell, state: RolloutState, now: number): Decision {
  const observed = withInspected(seen, state);
  const { cell } = observed;
  if (cell === undefined) return withoutCell(observed, state, now);
  const { rollout } = state;
  const input: GuardInput = { observed, cell, state, now };
  const decision =
    decideBy(cellRules, input) ??
    (rollout === undefined
      ? (decideBy(restRules, input) ?? decideVersion(input))
      : decideDuring({ ...input, rollout }));
  const confirmed = confirmFirst(attachFirst(decision, input), input);
  const wanted = damp(forcedByPerson(confirmed, state), input);
  return withVerification(untilTargetsChecked(wanted, input), input);
}

/** A Cell that is gone leaves nothing to decide but what becomes of what its configuration has made. */
function withoutCell({ deletion }: ObservedCell, state: RolloutState, now: number): Decision {
  if (deletion?.isUnderWay === true && deletion.isHeld) {
    const message = 'Applying spec.deletionPolicy to the load balancer, because the Cell was deleted.';
    return awaitBackoff(state, now) ?? { do: 'Remove', message };
  }
  return {
    do: 'Close',
    outcome: 'Deleted',
    reason: 'Deleted',
    message: 'The Cell was deleted, and its load balancer configuration with it.',
  };
}

function decideVersion(input: GuardInput): Decision {
  const { observed, cell } = input;
  const first = { ...input, found: candidates(cell, observed) };
  const stable = stableSet(observed, cell);
  return stable === undefined ? decideBy(firstRules, first) : decideBy(servingRules, findNext(first, stable));
}

function decideDuring(input: RolloutInput): Decision {
  const { rollout, state } = input;
  const mayEnd = rollout.ending === undefined || abortIsDue(state);
  const ending = mayEnd ? decideBy(endingRules, input) : undefined;
  if (ending !== undefined) return holdForStable(ending, rollout, input);
  const first = decideBy(rolloutRules, input);
  if (first !== undefined) return first;
  const next = applyVerdictFirst(decideBy(stepRules, input), rollout, input);
  const measured = untilBackgroundRead(untilDeadline(next, input), rollout, input);
  return holdForStable(measured, rollout, input);
}

/** A person's own abort and promoteFull move traffic also to groups without a healthy target. */
function forcedByPerson(decision: Decision, { rollout, requests }: RolloutState): Decision {
  if (decision.do !== 'Shift' || rollout === undefined) return decision;
  const isAsked =
    rollout.ending === undefined
      ? requests.promoteFull !== undefined && decision.purpose === 'ShiftingTraffic'
      : rollout.ending.reason === 'Aborted' && decision.purpose === 'Reverting';
  return isAsked ? { ...decision, force: true } : decision;
}

/** Has ELBv2 read before a write wherever nobody knows for sure what it serves. */
function withVerification(decision: Decision, { observed, state }: GuardInput): Decision {
  const unsure = !observed.isApplied || state.mayDiffer === true;
  return decision.do === 'Shift' && unsure ? { ...decision, verify: true } : decision;
}

function untilDeadline(decision: Decision, { rollout, cell }: RolloutInput): Decision {
  const deadline = deadlineOf(rollout, cell);
  if (deadline === undefined || decision.do !== 'Wait' || standsStill(decision)) return decision;
  return { ...decision, until: Math.min(decision.until ?? deadline, deadline) };
}

/** What was asked for and is not confirmed is withdrawn before anything is waited for, be it a Freeze that never ends. */
function confirmFirst(next: Decision, { observed, cell, state, now }: GuardInput): Decision {
  const waits = comesAfterwards.has(next.do) && !(next.do === 'Wait' && next.for === 'Backoff');
  const version = (state.rollout?.stable ?? stableSet(observed, cell))?.version;
  if (!waits || version === undefined || !isUnsure(observed, state)) return next;
  // It does not wait until what was refused before is tried again, as that is what it withdraws.
  const held = state.backoff?.purpose === 'Restoring' ? awaitBackoff(state, now) : undefined;
  const back = restore(observed, state, version);
  return held ?? (next.do === 'Close' ? { ...back, settled: next } : back);
}

const comesAfterwards: ReadonlySet<Decision['do']> = new Set([
  'Wait',
  'Close',
  'Pause',
  'StartMeasurement',
  'Bake',
  'Finish',
]);

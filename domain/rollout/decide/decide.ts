import { adopt, inspect } from './adoption.ts';
import {
  attendBackground,
  backdropOf,
  failureInBackground,
  notWithoutBackground,
  readBackground,
} from '../measure/background.ts';
import { takeStep } from './canary.ts';
import { type Decision, withdraw, standsStill } from '../../model/decision.ts';
import { damp } from '../../gates/damping.ts';
import { deadlineOf } from '../../gates/deadline.ts';
import { gate } from '../../gates/gate.ts';
import { abortIsDue } from '../../model/requests.ts';
import { checkTargets, evacuate, failedByHealth, heldForStable, untilChecked } from '../../gates/targets.ts';
import { attachFirst, type GuardInput } from '../../gates/guard.ts';
import { awaitBackoff, heedingStep, paused } from './held.ts';
import { intend } from './intent.ts';
import { interrupt } from './interrupt.ts';
import { withInspected } from '../../model/known.ts';
import type { ObservedCell } from '../../model/observation.ts';
import { isUnsure, reconfigure, restore } from './reconfigure.ts';
import type { Rollout, RolloutState } from '../../model/state.ts';
import { replan } from './replan.ts';
import { takeBack, takeOut } from './take-back.ts';

/** Decides the one thing that a Cell needs next. `now` is in milliseconds since the epoch. */
export function decide(seen: ObservedCell, state: RolloutState, now: number): Decision {
  const observed = withInspected(seen, state);
  const { cell } = observed;
  if (cell === undefined) return withoutCell(observed, state, now);
  const input: GuardInput = { observed, cell, state, now };
  // What goes back is not kept waiting by a configuration that cannot be let go.
  const goesBack = abortIsDue(state) || state.rollout?.ending !== undefined;
  const first = goesBack ? undefined : release(observed, state, now);
  const wanted = damp(forcedByPerson(first ?? decideFor(input), state), input);
  return verified(attachFirst(untilChecked(wanted, input), input), input);
}

/** A Cell that is gone leaves nothing to decide but what becomes of what its configuration has made. */
function withoutCell({ deletion }: ObservedCell, state: RolloutState, now: number): Decision {
  if (deletion?.isUnderWay === true && deletion.isHeld) {
    const message = 'Doing with the load balancer what spec.deletionPolicy says, because the Cell is gone.';
    return awaitBackoff(state, now) ?? { do: 'Remove', message };
  }
  return {
    do: 'Close',
    outcome: 'Deleted',
    reason: 'Deleted',
    message: 'The Cell is gone; its load balancer configuration goes with it.',
  };
}

/** A configuration that someone deletes under a Cell that stays goes, and what it has made goes on serving. */
function release({ deletion }: ObservedCell, state: RolloutState, now: number): Decision | undefined {
  if (deletion?.isUnderWay !== true || !deletion.isHeld) return undefined;
  const message = 'Letting the deleted configuration go; what it has made is taken over again.';
  return awaitBackoff(state, now) ?? { do: 'Release', message };
}

function decideFor(input: GuardInput): Decision {
  const { observed, state, now } = input;
  const { rollout } = state;
  // What was believed to be served could not be put back: nothing is decided by it any more.
  const look = observed.weighted.length > 0 ? inspect(input) : undefined;
  if (look !== undefined) return look;
  if (rollout === undefined)
    return (
      awaitBackoff(state, now) ?? adopt(input) ?? checkTargets(input) ?? evacuate(input) ?? intend(input)
    );
  const interruption =
    rollout.ending === undefined || abortIsDue(state)
      ? (interrupt(rollout, input) ?? failureInBackground(rollout, input) ?? failedByHealth(rollout, input))
      : undefined;
  if (interruption !== undefined) return heldForStable(interruption, rollout, input);
  const unknown = inspect(input);
  if (unknown !== undefined) return awaitBackoff(state, now) ?? unknown;
  if (rollout.ending !== undefined) return takeBack(rollout, input);
  const adopting = adopt(input);
  if (adopting !== undefined) return awaitBackoff(state, now) ?? adopting;
  const checking = checkTargets(input);
  if (checking !== undefined) return checking;
  const next =
    readBackground(rollout, input) ??
    notWithoutBackground(inTime(goOn(rollout, input), rollout, input), rollout, input);
  return heldForStable(next, rollout, input);
}

/** A person's own abort and promoteFull move traffic also to groups without a healthy target. */
function forcedByPerson(decision: Decision, { rollout, requests }: RolloutState): Decision {
  if (decision.do !== 'Shift' || rollout === undefined) return decision;
  const isAsked =
    rollout.ending === undefined
      ? requests.promoteFull !== undefined && decision.purpose === 'Step'
      : rollout.ending.reason === 'Aborted' && decision.purpose === 'TakeBack';
  return isAsked ? { ...decision, force: true } : decision;
}

/** Has ELBv2 read before a write wherever nobody knows for sure what it serves. */
function verified(decision: Decision, { observed, state }: GuardInput): Decision {
  const unsure = !observed.isApplied || state.mayDiffer === true;
  return decision.do === 'Shift' && unsure ? { ...decision, verify: true } : decision;
}

/** Lets nothing wait beyond the deadline of the rollout. */
function inTime(decision: Decision, rollout: Rollout, { cell }: GuardInput): Decision {
  const deadline = deadlineOf(rollout, cell);
  if (deadline === undefined || decision.do !== 'Wait' || standsStill(decision)) return decision;
  return { ...decision, until: Math.min(decision.until ?? deadline, deadline) };
}

function goOn(rollout: Rollout, input: GuardInput): Decision {
  const { observed, state, now } = input;
  if (observed.weighted.length === 0) return awaitBackoff(state, now) ?? lost(rollout, input);
  // Clients whose share goes to nobody do not wait until someone resumes.
  const out = takeOut(rollout, input) ?? evacuate(input);
  const isPaused = out === undefined ? paused(rollout, input) : undefined;
  const next =
    isPaused ?? heedingStep(awaitBackoff(state, now) ?? out ?? forward(rollout, input), rollout, input);
  // What was asked for and is not confirmed is withdrawn before anything is waited for.
  const waits = goesOnAfterwards.has(next.do) && !(next.do === 'Wait' && next.for === 'Backoff');
  if (!waits || !isUnsure(observed, state)) return next;
  // It does not wait until what was refused before is tried again, as that is what it withdraws.
  const isHeld = state.backoff?.purpose === 'Restore';
  return (isHeld ? awaitBackoff(state, now) : undefined) ?? restore(observed, state, rollout.stable.version);
}

const goesOnAfterwards: ReadonlySet<Decision['do']> = new Set([
  'Wait',
  'Pause',
  'StartMeasurement',
  'Bake',
  'Finish',
]);

function forward(rollout: Rollout, input: GuardInput): Decision {
  return (
    replan(rollout, input) ??
    gate(
      reconfigure(input.observed, input.cell, rollout.canary.version) ??
        attendBackground(backdropOf(rollout, input), rollout, input.state) ??
        takeStep(rollout, input),
      input,
    )
  );
}

/** Ends a rollout whose rule and configuration someone has deleted; it begins again once the stable side serves again. */
function lost({ stable, canary }: Rollout, { now }: GuardInput): Decision {
  const message = `Expected the load balancer to serve ${stable.version} and ${canary.version}, got nothing. Giving everything to ${stable.version}, and beginning again.`;
  return withdraw('NotServed', message, now);
}

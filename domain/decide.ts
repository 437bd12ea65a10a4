import { adopt, withFound } from './adoption.ts';
import {
  attendBackground,
  backdropOf,
  endBackground,
  failureInBackground,
  notWithoutBackground,
  readBackground,
} from './background.ts';
import { candidates, type PresentCell } from './candidate.ts';
import { endMeasurement, takeStep } from './canary.ts';
import type { Decision } from './decision.ts';
import type { GuardInput } from './guard.ts';
import { intend } from './intent.ts';
import { deadlineOf, standsStill } from './deadline.ts';
import { fail, withdraw } from './ending.ts';
import { gate } from './gate.ts';
import type { ObservedCell } from './observation.ts';
import { reconfigure } from './reconfigure.ts';
import type { Rollout, RolloutState } from './state.ts';
import { plannedBy } from './strategy.ts';
import { isAsPlanned, resumeAt } from './steps.ts';
import { groupByVersion, isNewer, parseVersion } from './version.ts';
import { everythingTo, includes, sameShares, weightOf } from './weights.ts';

/** Decides the one thing that a Cell needs next. `now` is in milliseconds since the epoch. */
export function decide(observed: ObservedCell, state: RolloutState, now: number): Decision {
  const { cell } = observed;
  if (cell === undefined) {
    return {
      do: 'Close',
      outcome: 'Deleted',
      reason: 'Deleted',
      message: 'The Cell is gone; its load balancer configuration goes with it.',
    };
  }
  const input: GuardInput = { observed, cell, state, now };
  const { rollout } = state;
  if (rollout === undefined) return held(state, now) ?? intend(input);
  const interruption =
    rollout.ending === undefined
      ? (interrupt(rollout, input) ?? failureInBackground(rollout, now))
      : undefined;
  if (interruption !== undefined) return interruption;
  const first = isUnknown(input) ? (held(state, now) ?? adopt(input)) : undefined;
  if (first !== undefined) return first;
  if (rollout.ending !== undefined) return takeBack(rollout, { ...input, observed: withFound(input) });
  return (
    readBackground(rollout, input) ??
    notWithoutBackground(inTime(goOn(rollout, input), rollout, input), rollout, input)
  );
}

/** Lets nothing wait beyond the deadline of the rollout. */
function inTime(decision: Decision, rollout: Rollout, { cell }: GuardInput): Decision {
  const deadline = deadlineOf(rollout, cell);
  if (deadline === undefined || decision.do !== 'Wait' || standsStill(decision)) return decision;
  return { ...decision, until: Math.min(decision.until ?? deadline, deadline) };
}

/** Whether no object says what is served, and nobody has looked. */
const isUnknown = ({ observed, state }: GuardInput): boolean =>
  observed.served.length === 0 && state.found === undefined;

function goOn(rollout: Rollout, input: GuardInput): Decision {
  const { requests } = input.state;
  if (input.observed.served.length === 0)
    return held(input.state, input.now) ?? adopt(input) ?? lost(rollout, input);
  if (requests.paused !== undefined) {
    const { by, reason } = requests.paused;
    return {
      do: 'Wait',
      for: 'Resume',
      message: `Paused by ${by}${reason === '' ? '' : `: ${reason}`}. Send resume to go on.`,
    };
  }
  return (
    held(input.state, input.now) ??
    replan(rollout, input) ??
    gate(
      reconfigure(input.observed, input.cell, rollout.canary.version) ??
        attendBackground(backdropOf(rollout, input), rollout, input.state) ??
        takeStep(rollout, input),
      input,
    )
  );
}

/** Ends a rollout whose rule and configuration somebody has deleted; it begins anew once the stable side serves again. */
function lost({ stable, canary }: Rollout, { now }: GuardInput): Decision {
  const message = `Expected the load balancer to serve ${stable.version} and ${canary.version}, got nothing. Giving everything to ${stable.version}, and beginning anew.`;
  return withdraw('NotServed', message, now);
}

function held(state: RolloutState, now: number): Decision | undefined {
  const { hold } = state;
  if (hold === undefined || now >= hold.until) return undefined;
  return { do: 'Wait', for: 'Hold', until: hold.until, message: hold.message };
}

/** Puts everything back to the stable side by one write, ends what is still measuring, and closes the rollout. */
function takeBack(rollout: Rollout, input: GuardInput): Decision {
  const { observed, state, now } = input;
  const { stable, canary, progress } = rollout;
  const shares = everythingTo(
    stable.groups,
    canary.groups.filter((group) => includes(observed.served, group)),
  );
  if (!sameShares(shares, observed.served)) {
    const message = `Giving everything back to ${stable.version}.`;
    return (
      held(state, now) ?? {
        do: 'Shift',
        purpose: 'TakeBack',
        version: stable.version,
        shares,
        urgent: true,
        message,
      }
    );
  }
  const end = endMeasurement(progress) ?? endBackground(rollout);
  if (end !== undefined) return held(state, now) ?? end;
  return { do: 'Conclude', message: `${stable.version} has everything back.` };
}

function interrupt(rollout: Rollout, input: GuardInput): Decision | undefined {
  const { abort } = input.state.requests;
  if (abort !== undefined) {
    return fail(
      'Aborted',
      `Aborted by ${abort.by}${abort.reason === '' ? '.' : `: ${abort.reason}`}`,
      input.now,
    );
  }
  const deadline = deadlineOf(rollout, input.cell);
  if (deadline !== undefined && input.now >= deadline) {
    const message = `Expected the rollout of ${rollout.canary.version} to be over within ${input.cell.spec.progressDeadline}, without what it waited for people, windows and Freezes, got step ${rollout.index + 1} of ${rollout.steps.length}.`;
    return fail('ProgressDeadlineExceeded', message, input.now);
  }
  const why = reasonToWithdraw(rollout, input.observed, input.cell);
  return why === undefined ? undefined : withdraw(why.reason, why.message, input.now);
}

function reasonToWithdraw(
  rollout: Rollout,
  observed: ObservedCell,
  cell: PresentCell,
): { readonly reason: string; readonly message: string } | undefined {
  const { version, groups } = rollout.canary;
  const present = groupByVersion(observed.selected).sets.find((set) => set.version === version)?.groups ?? [];
  if (!groups.every((group) => includes(present, group))) {
    const message = `Expected the target groups of ${version} to stay during its rollout, got ${present.length} of ${groups.length} left. Giving everything back to ${rollout.stable.version}.`;
    return { reason: 'TargetGroupsGone', message };
  }
  if (cell.problems.length > 0) return { reason: 'InvalidSpec', message: cell.problems.join(' ') };
  if (cell.spec.version !== undefined) {
    const pinned = parseVersion(cell.spec.version) ?? cell.spec.version;
    if (pinned === version) return undefined;
    return {
      reason: 'Pinned',
      message: `spec.version asks for ${pinned}, so the rollout of ${version} is withdrawn.`,
    };
  }
  // What bakes has taken all steps; the newer one takes its own from there.
  if (rollout.progress.is === 'Baking') return undefined;
  const { target } = candidates(cell, observed, false);
  if (target === undefined || !isNewer(target.version, version)) return undefined;
  return { reason: 'Superseded', message: `${target.version} supersedes ${version}.` };
}

function replan(rollout: Rollout, input: GuardInput): Decision | undefined {
  const { steps, analysis } = plannedBy(input.cell.spec);
  const same = isAsPlanned(rollout, { steps, analysis });
  if (rollout.progress.is === 'Baking' || (same.steps && same.background)) return undefined;
  const end =
    (same.steps ? undefined : endMeasurement(rollout.progress)) ??
    (same.background ? undefined : endBackground(rollout));
  if (end !== undefined) return end;
  if (same.steps)
    return { do: 'Replan', index: rollout.index, message: 'The analysis in the background was edited.' };
  const index = resumeAt(steps, weightOf(rollout.canary.groups, input.observed.served));
  return {
    do: 'Replan',
    index,
    message: `The steps were edited; going on at step ${index + 1} of ${steps.length}.`,
  };
}

import {
  awaitMeasurement,
  endBackground,
  bakeEndsAt,
  isBakeEnded,
  type BakeProgress,
} from '../measure/background.ts';
import { settleOf } from '../../load-balancers/load-balancer.ts';
import { type Decision, fail } from '../../model/decision.ts';
import { parseDuration } from '../../duration.ts';
import { guard, type GuardInput } from '../../gates/guard.ts';
import { endMeasurement, holdsOnFailure } from '../measure/measurement.ts';
import type { ObservedCell } from '../../model/observation.ts';
import type { WeightedTargetGroup } from '../../model/target-group.ts';
import { carryingOf } from '../../gates/targets.ts';
import { byName } from '../../versions/version.ts';
import { leftOf } from '../../versions/stable.ts';
import type { Rollout } from '../../model/state.ts';
import { approvalFrom, approvalsOf, movesTraffic, nextOf } from '../../steps/index.ts';
import { weightAfter } from '../../steps/plan.ts';
import { advance, nameStep } from '../../steps/step.ts';
import {
  everythingTo,
  gaining,
  includes,
  sameShares,
  shares,
  TOTAL_WEIGHT,
} from '../../load-balancers/weights.ts';

/** Decides what the current step of a rollout needs next. */
export function takeStep(rollout: Rollout, input: GuardInput): Decision {
  const { steps, index, progress } = rollout;
  const step = steps[index];
  const { promote, promoteFull } = input.state.requests;
  if (progress.is === 'Baking') return bake(rollout, progress, input);
  if (step === undefined) return complete(rollout, input);
  if (promoteFull !== undefined) return skip(rollout, input);
  if (promote !== undefined && !movesTraffic(step) && approvalsOf(step) === undefined)
    return (
      endMeasurement(progress) ??
      advance(rollout, `${promote.resumes === true ? 'Resumed' : 'Promoted'} by ${promote.by}.`)
    );
  const next = nextOf(step, rollout, input) ?? moveTo(weightAfter(steps, index), 'Advance', rollout, input);
  return next.do === 'Advance' && movesTraffic(step) ? { ...next, isTold: true } : next;
}

/** Continues without the remaining steps, as far as the next one that takes approvals: nothing stands in for them. */
function skip(rollout: Rollout, input: GuardInput): Decision {
  const { steps, index, progress } = rollout;
  const to = approvalFrom(rollout);
  if (to === undefined) return complete(rollout, input);
  const step = steps[to];
  if (to === index && step !== undefined) return nextOf(step, rollout, input) ?? complete(rollout, input);
  // Edited steps may lead to less than there is by now.
  const moves = steps.slice(index, to).some(movesTraffic);
  const end = endMeasurement(progress);
  const next =
    end ?? (moves ? moveTo(weightAfter(steps, to - 1), 'Advance', rollout, input) : advance(rollout, ''));
  if (next.do !== 'Advance') return next;
  return { ...next, to, message: `Continuing at ${nameStep({ index: to, steps })}, which needs approvals.` };
}

function complete(rollout: Rollout, input: GuardInput): Decision {
  const end = endMeasurement(rollout.progress);
  if (end !== undefined) return end;
  const next = moveTo(TOTAL_WEIGHT, 'Finish', rollout, input);
  return next.do === 'Finish' ? (endBackground(rollout) ?? next) : next;
}

function moveTo(weight: number, then: 'Advance' | 'Finish', rollout: Rollout, input: GuardInput): Decision {
  const unmeasured = weight === TOTAL_WEIGHT ? awaitMeasurement(rollout, input) : undefined;
  if (unmeasured !== undefined) return unmeasured;
  const wanted = sharesAt(weight, rollout, input);
  const { version } = rollout.canary;
  if (sameShares(wanted, input.observed.weighted) && input.observed.isApplied) {
    const settled = settle(rollout, input);
    if (settled !== undefined) return settled;
    if (then === 'Advance') return advance(rollout, `The canary's weight is ${weight}.`);
    return input.cell.spec.updateStrategy?.bake === undefined ? finish(rollout) : startBaking(rollout, input);
  }
  const message = `Setting the weight of ${version} to ${weight}.`;
  return guard(
    { do: 'Shift', purpose: 'ShiftingTraffic', version, shares: wanted, message },
    input,
    holdsOnFailure(input) || !isForCanary(wanted, rollout, input.observed)
      ? undefined
      : (lack) => lateHealth(version, lack, input.now),
  );
}

/** Whether only the canary gains: taking everything back to a stable side without healthy targets would make things worse. */
const isForCanary = (
  wanted: readonly WeightedTargetGroup[],
  { canary }: Rollout,
  { weighted }: ObservedCell,
): boolean => gaining(wanted, weighted).every((group) => includes(canary.groups, group));

const lateHealth = (version: string, lack: string, now: number): Decision =>
  fail('HealthTimeout', `The target groups of ${version} did not become healthy in time. ${lack}`, now);

/** What is to be served when the canary has a weight; a stable side of which nothing is left has none. */
export function sharesAt(
  weight: number,
  { stable, canary }: Rollout,
  input: GuardInput,
): readonly WeightedTargetGroup[] {
  const left = leftOf(stable, input.observed);
  const [stays, comes] = [carryingOf(left, input), carryingOf(canary.groups, input)];
  const idle = [...left, ...canary.groups].filter((group) => !includes([...stays, ...comes], group));
  if (left.length === 0) return everythingTo(comes, idle);
  return [
    ...shares(stays, comes, weight),
    ...idle.map(({ name, arn }) => ({ name, arn, weight: 0 })),
  ].toSorted(byName);
}

/** Waits until the data plane of the load balancer follows the last change of weights. */
function settle(rollout: Rollout, { cell, now }: GuardInput): Decision | undefined {
  const wait = settleOf(cell.spec);
  const until = (rollout.shiftedAt ?? 0) + parseDuration(wait) * 1000;
  if (now >= until) return undefined;
  const message = `Waiting ${wait} for the load balancer's data plane to follow the weights.`;
  return { do: 'Wait', for: 'Settle', until, message };
}

const finish = ({ canary }: Rollout): Decision => ({
  do: 'Finish',
  message: `${canary.version} serves all traffic.`,
});

function startBaking({ canary, stable }: Rollout, { cell }: GuardInput): Decision {
  const duration = cell.spec.updateStrategy?.bake?.duration ?? '0s';
  const message = `${canary.version} serves all traffic; watching it for ${duration}, with ${stable.version} kept at 0.`;
  return { do: 'Bake', message };
}

/** Watches the canary with the whole weight; a promote ends it, and what fails takes everything back. */
function bake(rollout: Rollout, progress: BakeProgress, input: GuardInput): Decision {
  const spec = input.cell.spec.updateStrategy?.bake;
  const until = bakeEndsAt(progress, spec?.duration ?? 0);
  const isEnded = spec === undefined || isBakeEnded(rollout, input);
  if (isEnded || input.now >= until)
    return (
      (isEnded ? undefined : awaitMeasurement(rollout, input)) ?? endBackground(rollout) ?? finish(rollout)
    );
  const message = `Watching ${rollout.canary.version} with all traffic for ${spec.duration}. Send promote to end the bake, or abort to revert.`;
  return { do: 'Wait', for: 'Bake', until, message };
}

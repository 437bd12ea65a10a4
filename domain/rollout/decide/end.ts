import { candidates, isBlocked, type PresentCell } from '../../versions/candidate.ts';
import { deadlineOf } from '../../gates/deadline.ts';
import { type Decision, abortedBy, end, fail, withdraw } from '../../model/decision.ts';
import type { ObservedCell } from '../../model/observation.ts';
import type { Rollout } from '../../model/state.ts';
import { groupByVersion, isNewer, parseVersion } from '../../versions/version.ts';
import { nameStep } from '../../steps/step.ts';
import type { GuardInput } from '../../gates/guard.ts';
import { includes, TOTAL_WEIGHT, weightOf } from '../../load-balancers/weights.ts';

/** What the rules of a rollout go by. */
export type RolloutInput = GuardInput & { readonly rollout: Rollout };

/** Ends a rollout that a person aborts. */
export const endByAbort = ({ state: { requests }, now }: RolloutInput): Decision | undefined =>
  requests.abort && end(abortedBy(requests.abort, now));

/** Fails a rollout that is not over within `spec.progressDeadline`. */
export function endByDeadline({ rollout, cell, now }: RolloutInput): Decision | undefined {
  const deadline = deadlineOf(rollout, cell);
  if (deadline === undefined || now < deadline) return undefined;
  const message = `The rollout of ${rollout.canary.version} has exceeded its progressDeadline of ${cell.spec.progressDeadline}, not counting waits for people, windows and other gates, at ${nameStep(rollout)}.`;
  return fail('ProgressDeadlineExceeded', message, now);
}

/** Withdraws a rollout that the Cell does not ask for any more. */
export function endByWithdrawal({ rollout, observed, cell, now }: RolloutInput): Decision | undefined {
  const why = reasonToWithdraw(rollout, observed, cell);
  return why && withdraw(why.reason, why.message, now);
}

/** Ends a rollout whose rule and configuration someone has deleted; it begins again once the stable side serves again. */
export function endUnserved({ rollout, observed, now }: RolloutInput): Decision | undefined {
  if (observed.weighted.length > 0) return undefined;
  const { stable, canary } = rollout;
  const message = `The load balancer serves neither ${stable.version} nor ${canary.version} any more. Shifting all traffic to ${stable.version}; the rollout then starts again.`;
  return withdraw('NotServed', message, now);
}

/** Whether every step has passed and the canary serves all traffic: only settling and the bake are left. */
const hasAllTraffic = ({ steps, index, canary }: Rollout, { weighted }: ObservedCell): boolean =>
  index >= steps.length && weightOf(canary.groups, weighted) === TOTAL_WEIGHT;

function reasonToWithdraw(
  rollout: Rollout,
  observed: ObservedCell,
  cell: PresentCell,
): { readonly reason: string; readonly message: string } | undefined {
  const { version, groups } = rollout.canary;
  const present = groupByVersion(observed.selected).sets.find((set) => set.version === version)?.groups ?? [];
  if (!groups.every((group) => includes(present, group))) {
    const message = `Only ${present.length} of ${groups.length} target groups of ${version} are left during its rollout. Shifting all traffic back to ${rollout.stable.version}.`;
    return { reason: 'TargetGroupsGone', message };
  }
  // This run is rolling it out, so that another one has blocked it: Temporal was restored from a backup of before that.
  if (isBlocked(version, cell))
    return { reason: 'VersionBlocked', message: `${version} is blocked in the status of the Cell.` };
  if (cell.problems.length > 0) return { reason: 'InvalidSpec', message: cell.problems.join(' ') };
  if (cell.spec.version !== undefined) {
    const pinned = parseVersion(cell.spec.version) ?? cell.spec.version;
    if (pinned === version) return undefined;
    return {
      reason: 'Pinned',
      message: `spec.version asks for ${pinned}, so the rollout of ${version} is withdrawn.`,
    };
  }
  // With all steps passed only settling and baking are left; the newer version begins from there.
  if (hasAllTraffic(rollout, observed)) return undefined;
  const { target } = candidates(cell, observed);
  if (target === undefined || !isNewer(target.version, version)) return undefined;
  return { reason: 'Superseded', message: `${target.version} supersedes ${version}.` };
}

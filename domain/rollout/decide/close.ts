import type { Candidates, PresentCell } from '../../versions/candidate.ts';
import type { Close } from '../../model/decision.ts';
import type { GuardInput } from '../../gates/guard.ts';
import type { TargetGroup } from '../../model/target-group.ts';
import { presentOf, UNKNOWN_VERSION } from '../../versions/stable.ts';
import { sentence } from '../../text.ts';
import { isNewer, isSameVersion, type VersionSet } from '../../versions/version.ts';
import { MAX_TARGET_GROUPS } from '../../load-balancers/weights.ts';

/** Says how a Cell stands for which nothing is left to do. */
export function closeServing({ observed, cell }: GuardInput, found: Candidates, stable: VersionSet): Close {
  if (found.blocked !== undefined && isNewer(found.blocked.version, stable.version)) {
    const { version, cause, pinned } = found.blocked;
    const again = pinned === true ? 'remove spec.version and set it again' : `set spec.version to ${version}`;
    return close(
      'Reverted',
      'VersionBlocked',
      `${stable.version} serves. ${version} is blocked: ${sentence(cause)} Send retry, or ${again}, to try it again.`,
    );
  }
  if (stable.version !== UNKNOWN_VERSION && presentOf(stable, observed.selected).length === 0) {
    const message = `All AWSTargetGroups of ${stable.version}, which serves, are gone, and there is no version to fall back to. Create an AWSTargetGroup of ${stable.version}, or of another version.`;
    return close('Failed', 'TargetGroupsGone', message);
  }
  if (found.missing !== undefined) {
    const [last] = cell.status.history ?? [];
    const hasFallen = last?.outcome === 'FellBack' && last.from === found.missing.version;
    const told = closeWaiting(found, stable);
    return isPinLost(found, cell) && hasFallen
      ? { ...told, degraded: true, reason: 'PinnedVersionGone' }
      : told;
  }
  if (found.blocked !== undefined && isSameVersion(found.blocked.version, stable.version)) {
    const message = `${stable.version} serves, though it is blocked: ${sentence(found.blocked.cause)} No version was left to revert to. Create target groups of a newer version, or of an older one and set spec.version to that.`;
    return close('Failed', 'VersionBlocked', message);
  }
  return close('Completed', 'Serving', `${stable.version} serves all traffic.`);
}

/** Says what a Cell waits for, and what serves meanwhile. */
export function closeWaiting(found: Candidates, stable: VersionSet | undefined): Close {
  const { missing } = found;
  const serves = stable === undefined ? 'Nothing is served yet.' : `${stable.version} serves.`;
  if (missing === undefined) {
    const message = `${serves} No AWSTargetGroup with a version matches the selector.`;
    return close('Waiting', 'NoTargetGroups', message);
  }
  return {
    do: 'Close',
    outcome: 'Waiting',
    reason: 'NotEnoughTargetGroups',
    message: `${serves} Waiting: ${missing.available} of ${missing.desired} target groups at ${missing.version}.`,
    missing,
  };
}

/** Says that there are more target groups than fit into a rule. */
export function closeTooMany(groups: readonly TargetGroup[], whose: string): Close {
  const message = `${whose} ${groups.length} target groups; expected at most ${MAX_TARGET_GROUPS}, which is what a listener rule can forward to. Remove some AWSTargetGroups, and put several clusters of a version into one target group, by an AWSTargetGroupBinding.`;
  return close('Failed', 'TooManyTargetGroups', message);
}

/** Says how a run closes. */
export const close = (
  outcome: 'Completed' | 'Waiting' | 'Reverted' | 'Failed',
  reason: string,
  message: string,
): Close => ({
  do: 'Close',
  outcome,
  reason,
  message,
});

/** Whether the Cell is pinned to a version of which there are not enough target groups. */
export const isPinLost = (found: Candidates, { spec }: PresentCell): boolean =>
  spec.version !== undefined && found.target === undefined && found.missing !== undefined;

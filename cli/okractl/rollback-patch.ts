import type { Cell } from '../../crds/cell.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import type { SelectedTargetGroup, TargetGroup } from '../../domain/model/target-group.ts';
import { controllerOf } from '../../domain/kubernetes/controller.ts';
import { includes, MAX_TARGET_GROUPS } from '../../domain/load-balancers/weights.ts';
import { servedUntil } from '../../domain/rollout/report/history.ts';
import { isOutsideRollbackWindow } from '../../domain/rollout/decide/intent.ts';
import {
  groupByVersion,
  isNewer,
  isSameVersion,
  parseVersion,
  type VersionSet,
} from '../../domain/versions/version.ts';

/** The annotation by which kubectl, and those who read its output, know why an object was changed. */
export const CHANGE_CAUSE = 'kubernetes.io/change-cause';

/** Says why a Cell cannot be rolled back to a version; undefined when it can. */
export function refusalToRollBack(
  cell: Cell,
  selected: readonly SelectedTargetGroup[],
  to: string,
): string | undefined {
  const { metadata, spec, status = {} } = cell;
  const parent = controllerOf(metadata);
  if (parent?.kind === 'Cell')
    return `Expected a Cell of its own, got that of an application of Cell ${parent.name}, which would take the pin out again. To take a rollout back: okractl abort ${parent.name}. To go back after it: apply the earlier spec of that Cell.`;
  if (spec.applications !== undefined)
    return `Expected a Cell with ingress, got one with applications, which serves no version of its own. To take what is under way back: okractl abort ${metadata.name}. To go back after it: apply its earlier spec.`;
  const version = parseVersion(to);
  if (version === undefined) return `Expected a version such as 1.2.3 with --to, got ${JSON.stringify(to)}.`;
  const { stableVersion } = status;
  const { sets } = groupByVersion(selected);
  const groups = sets.find((set) => set.version === version)?.groups ?? [];
  if (groups.length < spec.replicas) {
    const others = sets
      .filter((set) => set.groups.length >= spec.replicas)
      .filter((set) => stableVersion === undefined || !isNewer(set.version, stableVersion))
      .map((set) => set.version);
    return `Expected ${spec.replicas} target groups of ${version} to go back to, got ${groups.length}. There are enough of: ${others.join(', ') || 'no version'}.`;
  }
  if (stableVersion !== undefined && isNewer(version, stableVersion))
    return `Expected a version below ${stableVersion}, which serves, got ${version}. A newer one is rolled out by its steps: set spec.version, or remove it.`;
  const isPinned = spec.version !== undefined && isSameVersion(spec.version, version);
  const serves = stableVersion !== undefined && isSameVersion(stableVersion, version);
  if (isPinned && serves && status.rollout === undefined)
    return `Expected another version than the one that serves, got ${version}, to which the Cell is pinned already.`;
  return refusedByRollout(cell, { version, groups }, selected);
}

/** Why a rollout would do nothing about the version. */
function refusedByRollout(
  { metadata, spec, status = {} }: Cell,
  { version, groups }: VersionSet,
  selected: readonly SelectedTargetGroup[],
): string | undefined {
  const block = status.blockedVersions?.find((one) => isSameVersion(one.version, version));
  const isPinned = spec.version !== undefined && isSameVersion(spec.version, version);
  if (isPinned && block?.pinned === true)
    return `Expected another version than ${version}, which failed while the Cell was pinned to it: ${block.cause} To try it again: okractl retry ${metadata.name} -n ${metadata.namespace}`;
  // What claims the version already counts once.
  const others = stableGroupsBeside(version, status, selected).filter((one) => !includes(groups, one));
  const together = groups.length + others.length;
  if (together > MAX_TARGET_GROUPS)
    return `Expected at most ${MAX_TARGET_GROUPS} target groups of ${status.stableVersion} and ${version} together, got ${together}. Remove some AWSTargetGroups, and put several clusters of a version into one target group, by an AWSTargetGroupBinding.`;
  return undefined;
}

/** What serves of another version, as far as its AWSTargetGroups are there; what is gone is left to itself. */
function stableGroupsBeside(
  version: string,
  { stableVersion, targetGroups = [] }: NonNullable<Cell['status']>,
  selected: readonly SelectedTargetGroup[],
): readonly TargetGroup[] {
  if (stableVersion === undefined || isSameVersion(stableVersion, version)) return [];
  return targetGroups.filter((group) => group.role === 'Stable' && includes(selected, group));
}

/** Says why a version that a Cell is rolled back to takes its steps; undefined when it gets everything at once. */
export function whyBySteps(
  { spec, status = {} }: Pick<Cell, 'spec' | 'status'>,
  to: string,
  now: number,
): string | undefined {
  const { stableVersion } = status;
  const goesLower = stableVersion !== undefined && isNewer(stableVersion, to);
  if (!goesLower || !isOutsideRollbackWindow(to, { spec, status }, now)) return undefined;
  const window = `spec.updateStrategy.rollbackWindow of ${spec.updateStrategy?.rollbackWindow?.duration ?? ''}`;
  const until = servedUntil(to, status.history);
  return until === undefined
    ? `its ${window} counts from when a version was replaced, and status.history does not say when this one was`
    : `its ${window} is over: the version was replaced at ${new Date(until).toISOString()}`;
}

/** What is written to a Cell to roll it back: the pin, and who asked for it and why. */
export function rollbackPatch({ to, by, reason }: { to: string; by: string; reason: string }): object {
  const cause = `okractl rollback --to ${to} by ${by}${reason === '' ? '' : `: ${reason}`}`;
  return { metadata: { annotations: { [CHANGE_CAUSE]: cause } }, spec: { version: to } };
}

/** The command that removes the pin of a Cell. */
export const unpinning = ({ namespace, name }: ObjectKey): string =>
  `kubectl patch cell ${name} -n ${namespace} --type=merge -p '{"spec":{"version":null}}'`;

import type { Cell } from '../../crds/cell.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import type { SelectedTargetGroup } from '../../domain/model/target-group.ts';
import { controllerOf } from '../../domain/kubernetes/controller.ts';
import { servedUntil } from '../../domain/rollout/history.ts';
import { isOutsideRollbackWindow } from '../../domain/rollout/rollback-window.ts';
import { groupByVersion, isNewer, isSameVersion, parseVersion } from '../../domain/versions/version.ts';

/** The annotation by which kubectl, and those who read its output, know why an object was changed. */
export const CHANGE_CAUSE = 'kubernetes.io/change-cause';

/** Says why a Cell cannot be rolled back to a version; undefined when it can. */
export function refusalToRollBack(
  { metadata, spec, status = {} }: Cell,
  selected: readonly SelectedTargetGroup[],
  to: string,
): string | undefined {
  const parent = controllerOf(metadata);
  if (parent?.kind === 'Cell')
    return `Expected a Cell of its own, got that of an application of Cell ${parent.name}, which would take the pin out again. To take a rollout back: okractl abort ${parent.name}. To go back after it: apply the earlier spec of that Cell.`;
  if (spec.applications !== undefined)
    return `Expected a Cell with ingress, got one with applications, which serves no version of its own. To take what is under way back: okractl abort ${metadata.name}. To go back after it: apply its earlier spec.`;
  const version = parseVersion(to);
  if (version === undefined) return `Expected a version such as 1.2.3 with --to, got ${JSON.stringify(to)}.`;
  const { sets } = groupByVersion(selected);
  const complete = sets.filter(({ groups }) => groups.length >= spec.replicas).map((set) => set.version);
  if (!complete.includes(version)) {
    const found = sets.find((set) => set.version === version)?.groups.length ?? 0;
    return `Expected ${spec.replicas} target groups of ${version} to go back to, got ${found}. There are enough of: ${complete.join(', ') || 'no version'}.`;
  }
  const { stableVersion } = status;
  if (stableVersion !== undefined && isNewer(version, stableVersion))
    return `Expected a version below ${stableVersion}, which serves, got ${version}. A newer one is rolled out by its steps: set spec.version, or remove it.`;
  const isPinned = spec.version !== undefined && isSameVersion(spec.version, version);
  const serves = stableVersion !== undefined && isSameVersion(stableVersion, version);
  if (isPinned && serves && status.rollout === undefined)
    return `Expected another version than the one that serves, got ${version}, to which the Cell is pinned already.`;
  return undefined;
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

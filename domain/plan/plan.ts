import type { ObservedCell } from '../model/observation.ts';
import { groupByVersion, compareVersions, parseVersion } from '../versions/version.ts';
import { runAhead, type Ahead } from './run-ahead.ts';
import semver from 'semver';
import type { SelectedTargetGroup } from '../model/target-group.ts';

const FIRST_VERSION = '1.0.0';

/** The version that a next one is assumed to have: the first, or one after all that there are. */
export function nextVersion({ selected, cell }: ObservedCell): string {
  const { stableVersion, blockedVersions = [] } = cell?.status ?? {};
  const pinned = cell?.spec.version;
  if (pinned !== undefined) return parseVersion(pinned) ?? pinned;
  const known = [
    ...groupByVersion(selected).sets.map(({ version }) => version),
    ...blockedVersions.map(({ version }) => version),
    ...(stableVersion === undefined ? [] : [stableVersion]),
  ].filter((version) => parseVersion(version) !== undefined);
  const highest = known.toSorted(compareVersions).at(-1);
  return highest === undefined ? FIRST_VERSION : (semver.inc(highest, 'patch') ?? FIRST_VERSION);
}

/** Adds as many target groups of a version as the Cell waits for. */
function withVersion(observed: ObservedCell, version: string): ObservedCell {
  const count = observed.cell?.spec.replicas ?? 1;
  const { sets } = groupByVersion(observed.selected);
  const there = sets.find((set) => set.version === parseVersion(version))?.groups.length ?? 0;
  const added = Array.from({ length: Math.max(0, count - there) }, (_, at): SelectedTargetGroup => {
    const name = `${observed.key.name}-${version}-${there + at + 1}`;
    return { name, arn: `assumed:targetgroup/${name}`, version };
  });
  return { ...observed, selected: [...observed.selected, ...added] };
}

/** A part of a plan: what comes as things are, or once there are target groups of a version. */
export interface PlanPart {
  /** The version of which target groups are taken for granted; undefined: as things are. */
  readonly assumed?: string;
  readonly ahead: Ahead;
}

export interface CellPlan {
  readonly parts: readonly PlanPart[];
  readonly problems: readonly string[];
}

export interface PlanOptions {
  readonly now: number;
  /** Versions to take for granted one after the other; undefined: the next, where as things are there is no rollout. */
  readonly assume?: readonly string[] | undefined;
}

/** Plans what a Cell does: as things are, and with a next version where there is none to roll out yet. */
export function planCell(observed: ObservedCell, { now, assume }: PlanOptions): CellPlan {
  const first = runAhead(observed, now);
  const parts: PlanPart[] = [{ ahead: first }];
  const ahead = (version: string): Ahead => {
    const { ahead: before } = parts.at(-1) ?? { ahead: first };
    const next = runAhead(withVersion(before.observed, version), before.now);
    parts.push({ assumed: version, ahead: next });
    return next;
  };
  if (assume !== undefined) assume.forEach(ahead);
  else if (mayGoOn(first)) {
    const installed = serves(first) ? first : ahead(nextVersion(first.observed));
    const isPinned = observed.cell?.spec.version !== undefined;
    // A version that is pinned is not followed by another.
    if (mayGoOn(installed) && serves(installed) && !isPinned) ahead(nextVersion(installed.observed));
  }
  return { parts, problems: [...new Set(problemsOf(observed, parts))] };
}

/** Whether a next version would be rolled out, and none was yet. */
const mayGoOn = ({ rollout, end }: Ahead): boolean =>
  rollout === undefined && end !== undefined && end.outcome !== 'Failed' && end.outcome !== 'Deleted';

const serves = ({ observed }: Ahead): boolean => observed.weighted.length > 0;

function problemsOf(observed: ObservedCell, parts: readonly PlanPart[]): readonly string[] {
  const rejected = groupByVersion(observed.selected).rejected.map(({ message }) => message);
  return [
    ...rejected,
    ...parts.flatMap(({ ahead }) => [
      ...(isBad(ahead) ? [ahead.end?.message ?? ''] : []),
      ...(ahead.stuck === undefined ? [] : [ahead.stuck.message]),
    ]),
  ];
}

/** Whether it ends badly; a version that has failed before now is no problem of the plan. */
const isBad = ({ end, rollout }: Ahead): boolean =>
  end !== undefined &&
  (end.outcome === 'Failed' ||
    end.degraded === true ||
    (end.outcome === 'Reverted' && rollout !== undefined));

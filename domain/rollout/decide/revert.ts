import { endBackground } from '../measure/background.ts';
import { isBlocked, type PresentCell } from '../../versions/candidate.ts';
import { endMeasurement } from '../measure/measurement.ts';
import { type Close, type Decision, type Shift, type Wait, noLaterThan } from '../../model/decision.ts';
import { type GuardInput, guard } from '../../gates/guard.ts';
import { carryingOf } from '../../gates/targets.ts';
import { awaitBackoff } from './hold.ts';
import { keepsClients, routeOf } from '../../load-balancers/load-balancer.ts';
import type { ObservedCell } from '../../model/observation.ts';
import type { WeightedTargetGroup, TargetGroup } from '../../model/target-group.ts';
import { isUnsure } from './adoption.ts';
import { leftOf, presentOf } from '../../versions/stable.ts';
import type { Rollout } from '../../model/state.ts';
import { groupByVersion, isNewer, type VersionSet, byName } from '../../versions/version.ts';
import {
  everythingTo,
  includes,
  MAX_TARGET_GROUPS,
  sameShares,
  TOTAL_WEIGHT,
  weightOf,
  whereAllFit,
  split,
} from '../../load-balancers/weights.ts';
import { sharesAt } from './canary.ts';
import { namesOf } from '../../text.ts';

/** Takes stable groups out at once whose AWSTargetGroups are gone or claim another version; the weight of the canary stays. */
export function removeGone(rollout: Rollout, input: GuardInput): Decision | undefined {
  const { observed } = input;
  const left = leftOf(rollout.stable, observed);
  const gone = goneOf(rollout.stable, left, input);
  if (gone.length === 0) return undefined;
  const joining = rollout.canary.groups.filter((group) => includes(observed.weighted, group));
  const weight = weightOf(rollout.canary.groups, observed.weighted);
  const attached = { ...rollout, canary: { ...rollout.canary, groups: joining } };
  // A canary that is not attached yet has nothing to take over.
  if (left.length === 0 && joining.length === 0) return undefined;
  return guard(removalOf(gone, rollout.stable, sharesAt(weight, attached, input)), input);
}

/** Takes groups of what serves out at once that are gone, while what is to serve is held or waits; the others of its groups get their share. */
export function removeGoneMeanwhile(held: Wait | Close, stable: VersionSet, input: GuardInput): Decision {
  const { weighted, selected } = input.observed;
  const left = presentOf(stable, selected);
  const gone = goneOf(stable, left, input);
  if (gone.length === 0 || left.length === 0) return held;
  const others = weighted.filter((group) => !includes(stable.groups, group));
  const shares = [...split(weightOf(stable.groups, weighted), left), ...others].toSorted(byName);
  const out = guard(removalOf(gone, stable, shares), input);
  return out.do === 'Wait' ? noLaterThan(out.until, held) : out;
}

const goneOf = (
  { groups }: VersionSet,
  left: readonly TargetGroup[],
  { observed: { weighted } }: GuardInput,
): readonly TargetGroup[] =>
  groups.filter((group) => !includes(left, group) && weightOf([group], weighted) > 0);

const removalOf = (
  gone: readonly TargetGroup[],
  { version }: VersionSet,
  shares: Shift['shares'],
): Shift => ({
  do: 'Shift',
  purpose: 'RemovingTargetGroups',
  version,
  shares,
  message: `Removing ${namesOf(gone)} from the rule, because its AWSTargetGroup is gone or has another version.`,
});

/** Puts everything back to the stable side by one write, ends what is still measuring, and closes the rollout. */
export function revert(rollout: Rollout, input: GuardInput): Decision {
  const { observed, cell, state, now } = input;
  const { canary, progress } = rollout;
  const target = findRevertTarget(rollout, input);
  const stays = target.version === canary.version;
  // What keeps everything keeps its shares as they are, because nobody has looked at its targets.
  const serving = carryingOf(target.groups, input);
  const others = [...canary.groups, ...target.groups.filter((group) => !includes(serving, group))];
  const shares = stays ? observed.weighted : revertedShares(serving, others, { observed, cell });
  // What is not confirmed may be served later, so that it is not enough to look at what the status says is served.
  if (isUnsure(observed, state) || !sameShares(shares, observed.weighted)) {
    return awaitBackoff(state, now) ?? revertTo(target.version, shares);
  }
  const end = endMeasurement(progress) ?? endBackground(rollout);
  if (end !== undefined) return awaitBackoff(state, now) ?? end;
  return {
    do: 'Conclude',
    ending: rollout.ending?.kind ?? 'Withdrawn',
    message: stays
      ? `No version is left to revert to, so ${canary.version} keeps all traffic.`
      : `All traffic is back on ${target.version}.`,
  };
}

/** The one write that takes traffic back. */
export const revertTo = (
  version: string,
  shares: readonly WeightedTargetGroup[],
): Extract<Decision, { do: 'Shift' }> => ({
  do: 'Shift',
  purpose: 'Reverting',
  version,
  shares,
  message: `Shifting all traffic back to ${version}.`,
});

/** Everything for one side; the other stays at 0, still checked, but leaves where a cookie of its target group goes before the weight. */
export function revertedShares(
  groups: readonly TargetGroup[],
  others: readonly TargetGroup[],
  { observed, cell }: { readonly observed: ObservedCell; readonly cell: PresentCell },
): readonly WeightedTargetGroup[] {
  const stays = (one: TargetGroup): boolean =>
    includes(observed.weighted, one) && includes(observed.selected, one);
  const route = observed.observedForwarding ?? routeOf(cell.spec);
  const areKept = route !== undefined && keepsClients(route);
  const kept = areKept ? [] : others.filter(stays);
  return everythingTo(groups, whereAllFit(groups, kept));
}

/** What carries traffic beside both sides and claims the stable version, as after an edit of its label that was taken back. */
const joinedStable = (
  { stable, canary }: Pick<Rollout, 'stable' | 'canary'>,
  left: readonly TargetGroup[],
  { selected, weighted }: ObservedCell,
): readonly TargetGroup[] =>
  (groupByVersion(selected).sets.find(({ version }) => version === stable.version)?.groups ?? []).filter(
    (group) => weightOf([group], weighted) > 0 && !includes(left, group) && !includes(canary.groups, group),
  );

/** What everything goes back to: the rest of the stable side, else the newest older version that has not failed, else the canary itself. */
function findRevertTarget(rollout: Rollout, { observed, cell }: GuardInput): VersionSet {
  const { stable, canary, ending } = rollout;
  const { selected, weighted } = observed;
  const left = leftOf(stable, observed);
  if (left.length > 0)
    return {
      version: stable.version,
      groups: [...left, ...joinedStable({ stable, canary }, left, observed)],
    };
  const older = groupByVersion(selected).sets.filter(
    ({ version }) =>
      version !== canary.version && !isNewer(version, stable.version) && !isBlocked(version, cell),
  );
  const canServe = (set: VersionSet): boolean =>
    set.groups.length >= cell.spec.replicas && set.groups.length <= MAX_TARGET_GROUPS;
  // What has failed has more to lose than what is withdrawn.
  const isThere =
    ending?.kind === 'Failed' &&
    stable.groups.some((group) => includes(weighted, group) && !includes(selected, group));
  const hasEverything = weightOf(canary.groups, weighted) === TOTAL_WEIGHT;
  const isKept = stable.groups.length === 0 || (hasEverything && !isThere);
  const next = older.find(canServe);
  if (next === undefined) return isKept ? canary : stable;
  return { version: next.version, groups: membersOf(next, rollout, weighted) };
}

/** The target groups of an older version that get everything: those that carry it already, as the others are unchecked; never the canary's. */
function membersOf(
  { groups }: VersionSet,
  { canary, ending }: Rollout,
  weighted: readonly WeightedTargetGroup[],
): readonly TargetGroup[] {
  const carrying = groups.filter((group) => weightOf([group], weighted) > 0);
  if (ending?.kind === 'Withdrawn' && weightOf(carrying, weighted) === TOTAL_WEIGHT) return carrying;
  const others = groups.filter((group) => !includes(canary.groups, group));
  return others.length > 0 ? others : groups;
}

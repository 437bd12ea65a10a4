import { parseDuration } from '../duration.ts';
import { fail, type Decision, type Shift, noLaterThan } from '../model/decision.ts';
import { omit } from '../model/fields.ts';
import type { TargetGroup, WeightedTargetGroup } from '../model/target-group.ts';
import type { GroupHealth, Rollout, RolloutState } from '../model/state.ts';
import type { PresentCell } from '../versions/candidate.ts';
import { stableSet } from '../versions/stable.ts';
import { byName, groupByVersion, type VersionSet } from '../versions/version.ts';
import { includes, sameShares, split, weightOf } from '../load-balancers/weights.ts';
import { guard, type GuardInput } from './guard.ts';
import { namesOf } from '../text.ts';
import { healthText, type TargetHealth } from './health.ts';

/** When the weight of a target group without a healthy target goes to its neighbours, unless the spec says otherwise. */
const DEFAULT_EVACUATION = { policy: 'Auto', after: '15s', returnAfter: '5m' } as const;

/** How often targets are checked while a group in the rule has no healthy one, or has just got one again, in milliseconds. */
const CHECK_MS = 15_000;

function evacuationOf({ spec }: PresentCell) {
  const { policy, after, returnAfter } = { ...DEFAULT_EVACUATION, ...spec.evacuation };
  return {
    isOn: policy === 'Auto',
    afterMs: parseDuration(after) * 1000,
    returnAfterMs: parseDuration(returnAfter) * 1000,
  };
}

/** Records what a look at the targets of all groups in the rule has shown. */
export function recordHealth(
  state: RolloutState,
  found: readonly TargetHealth[],
  { cell, now }: { readonly cell: PresentCell; readonly now: number },
): RolloutState {
  const settings = evacuationOf(cell);
  const groups = found.map(({ targetGroupARN: arn, healthy, total, others }): GroupHealth => {
    const before = state.targets?.groups.find((one) => one.arn === arn);
    return { ...healthFrom(before, healthy, now, settings), arn, healthy, total, others };
  });
  return { ...omit(state, 'targetsChanged'), targets: { at: now, groups } };
}

// oxlint-disable-next-line max-params -- a row of a table
function healthFrom(
  before: GroupHealth | undefined,
  healthy: number,
  now: number,
  { afterMs, returnAfterMs }: ReturnType<typeof evacuationOf>,
): Pick<GroupHealth, 'is' | 'since'> {
  if (healthy === 0) {
    if (before?.is === 'Unhealthy') return before;
    return { is: 'Unhealthy', since: before?.is === 'Returning' ? now - afterMs : now };
  }
  if (before?.is === 'Unhealthy')
    return { is: now - before.since >= afterMs ? 'Returning' : 'Healthy', since: now };
  const isBack = before?.is === 'Returning' && now - before.since >= returnAfterMs;
  return before === undefined || isBack ? { is: 'Healthy', since: now } : before;
}

/** Checks the targets of all groups in the rule when their health has changed, or may change what was decided by it. */
export function checkTargets({ observed, state, now }: GuardInput): Decision | undefined {
  const { backoff, targetsChanged } = state;
  const isRefused = backoff?.during === 'CheckHealth' && now < backoff.until;
  const dueAt = targetsChanged === true ? now : nextCheckAt(state);
  if (isRefused || observed.weighted.length === 0 || dueAt === undefined || now < dueAt) return undefined;
  return {
    do: 'CheckHealth',
    targetGroupARNs: observed.weighted.map(({ arn }) => arn),
    message: 'Checking the health of the targets in the rule.',
  };
}

/** When targets are checked next, in milliseconds since the epoch; undefined while all groups in the rule are healthy. */
function nextCheckAt({ targets, backoff }: RolloutState): number | undefined {
  if (targets === undefined || targets.groups.every(({ is }) => is === 'Healthy')) return undefined;
  const at = targets.at + CHECK_MS;
  return backoff?.during === 'CheckHealth' ? Math.max(at, backoff.until) : at;
}

/** Keeps a run awake as long as targets have to be checked, or groups are to be attached again. */
export function untilTargetsChecked(decision: Decision, { state, observed, now }: GuardInput): Decision {
  const until = (state.sittingOut ?? []).flatMap((one) => (one.until > now ? [one.until] : []));
  const at = [nextCheckAt(state) ?? [], until].flat().toSorted((a, b) => a - b)[0];
  if (at === undefined || observed.weighted.length === 0) return decision;
  if (decision.do !== 'Close') return noLaterThan(at, decision);
  return { do: 'Wait', for: 'Health', until: at, message: decision.message, settled: decision };
}

/** The groups of a side that may carry its weight: without those that are evacuated, unless none is left. */
export function carryingOf<Group extends TargetGroup>(
  groups: readonly Group[],
  { state: { targets, sittingOut = [] }, cell, now }: Pick<GuardInput, 'state' | 'cell' | 'now'>,
): readonly Group[] {
  const { isOn, afterMs } = evacuationOf(cell);
  const healthOf = ({ arn }: TargetGroup) => targets?.groups.find((one) => one.arn === arn);
  const isEvacuated = (group: Group): boolean => {
    const { is = 'Healthy', since = 0 } = healthOf(group) ?? {};
    return isOn && (is === 'Returning' || (is === 'Unhealthy' && now - since >= afterMs));
  };
  const sitsOut = ({ arn }: Group): boolean => sittingOut.some((one) => one.arn === arn && now < one.until);
  const kept = groups.filter((group) => !isEvacuated(group) && !sitsOut(group));
  const better = kept.length > 0 ? kept : groups.filter((group) => (healthOf(group)?.healthy ?? 0) > 0);
  return better.length > 0 ? better : groups;
}

/** Moves the weight of groups without a healthy target to others of their version, and back during a rollout. */
export function evacuate(input: GuardInput): Decision | undefined {
  const { observed, cell, state } = input;
  const { rollout, targets } = state;
  if (targets === undefined) return undefined;
  const sides =
    rollout === undefined ? [stableSet(observed, cell) ?? []].flat() : [rollout.stable, rollout.canary];
  for (const side of sides) {
    const shift = evacuation(side, rollout !== undefined, input);
    if (shift !== undefined) return guard(shift, input);
  }
  return undefined;
}

function evacuation(
  { version, groups }: VersionSet,
  mayReturn: boolean,
  input: GuardInput,
): Shift | undefined {
  const { weighted } = input.observed;
  const members = weighted.filter((group) => includes(groups, group));
  const total = weightOf(members, weighted);
  const carrying = carryingOf(members, input);
  const leaving = members.filter((group) => group.weight > 0 && !includes(carrying, group));
  const known = input.state.targets?.groups ?? [];
  const returning = carrying.filter(
    ({ arn, weight }) => weight === 0 && known.some((one) => one.arn === arn && one.is === 'Healthy'),
  );
  if (total === 0 || (leaving.length === 0 && !(mayReturn && returning.length > 0))) return undefined;
  const others = weighted.filter((group) => !includes(members, group));
  const idle = members
    .filter((group) => !includes(carrying, group))
    .map((group) => ({ ...group, weight: 0 }));
  const shares = [...split(total, carrying), ...idle, ...others].toSorted(byName);
  if (sameShares(shares, weighted)) return undefined;
  const message =
    leaving.length > 0
      ? `Moving the weight of ${namesOf(leaving)} to ${namesOf(carrying)}, because it has no healthy target.`
      : `Restoring the share of ${namesOf(returning)}, because its targets are healthy.`;
  return { do: 'Shift', purpose: 'Evacuating', version, shares, message };
}

/** How long a group stays out of the rule that had no healthy target in it, in milliseconds. */
const SITS_OUT_MS = 3_600_000;

/** Records that groups have left the rule without a healthy target. */
export const recordSittingOut = (
  { sittingOut = [], ...state }: RolloutState,
  arns: readonly string[],
  now: number,
): RolloutState => {
  const others = sittingOut.filter(({ arn, until }) => until > now && !arns.includes(arn));
  const all = [...others, ...arns.map((arn) => ({ arn, until: now + SITS_OUT_MS }))];
  return all.length === 0 ? state : { ...state, sittingOut: all };
};

/** When a group at weight 0 leaves the rule whose version serves by its neighbours; undefined when it is none of these. */
export function evacuatedUntil(
  group: WeightedTargetGroup,
  { observed: { selected, weighted }, cell, state }: GuardInput,
): number | undefined {
  const own = groupByVersion(selected).sets.find(({ groups }) => includes(groups, group));
  const health = state.targets?.groups.find(({ arn }) => arn === group.arn);
  const isServing = own?.groups.some((one) => weightOf([one], weighted) > 0) === true;
  if (!isServing || health === undefined || health.is === 'Healthy') return undefined;
  return health.is === 'Returning' ? Infinity : health.since + parseDuration(cell.spec.healthTimeout) * 1000;
}

/** Fails a rollout whose canary carries traffic without a healthy target, while the stable side has some. */
export function failedByHealth(rollout: Rollout, input: GuardInput): Decision | undefined {
  const { observed, cell, state, now } = input;
  const { afterMs } = evacuationOf(cell);
  const canary = healthOfSide(rollout.canary, input).filter(({ weight }) => weight > 0);
  const isDead = canary.every(({ health }) => health?.is === 'Unhealthy' && now - health.since >= afterMs);
  const hasRefuge = healthOfSide(rollout.stable, input).some(({ health }) => (health?.healthy ?? 0) > 0);
  if (canary.length === 0 || !isDead || !hasRefuge || state.requests.promoteFull !== undefined)
    return undefined;
  const names = canary.map(({ name, health }) => `${name} (${healthText(health)})`).join(', ');
  const message = `No target of ${rollout.canary.version} is healthy while it carries ${weightOf(rollout.canary.groups, observed.weighted)} % of the traffic: ${names}.`;
  return fail('CanaryUnhealthy', message, now);
}

/** Holds the end of a rollout while only its canary has healthy targets; a person's abort is carried out. */
export function holdForStable(decision: Decision, rollout: Rollout, input: GuardInput): Decision {
  if (decision.do !== 'End' || decision.ending.reason === 'Aborted') return decision;
  const stable = healthOfSide(rollout.stable, input);
  const isDead = stable.length > 0 && stable.every(({ health }) => health?.is === 'Unhealthy');
  const canServe = healthOfSide(rollout.canary, input).some(
    ({ weight, health }) => weight > 0 && (health?.healthy ?? 0) > 0,
  );
  if (!isDead || !canServe) return decision;
  const checking = checkTargets(input);
  if (checking !== undefined) return checking;
  const names = stable.map(({ name, health }) => `${name} (${healthText(health)})`).join(', ');
  const message = `Not reverting to ${rollout.stable.version}, which has no healthy target: ${names}. Continues when it has one; send promote or promoteFull to continue with ${rollout.canary.version}, or abort to revert all the same. Next: ${decision.message}`;
  return { do: 'Wait', for: 'Health', message };
}

const healthOfSide = ({ groups }: VersionSet, { observed, state }: GuardInput) =>
  observed.weighted
    .filter((group) => includes(groups, group))
    .map((group) => ({ ...group, health: state.targets?.groups.find(({ arn }) => arn === group.arn) }));

/** Says of the groups that carry traffic how many of their targets are healthy; undefined when nobody has looked. */
export function targetsText(
  weighted: readonly WeightedTargetGroup[],
  { targets }: RolloutState,
): { readonly isHealthy: boolean; readonly isServing: boolean; readonly message: string } | undefined {
  const seen = weighted.flatMap((group) => {
    const health = targets?.groups.find(({ arn }) => arn === group.arn);
    return health === undefined ? [] : [{ ...group, health }];
  });
  if (seen.length === 0) return undefined;
  const isSick = seen.filter(({ health }) => health.healthy === 0);
  const isServing = seen.some(({ weight, health }) => weight > 0 && health.healthy > 0);
  const message = seen
    .map(({ name, weight, health }) => `${name}: ${healthText(health)} at weight ${weight}`)
    .join(', ');
  return { isHealthy: isSick.length === 0, isServing, message: `${message}.` };
}

import { isBlocked, type Candidates } from '../../versions/candidate.ts';
import type { Decision, Shift, Close } from '../../model/decision.ts';
import { gate } from '../../gates/gate.ts';
import { guard, type GuardInput } from '../../gates/guard.ts';
import { carriersBeside, isGone, presentOf, UNKNOWN_VERSION } from '../../versions/stable.ts';
import { close, isPinLost, closeTooMany, closeWaiting } from './close.ts';
import { revertedShares, revertTo, removeGoneMeanwhile } from './revert.ts';
import { abortIsDue } from '../../model/requests.ts';
import { awaitBackoff } from './hold.ts';
import { isNewer, type VersionSet } from '../../versions/version.ts';
import {
  everythingTo,
  includes,
  MAX_TARGET_GROUPS,
  weightOf,
  withCarriers,
} from '../../load-balancers/weights.ts';
import type { Cell } from '../../../crds/cell.ts';
import { parseDuration } from '../../duration.ts';
import { servedUntil } from '../report/history.ts';
import { resumeAt, stepsOf } from '../../steps/plan.ts';

/** What the rules of a Cell go by that serves nothing. */
export interface FirstInput extends GuardInput {
  readonly found: Candidates;
}

/** Releases a configuration that someone deletes under a Cell that stays: what it has made continues serving. What goes back does not wait for that. */
export function release({ observed: { deletion }, state, now }: GuardInput): Decision | undefined {
  const goesBack = abortIsDue(state) || state.rollout?.ending !== undefined;
  if (deletion?.isUnderWay !== true || !deletion.isHeld || goesBack) return undefined;
  const message = 'Releasing the deleted configuration; what it created is adopted again.';
  return awaitBackoff(state, now) ?? { do: 'Release', message };
}

/** Reads how the run ended whose rollout the status has. */
export function readLostRun({ cell }: GuardInput): Decision | undefined {
  const left = cell.status.rollout;
  if (left === undefined) return undefined;
  const message = `Reading how run ${left.runId} ended, and continuing its rollout from the status.`;
  return { do: 'ReadLostRun', runId: left.runId, message };
}

/** A spec that is not valid does not say what should serve: what serves stays. */
export const keepWithoutSpec = ({ cell: { problems } }: GuardInput): Decision | undefined =>
  problems.length === 0 ? undefined : close('Failed', 'InvalidSpec', problems.join(' '));

/** Whether something would be written as if nothing were served, or was served when the status was written. */
export const mayServe = ({ observed, cell, found }: FirstInput): boolean =>
  found.target !== undefined || !observed.isApplied || (cell.status.targetGroups ?? []).length > 0;

export function fallBack(input: GuardInput, found: Candidates, stable: VersionSet): Decision | undefined {
  const { observed, cell } = input;
  if (stable.groups.some((group) => includes(observed.selected, group))) return undefined;
  const { sets, target } = found;
  // What was there before Okra may serve well: a version that comes takes its steps.
  if (stable.version === UNKNOWN_VERSION) return undefined;
  const isFree = ({ version, groups }: VersionSet): boolean =>
    !isBlocked(version, cell) && (!isPinLost(found, cell) || groups.length >= cell.spec.replicas);
  // A newer one rolls out by its steps, from what there is to go back to.
  const isOlder = ({ version }: VersionSet): boolean => !isNewer(version, stable.version);
  // What was adopted with weights on two versions continues with what it carries.
  const goesOn = target !== undefined && !isOlder(target) && weightOf(target.groups, observed.weighted) > 0;
  if (goesOn) return undefined;
  const free = sets.filter((set) => isFree(set) && isOlder(set));
  const fitting = free.filter(({ groups }) => groups.length <= MAX_TARGET_GROUPS);
  const isComplete = ({ groups }: VersionSet): boolean => groups.length >= cell.spec.replicas;
  const least = fitting.find(isComplete) ?? fitting[0] ?? (target === undefined ? free[0] : undefined);
  const older = target !== undefined && isOlder(target) ? target : least;
  if (older === undefined) return undefined;
  if (older.groups.length > MAX_TARGET_GROUPS)
    return closeTooMany(older.groups, `Version ${older.version} has`);
  return {
    do: 'Shift',
    purpose: 'FallingBack',
    version: older.version,
    shares: everythingTo(older.groups, []),
    message: `Falling back to ${older.version}, because the target groups of ${stable.version} are gone.`,
  };
}

/** Leaves no weight where it does not belong: adopted on two versions, it continues to the one that should serve, or goes back. */
export function resolveSplit(input: GuardInput, found: Candidates, stable: VersionSet): Decision | undefined {
  const { observed, cell } = input;
  const [other] = carriersBeside(stable, observed, cell);
  if (other === undefined) return undefined;
  const { target } = found;
  const isOnItsWay =
    target !== undefined &&
    target.version !== stable.version &&
    // A lower one is on its way where spec.version asks for it, and it takes the steps (rollbackWindow).
    (cell.spec.version !== undefined || isNewer(target.version, stable.version)) &&
    weightOf(target.groups, observed.weighted) > 0;
  if (isOnItsWay) return undefined;
  const takesOver = target?.version === stable.version || isGone(stable, observed);
  if (target !== undefined && takesOver && isNewer(target.version, other.version))
    return begin({ stable: other, canary: target }, input);
  // The stable side gets everything that something else carries.
  const present = presentOf(stable, observed.selected);
  const groups = present.length > 0 ? present : stable.groups;
  return revertTo(stable.version, revertedShares(groups, other.groups, input));
}

export function changeVersion(
  input: GuardInput,
  found: Candidates,
  stable: VersionSet,
): Decision | undefined {
  const { cell, now } = input;
  const { target } = found;
  if (target === undefined || target.version === stable.version) return undefined;
  const upward = isNewer(target.version, stable.version);
  if (!upward && cell.spec.version === undefined) return undefined;
  if (upward || isOutsideRollbackWindow(target.version, cell, now))
    return begin({ stable, canary: target }, input);
  const tooBig = withoutRoom({ stable, canary: target }, input);
  if (tooBig !== undefined) return tooBig;
  const back = guard(
    {
      do: 'Shift',
      purpose: 'RollingBack',
      version: target.version,
      shares: revertedShares(target.groups, stable.groups, input),
      message: `Rolling back to ${target.version}, because spec.version asks for it.`,
    },
    input,
  );
  return back.do === 'Wait' ? removeGoneMeanwhile(back, stable, input) : back;
}

/** Gives everything to the version that should serve where nothing is served yet. */
export function install(input: FirstInput): Decision {
  const { found } = input;
  const { target } = found;
  if (target === undefined) return closeWaiting(found, undefined);
  const { version, groups } = target;
  if (groups.length > MAX_TARGET_GROUPS) return closeTooMany(groups, `Version ${version} has`);
  const shift: Shift = {
    do: 'Shift',
    purpose: 'Installing',
    version,
    shares: everythingTo(groups, []),
    message: `Installing ${version} with all traffic, because nothing is served yet.`,
  };
  return gate(guard(shift, input), input);
}

/** What of a Cell says for how long a version may be swapped in again. */
interface RollingBack {
  readonly spec: Pick<Cell['spec'], 'updateStrategy'>;
  readonly status: Pick<NonNullable<Cell['status']>, 'history'>;
}

/** Whether a lower version was replaced so long ago, in milliseconds since the epoch, that it takes the steps like a new one. */
export function isOutsideRollbackWindow(
  version: string,
  { spec, status }: RollingBack,
  now: number,
): boolean {
  const window = spec.updateStrategy?.rollbackWindow;
  if (window === undefined) return false;
  const until = servedUntil(version, status.history);
  return until === undefined || now - until > parseDuration(window.duration) * 1000;
}

interface Sides {
  readonly stable: VersionSet;
  readonly canary: VersionSet;
}

/** Begins a rollout. One that has traffic already is not held before it is known, so that it can be aborted. */
function begin({ stable, canary }: Sides, input: GuardInput): Decision {
  const { observed, cell } = input;
  const tooBig = withoutRoom({ stable, canary }, input);
  if (tooBig !== undefined) return tooBig;
  const weight = weightOf(canary.groups, observed.weighted);
  const isUnderWay = weight > 0;
  const decision: Decision = {
    do: 'Begin',
    stable,
    canary,
    index: resumeAt(stepsOf(cell.spec), weight),
    message: isUnderWay
      ? `Continuing the rollout of ${canary.version} in place of ${stable.version} at weight ${weight}.`
      : `Rolling out ${canary.version} in place of ${stable.version}.`,
  };
  return isUnderWay ? decision : gate(decision, input);
}

/** Says that a rule has no room for two versions, with what else serves; undefined where it has. */
function withoutRoom({ stable, canary }: Sides, { observed }: GuardInput): Close | undefined {
  const joining = canary.groups.filter((group) => !includes(stable.groups, group));
  const both = [...stable.groups, ...joining];
  const together = withCarriers(both, observed.weighted);
  if (together.length <= MAX_TARGET_GROUPS) return undefined;
  const others = together.length > both.length ? ' with what else serves' : '';
  return closeTooMany(together, `Versions ${stable.version} and ${canary.version} have together${others}`);
}

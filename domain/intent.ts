import { adopt } from './adoption.ts';
import { candidates, isBlocked, type Candidates, type PresentCell } from './candidate.ts';
import type { Decision } from './decision.ts';
import { parseDuration } from './duration.ts';
import { gate } from './gate.ts';
import { guard, type GuardInput } from './guard.ts';
import { servedUntil } from './history.ts';
import type { ObservedCell, TargetGroup } from './observation.ts';
import { reconfigure } from './reconfigure.ts';
import { stableSet, UNKNOWN_VERSION } from './stable.ts';
import { resumeAt } from './steps.ts';
import { stepsOf } from './strategy.ts';
import { isNewer, type VersionSet } from './version.ts';
import { everythingTo, includes, MAX_TARGET_GROUPS, weightOf } from './weights.ts';

/** Decides what a Cell without a rollout under way needs: a rollout, one write, or nothing. */
export function intend(input: GuardInput): Decision {
  const { observed, cell, state } = input;
  if (cell.problems.length > 0) return close('Failed', 'InvalidSpec', cell.problems.join(' '));
  const found = candidates(cell, observed, state.requests.retry !== undefined);
  const stable = stableSet(observed, cell);
  if (stable === undefined)
    return (mayServe(cell, found) ? adopt(input) : undefined) ?? gate(install(found), input);
  return (
    fallBack(observed, cell, found, stable) ??
    move(input, found, stable) ??
    rebalance(input, found, stable) ??
    reconfigured(input, stable) ??
    settle(found, stable)
  );
}

/** Whether something would be written as if nothing were served, or was served when the status was written. */
const mayServe = (cell: PresentCell, found: Candidates): boolean =>
  found.target !== undefined || (cell.status.targetGroups ?? []).length > 0;

function install(found: Candidates): Decision {
  const { target } = found;
  if (target === undefined) return waiting(found, undefined);
  if (target.groups.length > MAX_TARGET_GROUPS)
    return tooMany(target.groups, `Version ${target.version} has`);
  return {
    do: 'Shift',
    purpose: 'Install',
    version: target.version,
    shares: everythingTo(target.groups, []),
    urgent: false,
    message: `Installing ${target.version} with the whole weight, because nothing is served yet.`,
  };
}

function fallBack(
  observed: ObservedCell,
  cell: PresentCell,
  found: Candidates,
  stable: VersionSet,
): Decision | undefined {
  if (stable.groups.some((group) => includes(observed.selected, group))) return undefined;
  if (cell.spec.version !== undefined && found.target === undefined) return undefined;
  const older = found.target ?? found.sets.find((set) => !isBlocked(set.version, cell));
  if (older === undefined || (stable.version !== UNKNOWN_VERSION && isNewer(older.version, stable.version)))
    return undefined;
  if (older.groups.length > MAX_TARGET_GROUPS) return tooMany(older.groups, `Version ${older.version} has`);
  return {
    do: 'Shift',
    purpose: 'FallBack',
    version: older.version,
    shares: everythingTo(older.groups, []),
    urgent: true,
    message: `Falling back to ${older.version}, because the target groups of ${stable.version} are gone.`,
  };
}

function move(input: GuardInput, found: Candidates, stable: VersionSet): Decision | undefined {
  const { observed, cell } = input;
  const { target } = found;
  if (target === undefined || target.version === stable.version) return undefined;
  const together = [...stable.groups, ...target.groups];
  const upward = isNewer(target.version, stable.version);
  if (!upward && cell.spec.version === undefined) return undefined;
  if (together.length > MAX_TARGET_GROUPS) {
    return tooMany(together, `Versions ${stable.version} and ${target.version} have together`);
  }
  if (upward || isOutsideRollbackWindow(target.version, input)) {
    const weight = weightOf(target.groups, observed.served);
    const decision: Decision = {
      do: 'Begin',
      stable,
      canary: target,
      index: resumeAt(stepsOf(cell.spec), weight),
      message: `Rolling out ${target.version} in place of ${stable.version}.`,
    };
    return gate(decision, input);
  }
  return guard(
    {
      do: 'Shift',
      purpose: 'RollBack',
      version: target.version,
      shares: everythingTo(target.groups, stable.groups),
      urgent: true,
      message: `Rolling back to ${target.version}, because spec.version asks for it.`,
    },
    input,
  );
}

/** Whether a lower version was replaced so long ago that it takes the steps like a new one. */
function isOutsideRollbackWindow(version: string, { cell, now }: GuardInput): boolean {
  const window = cell.spec.updateStrategy?.rollbackWindow;
  if (window === undefined) return false;
  const until = servedUntil(version, cell.status.history);
  return until === undefined || now - until > parseDuration(window.duration) * 1000;
}

function rebalance(input: GuardInput, found: Candidates, stable: VersionSet): Decision | undefined {
  const set = found.sets.find((one) => one.version === stable.version);
  if (set === undefined || sameGroups(set.groups, stable.groups)) return undefined;
  const together = [...stable.groups, ...set.groups.filter((group) => !includes(stable.groups, group))];
  if (together.length > MAX_TARGET_GROUPS) return tooMany(together, `Version ${set.version} has`);
  const shift: Decision = {
    do: 'Shift',
    purpose: 'Rebalance',
    version: set.version,
    shares: everythingTo(set.groups, []),
    urgent: false,
    message: `Spreading the weight of ${set.version} over its ${set.groups.length} target groups.`,
  };
  const gated = gate(shift, input);
  return gated === shift ? guard(shift, input) : gated;
}

function reconfigured(input: GuardInput, stable: VersionSet): Decision | undefined {
  const shift = reconfigure(input.observed, input.cell, stable.version);
  return shift === undefined ? undefined : gate(shift, input);
}

function settle(found: Candidates, stable: VersionSet): Decision {
  if (found.blocked !== undefined && isNewer(found.blocked.version, stable.version)) {
    const { version, cause, pinned } = found.blocked;
    const again = pinned === true ? 'remove spec.version and set it again' : `set spec.version to ${version}`;
    return close(
      'Reverted',
      'VersionBlocked',
      `${stable.version} serves. ${version} is blocked: ${cause} Send retry, or ${again}, to try it again.`,
    );
  }
  if (found.missing !== undefined) return waiting(found, stable);
  return close('Completed', 'Serving', `${stable.version} serves with the whole weight.`);
}

function waiting(found: Candidates, stable: VersionSet | undefined): Decision {
  const { missing } = found;
  const serves = stable === undefined ? 'Nothing is served yet.' : `${stable.version} serves.`;
  if (missing === undefined) {
    const message = `${serves} Expected AWSTargetGroups that match the selector and have a version, got none.`;
    return close('Waiting', 'NoTargetGroups', message);
  }
  return {
    do: 'Close',
    outcome: 'Waiting',
    reason: 'NotEnoughTargetGroups',
    message: `${serves} Waiting: ${missing.found} of ${missing.wanted} target groups at ${missing.version}.`,
    missing,
  };
}

function tooMany(groups: readonly TargetGroup[], whose: string): Decision {
  const message = `${whose} ${groups.length} target groups; expected at most ${MAX_TARGET_GROUPS}, which is what a listener rule can forward to. Remove some AWSTargetGroups, or lower spec.replicas and provision fewer.`;
  return close('Failed', 'TooManyTargetGroups', message);
}

const close = (
  outcome: 'Completed' | 'Waiting' | 'Reverted' | 'Failed',
  reason: string,
  message: string,
): Decision => ({
  do: 'Close',
  outcome,
  reason,
  message,
});

const sameGroups = (a: readonly TargetGroup[], b: readonly TargetGroup[]): boolean =>
  a.length === b.length && a.every((one) => includes(b, one));

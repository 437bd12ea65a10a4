import type { Candidates } from '../../versions/candidate.ts';
import { type Close, type Decision, type Wait, noLaterThan } from '../../model/decision.ts';
import { gate } from '../../gates/gate.ts';
import type { GuardInput } from '../../gates/guard.ts';
import { rebalance } from './rebalance.ts';
import { isUnsure, reconfigure } from './reconfigure.ts';
import { leaveGone, leaveIdle } from './rest.ts';
import { carriersBeside } from '../../versions/stable.ts';
import type { VersionSet } from '../../versions/version.ts';
import { includes, MAX_TARGET_GROUPS } from '../../load-balancers/weights.ts';

/** What would change the version that serves, and what it is about. */
interface Moving {
  readonly found: Candidates;
  readonly stable: VersionSet;
  /** What it comes to now, as it is held or does not fit. */
  readonly held: Decision | undefined;
}

/** Whether what changes the version is done now, or has been begun and waits for healthy targets. */
export const isUnderWay = (moving: Decision | undefined): boolean =>
  moving !== undefined && moving.do !== 'Close' && (moving.do !== 'Wait' || moving.for === 'Health');

/** What the version that serves needs, apart from another version. */
export const keeping = (
  input: GuardInput,
  sets: readonly VersionSet[],
  stable: VersionSet,
): Decision | undefined => rebalance(input, sets, stable) ?? reconfigured(input, stable);

/**
 * What the version that serves gets while another one is held, or does not fit: that may last for weeks. What waits itself
 * says nothing new; but targets that join are looked at again as often as without the other version.
 */
export function upkeep(input: GuardInput, { found, stable, held }: Moving): Decision | undefined {
  if (held?.do !== 'Wait' && held?.do !== 'Close') return undefined;
  // What carries traffic beside it is on its way, and loses nothing to it; an edit of the rule keeps all weights.
  if (carriersBeside(stable, input.observed, input.cell).length > 0) {
    const edited = reconfigured(input, stable);
    return edited?.do === 'Shift' ? edited : undefined;
  }
  const next = keeping(input, held.do === 'Close' ? found.sets : leavingRoom(found, stable), stable);
  if (next?.do === 'Shift') return next;
  const idle = withoutIdle(input, stable, { held, next });
  if (idle !== undefined) return idle;
  if (next?.do !== 'Wait' || next.for !== 'Health') return undefined;
  return held.do === 'Close' ? { ...next, settled: held } : noLaterThan(next.until, held);
}

/** Takes groups at weight 0 out as at rest, which moves no traffic; where targets are waited for, only those that are gone. */
function withoutIdle(
  input: GuardInput,
  { version }: VersionSet,
  { held, next }: { readonly held: Wait | Close; readonly next: Decision | undefined },
): Decision | undefined {
  // What nobody knows for sure is put right first.
  if (isUnsure(input.observed, input.state)) return undefined;
  const out = next?.do === 'Wait' ? undefined : leaveIdle(held, input, version);
  return out ?? leaveGone(held, input, version);
}

/** The sets without what would join the one that serves, where that would leave no room for the one that is held. */
function leavingRoom({ sets, target }: Candidates, stable: VersionSet): readonly VersionSet[] {
  return sets.flatMap((set) => {
    const others = (target?.groups ?? []).filter((group) => !includes(set.groups, group));
    if (set.version !== stable.version || set.groups.length + others.length <= MAX_TARGET_GROUPS)
      return [set];
    const groups = set.groups.filter((group) => includes(stable.groups, group));
    return groups.length === 0 ? [] : [{ ...set, groups }];
  });
}

function reconfigured(input: GuardInput, stable: VersionSet): Decision | undefined {
  const shift = reconfigure(input.observed, input.cell, stable.version);
  return shift === undefined ? undefined : gate(shift, input);
}

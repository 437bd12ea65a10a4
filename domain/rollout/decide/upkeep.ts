import type { Decision } from '../../model/decision.ts';
import { gate } from '../../gates/gate.ts';
import type { GuardInput } from '../../gates/guard.ts';
import { rebalance } from './rebalance.ts';
import { isUnsure, reconfigure } from './reconfigure.ts';
import { leaveIdle } from './rest.ts';
import { takeOutMeanwhile } from './take-back.ts';
import { carriersBeside } from '../../versions/stable.ts';
import type { VersionSet } from '../../versions/version.ts';

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
 * Decides what is done while another version is held, or does not fit: what is gone leaves, as do idle groups, and an edit of
 * the rule keeps all weights. Target groups that join wait as well.
 */
export function upkeep(
  input: GuardInput,
  stable: VersionSet,
  held: Decision | undefined,
): Decision | undefined {
  if (held?.do !== 'Wait' && held?.do !== 'Close') return undefined;
  const { observed, cell, state } = input;
  // What carries traffic beside it is on its way, and loses nothing to it.
  const isAlone = carriersBeside(stable, observed, cell).length === 0;
  const out = isAlone ? takeOutMeanwhile(held, stable, input) : held;
  if (out !== held) return out;
  const edited = reconfigured(input, stable);
  if (edited?.do === 'Shift') return edited;
  // What nobody knows for sure is put right first.
  return isAlone && !isUnsure(observed, state) ? leaveIdle(held, input, stable.version) : undefined;
}

function reconfigured(input: GuardInput, stable: VersionSet): Decision | undefined {
  const shift = reconfigure(input.observed, input.cell, stable.version);
  return shift === undefined ? undefined : gate(shift, input);
}

import type { CellStatus } from '../../crds/cell.ts';
import { weightsText } from '../load-balancers/load-balancer.ts';
import type { Decision, Shift } from '../model/decision.ts';
import { shiftPurposes } from '../model/shift-purpose.ts';
import type { RolloutState } from '../model/state.ts';
import { parseTime } from '../time.ts';
import type { PresentCell } from '../versions/candidate.ts';

/** A change of weights that no step of a rollout made, as the status reports it. */
type UnplannedShift = NonNullable<CellStatus['unplannedShifts']>[number];

const KEPT_SHIFTS = 8;

/** This many shifts that undo others hold the Cell. */
const REVERSALS = 3;

/** Shifts that are further apart have nothing to do with each other, in milliseconds. */
const APART_MS = 10 * 60_000;

/** How long nothing moves after so many reversals, in milliseconds; it doubles with each further one. */
const QUIET_MS = { first: 60_000, longest: 8 * 60_000 } as const;

/** Whether a shift answers a change by someone else: it keeps what was found at the load balancer, or restores what served. */
const followsOthers = (purpose: string): boolean => purpose === 'Adopting' || purpose === 'Restoring';

/** Records a shift, if no step of a rollout and no failure made it; `corrects` says that someone else had changed the weights. */
export function recordUnplanned(
  state: RolloutState,
  { purpose, shares }: Pick<Shift, 'purpose' | 'shares'>,
  at: { readonly cell: PresentCell; readonly now: number; readonly corrects: boolean },
): RolloutState {
  const isWithdrawn = purpose === 'Reverting' && state.rollout?.ending?.kind === 'Withdrawn';
  const isAdopted = state.inspected?.is === 'Serving' && followsOthers(purpose);
  if (!at.corrects && !isWithdrawn && !isAdopted && shiftPurposes[purpose].damping !== 'Counted')
    return state;
  const shift = {
    time: new Date(at.now).toISOString(),
    purpose,
    weights: weightsText(shares.filter(({ weight }) => weight > 0)),
  };
  return { ...state, unplannedShifts: [shift, ...shiftsIn(state, at.cell)].slice(0, KEPT_SHIFTS) };
}

/** Holds what moves traffic after shifts that undo each other; only what takes a rollout back, or a person asks for, passes. */
export function damp(
  decision: Decision,
  { cell, state, now }: { readonly cell: PresentCell; readonly state: RolloutState; readonly now: number },
): Decision {
  if (!isDamped(decision)) return decision;
  const recent = recentShifts(shiftsIn(state, cell), now);
  const [last] = recent;
  const count = recent.filter((one, i) => isReversal(one, recent.slice(i + 1))).length;
  if (last === undefined || count < REVERSALS) return decision;
  const quietMs = Math.min(QUIET_MS.longest, QUIET_MS.first * 2 ** (count - REVERSALS));
  const until = Date.parse(last.time) + quietMs;
  if (now >= until) return decision;
  const isContended = followsOthers(last.purpose);
  const again = `${count} changes of weights undid one another; the last led to ${last.weights}.`;
  const look = isContended
    ? 'Something else changes them: look for another installation of Okra with the same id, and for other controllers of the listener.'
    : 'Look for what edits the labels of AWSTargetGroups, or spec.version.';
  return {
    do: 'Wait',
    for: 'Backoff',
    until,
    reason: isContended ? 'Contended' : 'Flapping',
    message: `${again} ${look} No weight changes until ${new Date(until).toISOString()}.`,
    ...(decision.do === 'Shift' && decision.settled !== undefined ? { settled: decision.settled } : {}),
  };
}

const shiftsIn = (
  { unplannedShifts }: Pick<RolloutState, 'unplannedShifts'>,
  { status }: PresentCell,
): readonly UnplannedShift[] => unplannedShifts ?? status.unplannedShifts ?? [];

function isDamped(decision: Decision): boolean {
  if (decision.do === 'Begin') return true;
  return (
    decision.do === 'Shift' && decision.force !== true && shiftPurposes[decision.purpose].damping !== 'None'
  );
}

/** The newest shifts, as long as each is soon after the one before. A time that is none, or is yet to come, ends them. */
function recentShifts(shifts: readonly UnplannedShift[], now: number): readonly UnplannedShift[] {
  const times = [now, ...shifts.map(({ time }) => parseTime(time) ?? Number.NaN)];
  const gap = shifts.findIndex((_, i) => !(Math.abs((times[i] ?? 0) - (times[i + 1] ?? 0)) <= APART_MS));
  return gap === -1 ? shifts : shifts.slice(0, gap);
}

/** Whether a shift leads back to the weights of one of the two before it. */
const isReversal = ({ weights }: UnplannedShift, older: readonly UnplannedShift[]): boolean =>
  older.slice(0, 2).some((one) => one.weights === weights);

import type { Decision, Wait } from '../model/decision.ts';
import { isUrgent, type ShiftPurpose } from '../model/shift-purpose.ts';
import { holdOfFreeze, type ClosedGate } from './freeze.ts';
import type { ObservedCell } from '../model/observation.ts';
import { includes } from '../load-balancers/weights.ts';
import type { GuardInput } from './guard.ts';
import { holdOfWindows } from './windows.ts';
import type { CellStatus } from '../../crds/cell.ts';

/** The clusters of a Cell with applications that are not ready, by name; nothing goes forward meanwhile, not even traffic that moves already. */
export const unreadyClusters = (cell: { readonly status?: Pick<CellStatus, 'clusters'> | undefined }) =>
  (cell.status?.clusters ?? []).filter(({ ready }) => !ready).map(({ name }) => name);

/** Lets a decision pass, or says what it waits for; only a Freeze holds what is not of a rollout. */
export function gate(decision: Decision, { observed, cell, now }: Omit<GuardInput, 'state'>): Decision {
  if (!goesForward(decision)) return decision;
  const isFreed = decision.do === 'Shift' && takesOut(decision, observed);
  const isOfRollout = decision.do !== 'Shift' || ofRollouts.has(decision.purpose);
  const { freezes, waitsFor, behind } = observed;
  const hold =
    closed('Freeze', isFreed ? undefined : holdOfFreeze(freezes, now)) ??
    (isOfRollout
      ? (closed('Clusters', waitsFor && holdOfClusters(waitsFor)) ??
        closed('Application', behind && holdOfApplication(behind)) ??
        closed('Window', holdOfWindows(cell.spec.windows, now)))
      : undefined);
  return hold === undefined ? decision : { ...hold, message: `${hold.message} Next: ${decision.message}` };
}

const closed = (what: Wait['for'], hold: ClosedGate | undefined): Wait | undefined =>
  hold && { do: 'Wait', for: what, ...hold };

/** Whether a decision changes what serves, or measures what was changed; what takes traffic back does not go forward. */
export function goesForward(decision: Decision): boolean {
  switch (decision.do) {
    case 'Shift':
      return !isUrgent(decision) && !movesNothing.has(decision.purpose);
    case 'StartMeasurement':
      // What bakes has everything already; it is not left unwatched.
      return decision.background !== 'bake';
    case 'Begin':
      return true;
    default:
      return false;
  }
}

/** Whether a shift only spreads the weight of groups that are gone. */
function takesOut(shift: Extract<Decision, { do: 'Shift' }>, { weighted }: ObservedCell): boolean {
  // What waits at weight 0 beside them neither joins nor leaves.
  const before = weighted.filter(({ weight }) => weight > 0);
  const after = shift.shares.filter(({ weight }) => weight > 0);
  return (
    shift.purpose === 'Rebalancing' &&
    after.every((one) => includes(before, one)) &&
    after.length < before.length
  );
}

const holdOfClusters = ({ clusters, cell }: NonNullable<ObservedCell['waitsFor']>): ClosedGate => ({
  message: `Waiting for ${clusters.join(', ')} of Cell ${cell} to be ready.`,
});

function holdOfApplication({ application, cell, reason }: NonNullable<ObservedCell['behind']>): ClosedGate {
  const one = `application ${application} of Cell ${cell}`;
  const what = reason === undefined ? `for ${one} to be in place` : `until ${one} can continue (${reason})`;
  return { message: `Waiting ${what}.` };
}

/** What gives no version more than it serves: it confirms what is served, or takes out what is gone or idle. */
const movesNothing: ReadonlySet<ShiftPurpose> = new Set([
  'Restoring',
  'DetachingTargetGroups',
  'RemovingTargetGroups',
  'Evacuating',
]);

const ofRollouts: ReadonlySet<ShiftPurpose> = new Set(['AttachingTargetGroups', 'ShiftingTraffic']);

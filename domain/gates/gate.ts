import type { PresentCell } from '../versions/candidate.ts';
import type { Decision } from '../model/decision.ts';
import { isUrgent, type ShiftPurpose } from '../model/shift-purpose.ts';
import { holdOfFreeze } from './freeze.ts';
import type { ObservedCell } from '../model/observation.ts';
import { includes } from '../load-balancers/weights.ts';
import { holdOfWindows } from './windows.ts';
import type { CellStatus } from '../../crds/cell.ts';

/** The clusters of a Cell with applications that are not ready, by name; nothing goes forward meanwhile, not even traffic that moves already. */
export const unreadyClusters = ({
  status,
}: {
  readonly status?: Pick<CellStatus, 'clusters'> | undefined;
}): readonly string[] => (status?.clusters ?? []).filter(({ ready }) => !ready).map(({ name }) => name);

type Wait = Extract<Decision, { do: 'Wait' }>;

/** What a gate looks at. */
export interface GateInput {
  readonly observed: ObservedCell;
  readonly cell: PresentCell;
  readonly now: number;
}

/**
 * Lets a decision pass unless it goes forward while a Freeze holds, a cluster is not ready, an earlier application is not in
 * place or no window is open; then it says what is waited for.
 */
export function gate(decision: Decision, input: GateInput): Decision {
  if (goesForward(decision))
    return (
      frozen(decision, input) ??
      unready(decision, input) ??
      heldByApplication(decision, input) ??
      shut(decision, input) ??
      decision
    );
  return decision;
}

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

function frozen(decision: Decision, { observed, now }: GateInput): Wait | undefined {
  const hold = holdOfFreeze(observed.freezes, now);
  if (hold === undefined || (decision.do === 'Shift' && takesOut(decision, observed))) return undefined;
  return { do: 'Wait', for: 'Freeze', ...hold, message: `${hold.message} Next: ${decision.message}` };
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

/** Holds the traffic of an application as long as a cluster of its Cell is not ready. */
function unready(decision: Decision, { observed }: GateInput): Wait | undefined {
  const { waitsFor } = observed;
  if (waitsFor === undefined || !isOfRollout(decision)) return undefined;
  const message = `Waiting for ${waitsFor.clusters.join(', ')} of Cell ${waitsFor.cell} to be ready. Next: ${decision.message}`;
  return { do: 'Wait', for: 'Clusters', message };
}

/** Holds the traffic of an application as long as an earlier one is not in place, or it cannot go on itself. */
function heldByApplication(decision: Decision, { observed: { behind } }: GateInput): Wait | undefined {
  if (behind === undefined || !isOfRollout(decision)) return undefined;
  const { application, reason } = behind;
  const one = `application ${application} of Cell ${behind.cell}`;
  const what = reason === undefined ? `for ${one} to be in place` : `until ${one} can continue (${reason})`;
  const message = `Waiting ${what}. Next: ${decision.message}`;
  return { do: 'Wait', for: 'Application', message };
}

function shut(decision: Decision, { cell, now }: GateInput): Wait | undefined {
  if (!isOfRollout(decision)) return undefined;
  const hold = holdOfWindows(cell.spec.windows, now);
  return hold && { do: 'Wait', for: 'Window', ...hold, message: `${hold.message} Next: ${decision.message}` };
}

/** What gives no version more than it serves: it confirms what is served, or takes out what is gone or idle. */
const movesNothing: ReadonlySet<ShiftPurpose> = new Set([
  'Restoring',
  'DetachingTargetGroups',
  'RemovingTargetGroups',
  'Evacuating',
]);

/** Windows, clusters and other applications hold rollouts only: an install, groups that come and go, and edits of the rule do not wait for them. */
const isOfRollout = (decision: Decision): boolean =>
  decision.do !== 'Shift' || ofRollouts.has(decision.purpose);

const ofRollouts: ReadonlySet<ShiftPurpose> = new Set(['AttachingTargetGroups', 'ShiftingTraffic']);

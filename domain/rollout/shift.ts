import { given } from '../model/fields.ts';
import { withConnections } from '../load-balancers/connections.ts';
import {
  sameRuleOrListener,
  servedRoute,
  withTargetGroups,
  type DeletionPolicy,
  type Forwarding,
  type ObservedForwarding,
  type Route,
} from '../load-balancers/load-balancer.ts';
import type { Requirements, Shift } from '../model/decision.ts';
import type { ObjectRef } from '../model/ids.ts';
import type { ListVersions, ObservedCell } from '../model/observation.ts';
import type { Connections, RolloutState } from '../model/state.ts';
import type { PresentCell } from '../versions/candidate.ts';
import { stableSet } from '../versions/stable.ts';
import { doneUnchanged, type CarriedOut } from './record/performed.ts';
import { recordLack, recordUnrecorded } from './record/backoff.ts';
import { type CellReport, type ReportOutcome, forcedEvent } from './report/events.ts';
import { addEvent, recordShift } from './record/record.ts';
import { isUrgent } from '../model/shift-purpose.ts';

/** The one write a rollout makes to the load balancer: what it is to serve, in a Cell-owned configuration object. */
export interface ShiftRequest {
  readonly cell: ObjectRef;
  readonly forwarding: Forwarding;
  readonly deletionPolicy: DeletionPolicy;
  /** Whether what Okra did not set up may be taken over. */
  readonly adopt: boolean;
  /** One more than the sequence of the last write; a write with an older one is refused as `Superseded`. */
  readonly sequence: number;
  readonly urgent: boolean;
  /** Whether it takes traffic back, or only confirms or leaves out what is served; it needs no permission for what is served already. */
  readonly takesBack?: boolean;
  /** Whether the load balancer is read before it is compared, because nobody knows for sure what it serves. */
  readonly verify: boolean;
  /** Whether all traffic may go to groups without a healthy target, because a person asks for that. */
  readonly force?: true;
  /** What takes traffic back replaces, for when the configuration object cannot be read. */
  readonly served?: ObservedForwarding;
  /** What has to be true of target groups just before the write. */
  readonly requires?: Requirements;
  readonly minHealthyTargets: number;
  /** The versions of the lists that it was decided by; it goes by none that are older. */
  readonly listVersions?: ListVersions;
  /** What is told before traffic moves; undefined: all is told already, or at the same time by someone else. */
  readonly report?: CellReport;
}

/** The result of a write of weights, and of the report that went along with it. */
export type ShiftResult = WriteResult & { readonly told?: ReportOutcome };

type WriteResult =
  /** ELBv2 was read back and serves it; `observed` is undefined when the objects could not be read afterwards. */
  | {
      readonly is: 'Served';
      readonly observed?: ObservedCell;
      readonly connections?: readonly Connections[];
      /** Why all traffic went to groups without a healthy target, where a person has asked for that. */
      readonly warning?: string;
      /** Whether something else had changed what the objects say that ELBv2 serves. */
      readonly corrects?: true;
      /** Why the configuration object does not say so yet. */
      readonly unrecorded?: { readonly reason: string; readonly message: string };
    }
  | { readonly is: 'Lacking'; readonly targetGroupARNs: readonly string[]; readonly lack: string };

interface ShiftSituation {
  readonly observed: ObservedCell;
  readonly cell: PresentCell;
  readonly state: RolloutState;
  readonly route: Route;
}

/** The sequence of the next write: later than any that was seen or tried. */
export const nextSequence = ({ sequence }: ObservedCell, state: RolloutState): number =>
  Math.max(sequence, state.sequence ?? 0) + 1;

/** Says what has to be written so that a load balancer serves what was decided. */
export function shiftRequest(
  { shares, verify = false, purpose, requires, force }: Shift,
  { observed, cell, state, route }: ShiftSituation,
): ShiftRequest {
  const urgent = isUrgent({ purpose });
  const own = keptRoute(purpose, { observed, cell, state, route });
  const policy = own === undefined ? cell.spec.deletionPolicy : observed.deletion?.policy;
  return {
    cell: { key: observed.key, uid: cell.uid },
    forwarding: withTargetGroups(own === undefined ? route : servedRoute(own), shares),
    deletionPolicy: policy ?? 'Retain',
    adopt: cell.adopt === true,
    sequence: nextSequence(observed, state),
    urgent,
    ...(urgent || keepsWeights.has(purpose) ? { takesBack: true } : {}),
    verify,
    ...given({ force, requires, served: urgent ? observed.observedForwarding : undefined }),
    minHealthyTargets: cell.spec.minHealthyTargets,
    ...given({ listVersions: observed.listVersions }),
  };
}

const keepsWeights: ReadonlySet<Shift['purpose']> = new Set([
  'Restoring',
  'DetachingTargetGroups',
  'RemovingTargetGroups',
]);

/** The rule as it is served, where only weights may change; undefined when another object owns it by now and the spec names another rule. */
function keptRoute(
  purpose: Shift['purpose'],
  { observed: { observedForwarding: served }, cell, state: { backoff }, route }: ShiftSituation,
): ObservedForwarding | undefined {
  if (!keepingRoute.has(purpose) || served === undefined) return undefined;
  const isLost = backoff?.purpose === purpose && backoff.reason === 'Conflict' && leavesLost.has(purpose);
  return isLost && cell.problems.length === 0 && !sameRuleOrListener(route, served) ? undefined : served;
}

const leavesLost: ReadonlySet<Shift['purpose']> = new Set(['Reverting', 'RemovingTargetGroups']);

const keepingRoute: ReadonlySet<Shift['purpose']> = new Set([
  'Reverting',
  'Restoring',
  'DetachingTargetGroups',
  'RemovingTargetGroups',
  'Evacuating',
]);

/** What comes of a write that was asked for. */
export function shiftDone(
  decision: Shift,
  request: ShiftRequest,
  result: ShiftResult,
  situation: Pick<ShiftSituation, 'observed' | 'cell'>,
): CarriedOut {
  const done = resultOf(decision, request, result, situation);
  const { sequence } = request;
  // A look at the objects may be older than the last write.
  return { ...done, apply: (state, now) => ({ ...done.apply(state, now), sequence }) };
}

function resultOf(
  decision: Shift,
  { forwarding }: ShiftRequest,
  result: ShiftResult,
  { observed, cell }: Pick<ShiftSituation, 'observed' | 'cell'>,
): CarriedOut {
  switch (result.is) {
    case 'Lacking':
      return { apply: (state, now) => recordLack(state, result, now), observation: 'Same', isDone: false };
    case 'Served': {
      const { observed: seen, warning, unrecorded, connections = [], corrects = false } = result;
      const from = stableSet(observed, cell)?.version;
      const apply = (state: RolloutState, now: number): RolloutState => {
        const shifted = recordShift(noteWarning(state, warning), decision, { from, cell, now, corrects });
        return withConnections(shifted, connections, now);
      };
      if (unrecorded !== undefined)
        return doneUnchanged((state, now) =>
          recordUnrecorded(noteWarning(state, warning), decision, unrecorded, now),
        );
      const observation = seen === undefined ? { written: forwarding } : { observed: seen };
      return { apply, observation, isDone: true };
    }
  }
}

/** Notes that all traffic went to groups without a healthy target, because a person has asked for that. */
const noteWarning = (state: RolloutState, warning: string | undefined): RolloutState =>
  warning === undefined ? state : addEvent(state, forcedEvent(warning));

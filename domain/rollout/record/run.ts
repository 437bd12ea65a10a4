import type { Forwarding } from '../../load-balancers/load-balancer.ts';
import { withKnown, withReported, withWritten } from '../../model/known.ts';
import type { ObservedCell } from '../../model/observation.ts';
import type { RequestName, Stamp } from '../../model/request.ts';
import { abortIsDue, takeRequest, keepRequest, refusal } from '../../model/requests.ts';
import { type Retry, type RolloutState, initialState, type BlockedVersion } from '../../model/state.ts';
import * as backoff from './backoff.ts';
import type { CellStatus } from '../../../crds/cell.ts';
import { namesOf } from '../../text.ts';
import { given, omit } from '../../model/fields.ts';
import { isPinned, type PresentCell } from '../../versions/candidate.ts';
import { includes } from '../../load-balancers/weights.ts';
import { goesForward } from '../../gates/gate.ts';
import { noLaterThan, type Decision } from '../../model/decision.ts';
import type { SelectedTargetGroup, TargetGroup } from '../../model/target-group.ts';

/** What is known after a look: what is remembered, and what counts of the objects. */
interface Known {
  readonly state: RolloutState;
  readonly observed: ObservedCell;
}

/** How long selected target groups have to be missing, without a change, until they count as removed, in milliseconds. */
const REMOVAL_MS = 10_000;

/** Keeps target groups selected until they are missing for ten seconds unchanged, so that objects can be replaced; a new run goes by the status. */
function debounceRemoval(
  { state: { removal, ...state }, observed }: Known,
  before: ObservedCell | undefined,
  now: number,
): Known {
  const missing = (before?.selected ?? servedBefore(observed)).filter(
    (group) => !includes(observed.selected, group),
  );
  if (observed.cell === undefined || missing.length === 0) return { state, observed };
  const targetGroups = missing.map(({ name, arn }) => ({ name, arn }));
  const isSame = arnsOf(removal?.targetGroups ?? []) === arnsOf(targetGroups);
  const until =
    removal !== undefined && isSame ? Math.min(removal.until, now + REMOVAL_MS) : now + REMOVAL_MS;
  if (until <= now) return { state, observed };
  return {
    state: { ...state, removal: { targetGroups, until } },
    observed: { ...observed, selected: [...observed.selected, ...missing] },
  };
}

const arnsOf = (groups: readonly TargetGroup[]): string =>
  groups
    .map(({ arn }) => arn)
    .toSorted()
    .join();

const servedBefore = ({ cell }: ObservedCell): readonly SelectedTargetGroup[] =>
  // What the status reports as gone does not return for ten seconds in each further run.
  cell === undefined || cell.status.reason === 'TargetGroupsGone'
    ? []
    : (cell.status.targetGroups ?? []).flatMap(({ name, arn, version, weight }) =>
        version === undefined || weight === 0 ? [] : [{ name, arn, version }],
      );

/** Lets nothing go forward, and no run close, before missing target groups are back or count as removed. */
export function awaitRemoval(decision: Decision, { removal }: RolloutState, now: number): Decision {
  if (removal === undefined || now >= removal.until) return decision;
  const { until, targetGroups } = removal;
  const isClosing = decision.do === 'Close';
  if (!isClosing && !goesForward(decision)) return noLaterThan(until, decision);
  const message = `No selected AWSTargetGroup names ${namesOf(targetGroups)} any more. Waiting until ${new Date(until).toISOString()} for it to return. Next: ${decision.message}`;
  return { do: 'Wait', for: 'Removal', until, message, ...(isClosing ? { settled: decision } : {}) };
}

function mergeLook(before: RolloutState, looked: ObservedCell): Known {
  const known = isOutdated(before, looked) ? withoutRun(before) : before;
  // Also a run that has written nothing knows by it whether others have since.
  const { cell } = looked;
  const seeing: RolloutState = { ...omit(known, 'blind'), sequence: known.sequence ?? looked.sequence };
  // A Cell that is gone has no status to write any more.
  const state = cell === undefined ? omit(seeing, 'unreported') : seeing;
  if (cell === undefined) return { state, observed: looked };
  const isLate = isOverwritten(state, cell.status);
  const seen = isLate ? (withReported(looked, state.reported) ?? looked) : looked;
  const blocking = withBlock(state, cell);
  const next: RolloutState = isLate ? { ...blocking, overwritten: true } : blocking;
  return { state: next, observed: withKnown(seen, next) };
}

/** Whether another run has written weights since: Temporal was restored from a backup, and the objects know more. */
const isOutdated = ({ sequence }: RolloutState, looked: ObservedCell): boolean =>
  sequence !== undefined && looked.sequence > sequence;

/** What is left of a run that gives way to the objects: what people have asked it to hold or to revert. */
function withoutRun({ requests: { abort, paused }, events, eventCount }: RolloutState): RolloutState {
  return { ...initialState, requests: given({ abort, paused }), events, eventCount };
}

/** Whether the status is older than the one told last: a late report says that a rollout continues which is over, and hides blocks. */
function isOverwritten({ rollout, reported }: RolloutState, { rollout: told }: CellStatus): boolean {
  if (reported === undefined || told === undefined) return false;
  const isEndTold = reported.rollout?.ending !== undefined && told.ending === undefined;
  // What was taken back is over before a status says so.
  if (rollout === undefined) return reported.rollout === undefined || isEndTold;
  return rollout.ending !== undefined && isEndTold;
}

/** Remembers what has just failed until the status shows it; a pin that is shown since may be older than the failure, and lifts nothing. */
function withBlock({ justBlocked, ...rest }: RolloutState, cell: PresentCell): RolloutState {
  if (justBlocked === undefined) return rest;
  const block = isPinned(justBlocked.version, cell) ? { ...justBlocked, pinned: true } : justBlocked;
  return reportsBlock(cell.status, block) ? rest : { ...rest, justBlocked: block };
}

/** Whether a status says that a version is blocked, since when, and whether it was pinned then. */
export const reportsBlock = (status: CellStatus | undefined, block: BlockedVersion): boolean =>
  (status?.blockedVersions ?? []).some(
    ({ version, time, pinned = false }) =>
      version === block.version && time === block.time && pinned === (block.pinned ?? false),
  );

/** What a run of a rollout knows. All that happens makes another one of it. */
export interface Run {
  readonly state: RolloutState;
  /** The objects as they were seen last; undefined before the first look. */
  readonly observed: ObservedCell | undefined;
  /** When they were looked at, in milliseconds since the epoch. */
  readonly observedAt: number;
  readonly changes: number;
  /** How many of them the last look has taken into account. */
  readonly seenChanges: number;
}

/** What a run knows that has not looked yet, and what the run before it has seen. */
export const newRun = (state: RolloutState, observed?: ObservedCell): Run => ({
  state,
  observed,
  observedAt: 0,
  changes: 1,
  seenChanges: 0,
});

/** What the next run continues with: of a rollout what was seen of it as well, so that an abort waits for no look. */
export const handOver = ({
  state,
  observed,
}: Run): { readonly state: RolloutState; readonly observed?: ObservedCell } =>
  state.rollout === undefined || observed === undefined ? { state } : { state, observed };

/** Whether the objects may have changed since they were looked at. */
export const isStale = ({ changes, seenChanges }: Run): boolean => changes !== seenChanges;

/** Whether the status says all that is known, so that nothing is lost with this run. */
export const isReported = (run: Run): boolean => !isStale(run) && run.state.unreported === undefined;

/** Whether there is nothing that a cancellation could abort. */
export const isIdle = (run: Run): boolean =>
  isReported(run) && run.observed !== undefined && run.observed.cell?.status.rollout === undefined;

/** Changes what is remembered. */
export const withState = (run: Run, change: (state: RolloutState) => RolloutState): Run => ({
  ...run,
  state: change(run.state),
});

/** The objects have to be looked at. */
export const markStale = (run: Run): Run => ({ ...run, changes: run.changes + 1 });

/** An object has changed that the Cell depends on; what held may have changed with it. */
export const markChanged = (run: Run, now: number): Run =>
  markStale(withState(run, (state) => backoff.resetBackoff(state, now)));

/** ELBv2 may serve something else than the status of the configuration says. */
export const markDrifted = (run: Run, now: number): Run =>
  markStale(withState(run, (state) => ({ ...backoff.resetBackoff(state, now), mayDiffer: true })));

/** The health of a target group that carries traffic has changed. */
export const markTargetsChanged = (run: Run, now: number): Run =>
  markStale(withState(run, (state) => ({ ...backoff.resetBackoff(state, now), targetsChanged: true })));

/** What holds a rollout or takes it back is done by what was seen last. */
const actsOnLastLook: ReadonlySet<RequestName> = new Set(['pause', 'abort']);

/** Records what an operator asks for; letting a rollout continue has to see a Freeze that was made just before. */
export function recordRequest(run: Run, name: RequestName, stamp: Stamp): Run {
  if (mayAbortLater(run, name)) return withState(run, (state) => keepRequest(state, name, stamp));
  const looking = actsOnLastLook.has(name)
    ? run
    : name === 'retry'
      ? markChanged(run, stamp.at)
      : markStale(run);
  return withState(looking, (state) => takeRequest(state, name, stamp));
}

/** Says why a request makes no sense now; undefined when it does. */
export const refusalOf = (run: Run, name: RequestName): string | undefined =>
  mayAbortLater(run, name) ? undefined : refusal(run.state, name);

/** Whether an abort may be of a rollout that this run does not know again yet: one that an earlier run has left behind. */
const mayAbortLater = ({ state, observed }: Run, name: RequestName): boolean =>
  name === 'abort' && state.rollout === undefined && (observed === undefined || leftBehind(observed));

const leftBehind = ({ cell }: ObservedCell): boolean => cell?.status.rollout !== undefined;

/** Whether an abort is due that the Cell is there for. */
export const abortTakesBack = ({ state, observed }: Run): boolean =>
  abortIsDue(state) && observed?.cell !== undefined;

/** When the objects were seen, and how many changes that look takes into account. */
export interface SeenAt {
  readonly now: number;
  readonly upTo: number;
}

/** The objects were looked at. */
export function recordLook({ state: before, ...run }: Run, seen: ObservedCell, at: SeenAt): Run {
  const { now, upTo } = at;
  const { state, observed } = debounceRemoval(mergeLook(before, seen), run.observed, now);
  return { ...run, state: withoutLateAbort(state, observed), observed, observedAt: now, seenChanges: upTo };
}

/** An abort that was kept for a rollout of before is not for the next one. */
function withoutLateAbort(state: RolloutState, seen: ObservedCell): RolloutState {
  if (state.requests.abort === undefined || state.rollout !== undefined || leftBehind(seen)) return state;
  return { ...state, requests: omit(state.requests, 'abort') };
}

/** The load balancer was written and nothing was looked at afterwards: all else is as it was seen before, and as old as that. */
export function recordWrite(run: Run, forwarding: Forwarding): Run {
  const { observed, state } = run;
  if (observed === undefined) return markStale(run);
  return { ...run, observed: withKnown(withWritten(observed, forwarding), state) };
}

/** The objects could not be looked at. */
export const recordFailedLook = (run: Run, failure: Pick<Retry, 'reason' | 'message'>, now: number): Run =>
  withState(run, (state) => ({ ...state, blind: backoff.retryOf(state.blind, failure, now) }));

/** What was seen while a status was written may be older than that status. */
export const withReportedStatus = ({ state, ...run }: Run): Run => ({
  ...run,
  state: omit(state, 'overwritten'),
  observed: withReported(run.observed, state.reported),
});

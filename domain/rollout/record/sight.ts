import type { CellStatus } from '../../../crds/cell.ts';
import { withKnown, withReported } from '../../model/known.ts';
import type { ObservedCell } from '../../model/observation.ts';
import { given } from '../../model/given.ts';
import { initialState, type BlockedVersion, type RolloutState } from '../../model/state.ts';
import { isPinned, type PresentCell } from '../../versions/candidate.ts';
import { sighted } from './record-backoff.ts';

/** What is known after a look: what is remembered, and what counts of the objects. */
export interface Sight {
  readonly state: RolloutState;
  readonly observed: ObservedCell;
}

/** Puts together what a look has shown and what is known besides. */
export function sightOf(before: RolloutState, looked: ObservedCell): Sight {
  const state = sighted(isOutdated(before, looked) ? withoutRun(before) : before, looked);
  const { cell } = looked;
  if (cell === undefined) return { state, observed: looked };
  const isLate = isOverwritten(state, cell.status);
  const seen = isLate ? (withReported(looked, state.reported) ?? looked) : looked;
  const blocking = withBlock(state, cell);
  const next: RolloutState = isLate ? { ...blocking, overwritten: true } : blocking;
  return { state: next, observed: withKnown(seen, next) };
}

/**
 * Whether another run has written weights since this one did: Temporal was restored from a backup of before that, so that the
 * objects know more than this run.
 */
const isOutdated = ({ sequence }: RolloutState, looked: ObservedCell): boolean =>
  sequence !== undefined && looked.sequence > sequence;

/** What is left of a run that gives way to the objects: what people have asked it to hold or to revert. */
function withoutRun({ requests: { abort, paused }, events, eventCount }: RolloutState): RolloutState {
  return { ...initialState, requests: given({ abort, paused }), events, eventCount };
}

/**
 * Whether the status is older than the one that was told last: a report that was given up may land after the next. It says
 * that a rollout goes on which is over, or is being taken back, and does not know what was blocked since.
 */
function isOverwritten({ rollout, reported }: RolloutState, { rollout: told }: CellStatus): boolean {
  if (reported === undefined || told === undefined) return false;
  const isEndTold = reported.rollout?.ending !== undefined && told.ending === undefined;
  // What was taken back is over before a status says so.
  if (rollout === undefined) return reported.rollout === undefined || isEndTold;
  return rollout.ending !== undefined && isEndTold;
}

/**
 * What has just failed is remembered until the status shows it. It was ended by what was seen before, so that a pin which
 * a look shows since may be as old as the failure, and lifts nothing.
 */
function withBlock({ justBlocked, ...rest }: RolloutState, cell: PresentCell): RolloutState {
  if (justBlocked === undefined) return rest;
  const block = isPinned(justBlocked.version, cell) ? { ...justBlocked, pinned: true } : justBlocked;
  return tells(cell.status, block) ? rest : { ...rest, justBlocked: block };
}

/** Whether a status says that a version is blocked, since when, and whether it was pinned then. */
export const tells = (status: CellStatus | undefined, block: BlockedVersion): boolean =>
  (status?.blockedVersions ?? []).some(
    ({ version, time, pinned = false }) =>
      version === block.version && time === block.time && pinned === (block.pinned ?? false),
  );

import { parseDuration } from '../duration.ts';
import { parseTime } from '../time.ts';
import { isChildAsDesired } from './child.ts';
import { leave } from './leave.ts';
import { endOthers } from './measure.ts';
import type { ObservedRevision } from './observation.ts';
import { settle } from './settle.ts';
import {
  ABORTED,
  back,
  lastGood,
  STAYS,
  STOPPED,
  stopped,
  stays,
  wait,
  type Failed,
  type Judgement,
  type Mark,
  type Situation,
  type Turn,
} from './situation.ts';

const DEFAULT_DELAY = '60s';

/** Shows what has failed; what was aborted and is taken back has not: it only is not what is asked for. */
const markOf = ({ mark }: Turn, failed: Failed): Mark => ({ ...mark, phase: phaseOf(failed), failed });

const phaseOf = ({ phase, reverted }: Failed): Mark['phase'] =>
  phase === 'Reverting' && reverted === true ? 'Pending' : phase;

/** Gives the traffic back to the last good revision. */
export function takeTrafficBack(turn: Turn, failed: Failed): Judgement | undefined {
  const { seen } = turn;
  const good = lastGood(seen.revisions);
  if (stays(turn, failed) || failed.reverted === true) return undefined;
  if (good?.content.application.alb === undefined || seen.child?.isOwn === false) return undefined;
  if (seen.child?.revision === good.number && isThere(turn, good)) return undefined;
  const action = { do: 'ApplyChild', number: good.number, keep: failed.revision } as const;
  return back(markOf(turn, failed), action, `Giving the traffic back to revision ${good.number}.`);
}

const isThere = (situation: Situation, good: ObservedRevision): boolean => {
  const targetGroups = situation.seen.targetGroups.map(({ arn }) => ({ arn, clusters: [] }));
  return isChildAsDesired(situation, good, { ...good, content: { ...good.content, targetGroups } });
};

/** Ends what is measured for what has failed. */
export const endAllChecks = (turn: Turn, failed: Failed): Judgement | undefined =>
  endOthers(turn, markOf(turn, failed), () => false);

/** Leaves everything as it is with onFailure Stop. */
export const stayFailed = (turn: Turn, failed: Failed): Judgement | undefined =>
  stays(turn, failed) ? stopped(markOf(turn, failed), STOPPED, `${failed.message} ${STAYS}`) : undefined;

/** Waits before anything but traffic goes back. */
export function awaitRollback(turn: Turn, failed: Failed): Judgement | undefined {
  if (failed.reverted === true || failed.reason === ABORTED) return undefined;
  const seconds = parseDuration(turn.spec.rollbackDelay ?? DEFAULT_DELAY);
  const until = (parseTime(failed.time) ?? 0) + seconds * 1000;
  if (turn.now >= until) return undefined;
  const message = `${failed.message} Waiting ${seconds} seconds before starting a rollback`;
  return wait(markOf(turn, failed), failed.reason, message, until);
}

/** Takes away what a first revision has made, where nothing serves by it. */
export function clearFirst(turn: Turn, failed: Failed): Judgement | undefined {
  const { application, seen } = turn;
  if (lastGood(seen.revisions) !== undefined) return undefined;
  const mark = markOf(turn, failed);
  if (seen.child !== undefined) {
    const message = `${failed.message} There is no earlier revision to go back to; everything stays as it is. Edit the Cell, or send retry.`;
    return stopped(mark, 'NothingToGoBackTo', message);
  }
  const reverting: Mark = { ...mark, phase: 'Reverting' };
  const nothing = { number: 0, content: { clusters: [], application } };
  return (
    leave(turn, reverting, nothing, (action, message) => back(reverting, action, message)) ??
    tookBack(mark, failed, 'There was no revision before.')
  );
}

/** Restores the last good revision. */
export function restoreGood(turn: Turn, failed: Failed): Judgement | undefined {
  const { revisions } = turn.seen;
  const good = lastGood(revisions);
  if (good === undefined) return undefined;
  const revision = revisions.find(({ number }) => number === failed.revision);
  const isReverting = failed.reverted !== true;
  const settling = { revision: good, failed: isReverting ? revision : undefined, isReverting };
  const judgement = settle(turn, markOf(turn, failed), settling);
  if (judgement.step.is === 'Done')
    return tookBack(judgement.mark, failed, `Revision ${good.number} is in place again.`);
  return isReverting ? judgement : { ...judgement, mark: { ...judgement.mark, phase: phaseOf(failed) } };
}

/** What was taken back is not tried again by itself. */
function tookBack(mark: Mark, failed: Failed, what: string): Judgement {
  const message = `${failed.message} ${what} Edit the Cell, or send retry.`;
  const over: Failed = { ...failed, reverted: true };
  const after: Mark = { ...mark, phase: phaseOf(over), failed: over };
  return stopped(after, 'Reverted', message);
}

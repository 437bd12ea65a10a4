import { parseDuration } from '../duration.ts';
import { parseTime } from '../time.ts';
import { isChildAsDesired } from './child-state.ts';
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
  type Judgement,
  type Mark,
  type Situation,
} from './situation.ts';

type Failed = NonNullable<Mark['failed']>;

const DEFAULT_DELAY = '60s';

/** Takes an application back to its last good revision: the traffic at once, the rest after a delay. */
export function goBack(situation: Situation, before: Mark, failed: Failed): Judgement {
  const mark: Mark = { ...before, phase: phaseOf(failed), failed };
  const good = lastGood(situation.seen.revisions);
  return (
    trafficBack(situation, before, failed) ??
    endOthers(situation, mark, () => false) ??
    (stays(situation, failed) ? stopped(mark, STOPPED, `${failed.message} ${STAYS}`) : undefined) ??
    delay(situation, mark, failed) ??
    (good === undefined ? clear(situation, mark, failed) : restore(situation, mark, { good, failed }))
  );
}

/** What was aborted and is taken back has not failed: it only is not what is asked for. */
const phaseOf = ({ phase, reverted }: Failed): Mark['phase'] =>
  phase === 'Reverting' && reverted === true ? 'Pending' : phase;

interface Back {
  readonly good: ObservedRevision | undefined;
  readonly failed: Failed;
}

/** Gives the traffic back, before all else; undefined when that is done, or not to be done. */
export function trafficBack(situation: Situation, before: Mark, failed: Failed): Judgement | undefined {
  const { seen } = situation;
  const good = lastGood(seen.revisions);
  if (stays(situation, failed) || failed.reverted === true) return undefined;
  if (good?.content.application.alb === undefined || seen.child?.isOwn === false) return undefined;
  if (seen.child?.revision === good.number && isThere(situation, good)) return undefined;
  const mark: Mark = { ...before, phase: phaseOf(failed), failed };
  const action = { do: 'ApplyChild', number: good.number, keep: failed.revision } as const;
  return back(mark, action, `Giving the traffic back to revision ${good.number}.`);
}

const isThere = (situation: Situation, good: ObservedRevision): boolean => {
  const targetGroups = situation.seen.targetGroups.map(({ arn }) => ({ arn, clusters: [] }));
  return isChildAsDesired(situation, good, { ...good, content: { ...good.content, targetGroups } });
};

function delay({ spec, now }: Situation, mark: Mark, failed: Failed): Judgement | undefined {
  if (failed.reverted === true || failed.reason === ABORTED) return undefined;
  const seconds = parseDuration(spec.rollbackDelay ?? DEFAULT_DELAY);
  const until = (parseTime(failed.time) ?? 0) + seconds * 1000;
  if (now >= until) return undefined;
  const message = `${failed.message} Waiting ${seconds} seconds before starting a rollback`;
  return wait(mark, failed.reason, message, until);
}

/** Takes away what a first revision has made, where nothing serves by it. */
function clear(situation: Situation, mark: Mark, failed: Failed): Judgement {
  const { application, seen } = situation;
  if (seen.child !== undefined) {
    const message = `${failed.message} There is no earlier revision to go back to; everything stays as it is. Edit the Cell, or send retry.`;
    return stopped(mark, 'NothingToGoBackTo', message);
  }
  const reverting: Mark = { ...mark, phase: 'Reverting' };
  const nothing = { number: 0, content: { clusters: [], application } };
  return (
    leave(situation, reverting, nothing, (action, message) => back(reverting, action, message)) ??
    tookBack(mark, failed, 'There was no revision before.')
  );
}

function restore(
  situation: Situation,
  mark: Mark,
  { good, failed }: Back & { readonly good: ObservedRevision },
): Judgement {
  const revision = situation.seen.revisions.find(({ number }) => number === failed.revision);
  const isReverting = failed.reverted !== true;
  const settling = { revision: good, failed: isReverting ? revision : undefined, isReverting };
  const judgement = settle(situation, mark, settling);
  if (judgement.step.is === 'Done') {
    return tookBack(judgement.mark, failed, `Revision ${good.number} is in place again.`);
  }
  return isReverting ? judgement : { ...judgement, mark: { ...judgement.mark, phase: phaseOf(failed) } };
}

/** What was taken back is not tried again by itself. */
function tookBack(mark: Mark, failed: Failed, what: string): Judgement {
  const message = `${failed.message} ${what} Edit the Cell, or send retry.`;
  const over: Failed = { ...failed, reverted: true };
  const after: Mark = { ...mark, phase: phaseOf(over), failed: over };
  return stopped(after, 'Reverted', message);
}

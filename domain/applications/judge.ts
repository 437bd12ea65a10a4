import { canonical } from '../kubernetes/canonical.ts';
import { optional } from '../model/status-input.ts';
import { advance, withdraw } from './advance.ts';
import { goBack, trafficBack } from './go-back.ts';
import { findForeign, findTakenLabel, takenByAnother } from './conflicts.ts';
import { deleteUnused } from './leave.ts';
import { endOthers } from './measure.ts';
import { measuredRevision } from './names.ts';
import type { ObservedRevision } from './observation.ts';
import type { Resolution } from './resolve.ts';
import type { Resolved } from './resolved.ts';
import { settle } from './settle.ts';
import {
  back,
  failedStill,
  forward,
  lastGood,
  stopped,
  wait,
  type Hold,
  type Judgement,
  type Mark,
  type Situation,
} from './situation.ts';
import { keepGood } from './upkeep.ts';

/** Decides the next step of one application; edits of what holds it reach its Cell first, and what is in place is kept, whatever keeps the application from going on. */
export function judge(situation: Situation, before: Mark | undefined): Judgement {
  const judgement = nextStep(situation, before);
  // A spec that cannot be read does not say what holds.
  if (situation.problems.length > 0) return judgement;
  return corrected(situation, judgement) ?? keepGood(situation, judgement) ?? judgement;
}

function nextStep(situation: Situation, before: Mark | undefined): Judgement {
  const { application, seen } = situation;
  const known = before ?? { name: application.name, phase: 'Pending' };
  const mark = shown(situation, known);
  const { resolved } = seen;
  const over = failedStill(mark, resolved);
  if (situation.problems.length > 0) return unreadable(situation, mark, over);
  // What goes back asks for what the good revision has.
  const taken = findForeign(situation) ?? (over === undefined ? takenCluster(situation) : undefined);
  // Whose the rest is does not matter to traffic that goes back.
  if (taken !== undefined)
    return (
      (over === undefined ? superseded(situation, mark) : trafficBack(situation, mark, over)) ??
      deleteUnused(situation, mark, { clusters: [] }, (action, message) =>
        forward(situation, [mark, mark], action, message),
      ) ??
      stopped(mark, 'Conflict', taken)
    );
  if (over !== undefined) return goBack(situation, mark, over);
  if (!resolved.ok) return unresolved(situation, mark, resolved);
  const hold = situation.hold ?? holdForLabel(situation, resolved.value);
  return follow({ ...situation, hold }, mark, resolved);
}

const takenCluster = ({ application, seen: { resolved }, secrets }: Situation): string | undefined =>
  resolved.ok && application.argocd !== undefined ? takenByAnother(resolved.value, secrets) : undefined;

/** Refuses to take a label from another application. */
function holdForLabel(situation: Situation, content: Resolved): Hold | undefined {
  const message = findTakenLabel(situation, content);
  return message === undefined ? undefined : { kind: 'Failed', reason: 'Conflict', message };
}

/** Brings about what an application comes to, as a revision of its own. */
function follow(situation: Situation, mark: Mark, resolved: Extract<Resolution, { ok: true }>): Judgement {
  const { failed } = mark;
  const [newest] = situation.seen.revisions;
  const again = failed?.retried === true && (newest?.number ?? 0) <= failed.revision;
  if (newest === undefined || newest.hash !== resolved.hash || again) return save(situation, mark, resolved);
  return bringAbout(situation, mark, newest);
}

/** Applies edits to the Cell of the application, at the revision that it has, unless the next step does so anyway. */
function corrected({ seen }: Situation, { mark, step }: Judgement): Judgement | undefined {
  const { child, revisions, targetGroups } = seen;
  if (child?.isOutdated !== true || !child.isOwn || child.isDeleting) return undefined;
  if (step.is === 'Act' && step.action.do === 'ApplyChild') return undefined;
  const revision = revisions.find(({ number }) => number === child.revision);
  if (revision === undefined) return undefined;
  const has = ({ content }: ObservedRevision, arn: string): boolean =>
    content.targetGroups.some((one) => one.arn === arn);
  // Target groups of another revision may still get traffic.
  const others = targetGroups.filter(({ arn, isOwn }) => isOwn && !has(revision, arn));
  const keep = revisions.find((one) => others.some(({ arn }) => has(one, arn)));
  const action = {
    do: 'ApplyChild',
    number: revision.number,
    ...optional('keep', keep?.number),
  } as const;
  return back(mark, action, `Applying the edit to Cell ${child.name}.`);
}

/** What the status shows of an application besides what is remembered. */
function shown(situation: Situation, known: Mark): Mark {
  const { child: _before, goodRevision: _old, ...others } = known;
  const { seen } = situation;
  const { child } = seen;
  const good = lastGood(seen.revisions);
  return {
    ...others,
    ...optional('goodRevision', good?.number),
    ...optional(
      'child',
      child === undefined
        ? lost(situation, known)
        : {
            name: child.name,
            ...optional('weight', child.status.canaryWeight),
            ...optional('step', child.status.step),
          },
    ),
  };
}

/**
 * The Cell of an application that someone has deleted, and whose rule may serve still; not once the application has none,
 * or someone has deleted the revision that it served.
 */
function lost(
  { application, problems, seen }: Situation,
  { child, goodRevision = 0 }: Mark,
): Pick<NonNullable<Mark['child']>, 'name'> | undefined {
  const good = lastGood(seen.revisions);
  if (child === undefined || good?.content.application.alb === undefined) return undefined;
  // A spec that cannot be read does not say whether it has.
  const isWithoutRule = application.alb === undefined && problems.length === 0;
  return isWithoutRule || good.number < goodRevision ? undefined : { name: child.name };
}

/** Takes traffic back while the spec cannot be read, as a Cell with `ingress` does, and does nothing else. */
const unreadable = (situation: Situation, mark: Mark, over: Mark['failed']): Judgement =>
  (over === undefined ? withdraw(situation, mark, undefined) : trafficBack(situation, mark, over)) ??
  stopped(mark, 'InvalidSpec', situation.problems.join(' '));

/** Takes traffic back from what the spec no longer asks for, though what it asks for cannot begin. */
const superseded = (situation: Situation, mark: Mark): Judgement | undefined =>
  situation.seen.isSuperseded === true && situation.seen.child?.isOwn !== false
    ? withdraw(situation, { ...mark, phase: 'Pending' }, undefined)
    : undefined;

/** Keeps what there is while the application cannot be resolved, but takes traffic back from what the spec no longer asks for. */
function unresolved(
  situation: Situation,
  mark: Mark,
  { problems, isUnanswered }: Extract<Resolution, { ok: false }>,
): Judgement {
  const { isUnknown, hold, seen } = situation;
  const message = problems.join(' ');
  const returning = superseded(situation, mark);
  if (returning !== undefined) return returning;
  if (!isUnknown && isUnanswered !== true) return stopped(mark, 'InvalidApplication', message);
  const [newest] = seen.revisions;
  const settled =
    newest?.isGood === true ? settle(situation, mark, { revision: newest, isReverting: false }) : undefined;
  // What is in place is not what is asked for any more.
  const isOld = settled?.step.is === 'Done' && seen.isEdited === true;
  if (settled !== undefined && !isOld) return settled;
  const waiting: Mark = isOld ? { ...settled.mark, phase: 'Pending' } : mark;
  if (hold === undefined) return wait(waiting, 'WaitingForClusters', message);
  const { kind, reason, until } = hold;
  return { mark: waiting, step: { is: 'Wait', hold: kind, reason, message: hold.message, until } };
}

/** Keeps what the application comes to now as a revision. */
function save(
  situation: Situation,
  mark: Mark,
  { value, hash }: { readonly value: Resolved; readonly hash: string },
): Judgement {
  const { revisions } = situation.seen;
  const number = 1 + Math.max(0, revisions[0]?.number ?? 0, mark.revision ?? 0, mark.failed?.revision ?? 0);
  const good = lastGood(revisions);
  const version =
    good !== undefined && arnsOf(good.content) === arnsOf(value) ? good.version : String(number);
  const action = { do: 'SaveRevision', number, hash, version } as const;
  const pending: Mark = { ...mark, phase: 'Pending' };
  // What keeps the revision that is asked for from its beginning keeps nothing from going back from the one before.
  const returning = withdraw(situation, pending, number);
  if (returning !== undefined) return returning;
  return forward(situation, [pending, pending], action, `Beginning with revision ${number}.`);
}

const arnsOf = ({ targetGroups }: Resolved): string => canonical(targetGroups.map(({ arn }) => arn));

function bringAbout(situation: Situation, before: Mark, revision: ObservedRevision): Judgement {
  const { failed, ...others } = before;
  // What is brought about now has nothing to do with what has failed before.
  const mark: Mark = failed !== undefined && failed.revision >= revision.number ? before : others;
  const ending = endOthers(situation, mark, ({ run }) => measuredRevision(run) === revision.number);
  if (ending !== undefined) return ending;
  if (revision.isGood) return settle(situation, mark, { revision, isReverting: false });
  const advanced = advance(situation, mark, revision);
  if (advanced.is === 'Going') return advanced.judgement;
  return goBack(situation, advanced.mark, advanced.failed);
}

import { childState, isChildAsDesired } from './child.ts';
import { findTakenLabel } from './conflicts.ts';
import {
  type ApplicationAction,
  applyChild,
  back,
  STAYS,
  STOPPED,
  stopped,
  deletesFirst,
  forward,
  lastGood,
  namesOf,
  wait,
  type Judgement,
  type Mark,
  fail,
  isPassed,
  type Outcome,
  type Situation,
  type Turn,
  GOOD_FIRST,
} from './situation.ts';
import { undeployed } from './deployments.ts';
import { leave } from './settle.ts';
import { measure } from './measure.ts';
import { omit } from '../model/fields.ts';
import { parseDuration } from '../duration.ts';
import { parseTime } from '../time.ts';
import type { ObservedRevision, ObservedApplication, ObservedChild } from './observation.ts';
import { servedBy } from './revisions.ts';
import { lackingSecrets } from './secrets.ts';
import { isSameVersion } from '../versions/version.ts';
import { revisionName } from './names.ts';

/** Takes the traffic back from a revision that the spec no longer asks for, before anything else begins; the number is that of the revision that it asks for, if known. */
export function withdraw(
  situation: Situation,
  mark: Mark,
  number: number | undefined,
): Judgement | undefined {
  const { child, revisions } = situation.seen;
  const good = lastGood(revisions);
  if (good?.content.application.alb === undefined) return undefined;
  if (child === undefined) {
    const begun = revisions.find((one) => one.number > good.number && one.number !== number);
    return goodFirst(situation, mark, begun?.number);
  }
  const isAskedFor = number !== undefined && child.revision === number;
  if (child.revision !== good.number && !isAskedFor) {
    const message = `Giving the traffic back to revision ${good.number}, as it is to go elsewhere.`;
    return back(mark, applyChild(good.number, child.revision), message);
  }
  const { rollout, observedGeneration } = child.status;
  const isMoving = rollout !== undefined || observedGeneration !== child.generation;
  return child.revision === good.number && isMoving
    ? wait(mark, 'WaitingForCell', `Cell ${child.name} gives its traffic back first.`)
    : undefined;
}

/** Whether more was done for a revision than to hand its clusters to Argo CD. */
export function hasBegun({ seen, application }: Situation, mark: Mark, revision: ObservedRevision): boolean {
  if (mark.revision !== revision.number) return false;
  if (mark.phase === 'Migrating' || mark.phase === 'Completing') return true;
  return application.alb !== undefined && seen.child?.revision === revision.number;
}

/** Runs the prechecks of a revision that has not begun. */
export function runPrechecks(turn: Turn, revision: ObservedRevision): Outcome {
  const mark: Mark = { ...turn.mark, revision: revision.number };
  if (turn.begun) return { mark };
  const what = {
    stage: 'prechecks',
    revision,
    hash: turn.seen.forwardHash,
    failure: 'PrecheckFailed',
  } as const;
  const outcome = measure(turn, { ...mark, phase: 'Prechecking' }, what);
  return isPassed(outcome) ? { mark: { ...outcome.mark, phase: 'Syncing' } } : outcome;
}

/** Hands the clusters of the revision to Argo CD. */
export function deployClusters(turn: Turn, revision: ObservedRevision): Judgement | undefined {
  const { application, begun, mark, secrets } = turn;
  if (application.argocd === undefined) return undefined;
  const act = (action: ApplicationAction, message: string, by: Pick<Turn, 'hold'> = turn): Judgement =>
    forward(by, [mark, mark], action, message);
  const left = deletesFirst(turn) && !begun ? leave(turn, mark, revision, act) : undefined;
  if (left !== undefined) return left;
  const lacking = lackingSecrets(application.name, revision.content, secrets);
  if (lacking.length === 0) return undefined;
  const action = { do: 'ApplySecrets', number: revision.number } as const;
  // Nothing holds what keeps in place what may serve; but requests come first, since it may not answer.
  return begun && findTakenLabel(turn, revision.content) === undefined
    ? act(action, `Restoring the secrets of ${namesOf(lacking)}.`, {})
    : act(action, `Handing ${namesOf(lacking)} to Argo CD.`);
}

/** Waits until Argo CD has deployed a revision that has not begun, for as long as the Cell lets it. */
export function awaitArgoCD(turn: Turn, revision: ObservedRevision): Outcome | undefined {
  const missing = turn.begun ? undefined : undeployed(turn, revision);
  if (missing === undefined) return undefined;
  const { now, spec, mark: before } = turn;
  const { number } = revision;
  const since = before.syncing?.revision === number ? before.syncing.since : new Date(now).toISOString();
  const mark: Mark = { ...before, syncing: { revision: number, since } };
  const { syncTimeout } = spec;
  if (syncTimeout === undefined) return wait(mark, 'WaitingForApplicationSet', missing);
  const from = parseTime(since) ?? now;
  const until = from + parseDuration(syncTimeout) * 1000;
  if (now >= until) {
    const message = `Argo CD has not deployed it within ${syncTimeout}: ${missing}`;
    return fail(before, { revision, phase: 'CheckFailed', reason: 'SyncTimeout', message }, now);
  }
  const minutes = Math.floor((now - from) / 60_000);
  const message = `${missing} Waiting for ${minutes}m of ${syncTimeout}.`;
  return wait(mark, 'WaitingForApplicationSet', message, until);
}

/** Moves the traffic, with the checks at each weight; without a load balancer the checks are measured once. */
export function moveTraffic(turn: Turn, revision: ObservedRevision): Outcome {
  const mark: Mark = { ...omit(turn.mark, 'syncing'), phase: 'Migrating' };
  return turn.application.alb === undefined
    ? measure(turn, mark, { stage: 'checks', revision, hash: revision.hash, failure: 'CheckFailed' })
    : moveByCell(turn, mark, revision);
}

/** Has the Cell of the application move its traffic. */
function moveByCell(turn: Turn, mark: Mark, revision: ObservedRevision): Outcome {
  const { seen } = turn;
  if (seen.child?.isDeleting === true)
    return wait(mark, 'Deleting', `Cell ${seen.child.name} is being deleted.`);
  const first = goodFirst(turn, mark, revision.number);
  if (first !== undefined) return first;
  const state = childState(turn, revision);
  if (state.is === 'Failed') {
    const { message } = state;
    return fail(mark, { revision, phase: 'CheckFailed', reason: 'CheckFailed', message }, turn.now);
  }
  const keep = lastGood(seen.revisions) ?? servedBefore(turn, revision);
  if (!isChildAsDesired(turn, revision, keep)) {
    const action = applyChild(revision.number, keep?.number);
    const message = `Moving the traffic to revision ${revision.number}.`;
    // A Cell that is at the revision holds by itself what is edited meanwhile, and has to know what holds.
    const isKnown = seen.child?.revision === revision.number;
    return isKnown ? back(mark, action, message) : forward(turn, [turn.mark, mark], action, message);
  }
  if (state.is === 'Done') return { mark };
  return state.is === 'Held' && turn.spec.onFailure === 'Hold'
    ? stopped(mark, STOPPED, `${state.message} ${STAYS}`)
    : wait(mark, (state.is === 'Moving' ? state.reason : undefined) ?? 'Migrating', state.message);
}

/** Runs the postchecks. */
export const runPostchecks = (turn: Turn, revision: ObservedRevision): Outcome =>
  measure(
    turn,
    { ...turn.mark, phase: 'Completing' },
    { stage: 'postchecks', revision, hash: revision.hash, failure: 'CheckFailed' },
  );

/** Marks a revision as good. */
export function markGood(turn: Turn, { number }: ObservedRevision): Judgement {
  const message = `Revision ${number} is in place; what it does not have goes.`;
  return forward(turn, [turn.mark, turn.mark], { do: 'MarkGood', number }, message);
}

/** What the Cell of an application serves while no revision was good yet. */
const servedBefore = (
  { seen: { child, revisions } }: Situation,
  { number }: ObservedRevision,
): ObservedRevision | undefined =>
  servedBy(revisions, child?.status.stableVersion).find((one) => one.number !== number);

/**
 * Has a Cell that someone has deleted serve the good revision again before it is to serve another: a new one that knows only
 * the other would give all traffic to that, without its checks. The number is that of what was under way, and may get traffic.
 */
export function goodFirst(
  situation: Situation,
  mark: Mark,
  begun: number | undefined,
): Judgement | undefined {
  const { application, problems, seen } = situation;
  const { child, revisions } = seen;
  const good = lastGood(revisions);
  if (good?.content.application.alb === undefined || application.alb === undefined || problems.length > 0)
    return undefined;
  if (child !== undefined && (child.revision !== good.number || isSettled(child, good))) return undefined;
  if (child === undefined && !isDeployed(situation, good))
    return mark.child === undefined
      ? undefined
      : wait(mark, GOOD_FIRST, explainUndeployed(situation, good, mark.child.name));
  const kept = revisions.find(({ number }) => number === begun);
  if (child !== undefined && [good, kept].every((one) => hasGroups(seen, one)))
    return wait(mark, GOOD_FIRST, waiting(situation, good));
  const message = `Making the Cell again, which gives the traffic to revision ${good.number} first.`;
  return back(mark, applyChild(good.number, kept?.number), message);
}

/**
 * Whether Argo CD has some of what gets the traffic: none of an application that was removed from the Cell with its secrets,
 * and comes again; nor where someone has deleted its Cell and its secrets, and the rule may serve still.
 */
const isDeployed = ({ application, secrets }: Situation, { content }: ObservedRevision): boolean =>
  content.application.argocd === undefined ||
  content.clusters.some(({ secretName }) =>
    secrets.some(
      (one) => one.isOwn && one.name === secretName && Object.hasOwn(one.applications, application.name),
    ),
  );

/** What is waited for where nobody knows whether the good revision can serve. */
function explainUndeployed(situation: Situation, good: ObservedRevision, child: string): string {
  const { application } = situation;
  const secrets = [...new Set(good.content.clusters.map(({ secretName }) => secretName))];
  const number = good.number;
  return `Secret ${secrets.join(' or ')} does not have application ${application.name}, which Cell ${child} needs before it is created again, so that revision ${number} gets the traffic first. Restore it, or send abort while a newer revision is under way. ${unneeded(situation, good)}`;
}

/** What is waited for, and what to do where that never comes: the targets of the good revision may be gone. */
function waiting(situation: Situation, good: ObservedRevision): string {
  const state = childState(situation, good);
  const why = state.is === 'Done' ? '' : `${state.message} `;
  return `Revision ${good.number} gets the traffic first. ${why}${unneeded(situation, good)}`;
}

const unneeded = ({ cell, application }: Situation, { number }: ObservedRevision): string =>
  `Once nobody needs revision ${number}, delete ControllerRevision ${revisionName(cell, application.name, number)}; the newer one then gets all traffic at once.`;

/** Whether a Cell serves the good revision, or is none that was made again: what has served others goes on from there, also where the good one is gone. */
const isSettled = (
  { status: { stableVersion = '', history = [] } }: ObservedChild,
  { version }: ObservedRevision,
): boolean => isSameVersion(stableVersion, version) || history.length > 0;

const hasGroups = ({ targetGroups }: ObservedApplication, revision: ObservedRevision | undefined): boolean =>
  (revision?.content.targetGroups ?? []).every(({ arn }) =>
    targetGroups.some((one) => one.isOwn && one.arn === arn),
  );

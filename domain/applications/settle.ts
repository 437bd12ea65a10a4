import { decideBy, type Rules } from '../rules.ts';
import { childState, isChildAsDesired } from './child.ts';
import {
  type ApplicationAction,
  applyChild,
  back,
  deletesFirst,
  forward,
  stopped,
  wait,
  type Judgement,
  type Mark,
  type Situation,
  lastGood,
  namesOf,
  ABORTED,
  STAYS,
  STOPPED,
  stays,
  type Failed,
  type Turn,
} from './situation.ts';
import { undeployed, lingering, stillThere } from './deployments.ts';
import { findTakenFromGood } from './conflicts.ts';
import type { ObservedRevision, ObservedChild, Resolved } from './observation.ts';
import { lackingSecrets, leftSecrets, unusedSecrets } from './secrets.ts';
import { servedBy } from './revisions.ts';
import { parseDuration } from '../duration.ts';
import { parseTime } from '../time.ts';
import { endChecks } from './measure.ts';

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
  if (seen.child?.revision === good.number && isChildAsDesired(turn, good, leftOver(turn, good)))
    return undefined;
  const action = applyChild(good.number, failed.revision);
  return back(markOf(turn, failed), action, `Giving the traffic back to revision ${good.number}.`);
}

/** Ends what is measured for what has failed. */
export const endAllChecks = (turn: Turn, failed: Failed): Judgement | undefined =>
  endChecks(turn, markOf(turn, failed));

/** Leaves everything as it is with onFailure Hold. */
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
  const isReverting = failed.reverted !== true;
  const isKept = isReverting && revisions.some(({ number }) => number === failed.revision);
  const settling = { revision: good, failed: isKept ? failed.revision : undefined, isReverting };
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

/** What is settled: a revision that is good, after it was brought about, or because everything goes back to it. */
interface Settling extends Situation {
  readonly mark: Mark;
  readonly revision: ObservedRevision;
  /** The number of what has failed, when everything goes back. */
  readonly failed?: number | undefined;
  readonly isReverting: boolean;
}

/** How a good revision is kept or restored, in this order: the first that has something to do decides. */
export const keepRules: Rules<[settling: Settling], Judgement> = [
  ['Its Cell serves the revision', serveRevision],
  ['It takes no label from another application', reportTakenLabel],
  [
    'What deletes first leaves its new clusters before it returns',
    (settling) => (settling.isReverting && deletesFirst(settling) ? letGo(settling) : undefined),
  ],
  ['Lost secrets are restored', restoreSecrets],
  ['The traffic arrives before anything goes', awaitTraffic],
  ['Secrets and target groups of other revisions go', letGo],
  ['Argo CD deploys what returns', awaitArgoCD],
];

/** Keeps a good revision in place, and lets go what it does not have. */
export function settle(
  situation: Situation,
  before: Mark,
  of: Pick<Settling, 'revision' | 'failed' | 'isReverting'>,
): Judgement {
  const { number } = of.revision;
  const mark: Mark = { ...before, phase: of.isReverting ? 'Reverting' : 'Completing', revision: number };
  const done = { is: 'Done', message: `Revision ${number} is in place.` } as const;
  return (
    decideBy(keepRules, { ...situation, ...of, mark }) ?? { mark: { ...mark, phase: 'Synced' }, step: done }
  );
}

/** Has the Cell of the application serve the revision. */
function serveRevision(settling: Settling) {
  const { mark, revision, failed, isReverting, seen } = settling;
  const { child } = seen;
  if (revision.content.application.alb === undefined) return undefined;
  if (child?.isDeleting === true) return wait(mark, 'Deleting', `Cell ${child.name} is being deleted.`);
  // What is left of other revisions goes later, after all else.
  if (isChildAsDesired(settling, revision, leftOver(settling, revision))) return undefined;
  const action = applyChild(revision.number, failed);
  // A Cell that is at the revision holds by itself what is edited, and has to know what holds.
  const isFree = isReverting || child?.revision === revision.number;
  return actUnlessHeld(settling, action, `Having the Cell serve revision ${revision.number}.`, isFree);
}

/** Does what is not held when everything goes back. */
// oxlint-disable-next-line max-params -- an action, and whether it is held
const actUnlessHeld = (
  settling: Settling,
  action: ApplicationAction,
  message: string,
  isFree = settling.isReverting,
): Judgement => {
  const { mark } = settling;
  return isFree ? back(mark, action, message) : forward(settling, [mark, mark], action, message);
};

/** Whatever target groups there are besides, as a revision. */
const leftOver = ({ seen }: Situation, revision: ObservedRevision): ObservedRevision => {
  const targetGroups = seen.targetGroups.map(({ arn }) => ({ arn, clusters: [] }));
  return { ...revision, content: { ...revision.content, targetGroups } };
};

/** Takes no label from another application, and leaves everything as it is then. */
function reportTakenLabel(settling: Settling) {
  const taken = findTakenFromGood(settling, settling.revision.content);
  return taken === undefined ? undefined : stopped(settling.mark, 'Conflict', taken);
}

/** Has the clusters of the revision in Argo CD. */
function restoreSecrets({ application, secrets, mark, revision: { content, number } }: Settling) {
  if (content.application.argocd === undefined) return undefined;
  const lacking = lackingSecrets(application.name, content, secrets);
  return lacking.length === 0
    ? undefined
    : back(mark, { do: 'ApplySecrets', number }, `Restoring the secrets of ${namesOf(lacking)}.`);
}

/** Waits for Argo CD to have the application where it was, once all else is as it was. */
function awaitArgoCD(settling: Settling) {
  const missing = settling.isReverting ? undeployed(settling, settling.revision) : undefined;
  return missing === undefined ? undefined : wait(settling.mark, 'WaitingForApplicationSet', missing);
}

/** Waits for the traffic to be where it belongs before anything goes. */
function awaitTraffic(settling: Settling) {
  const { application, secrets, mark, revision, isReverting } = settling;
  if (revision.content.application.alb === undefined) return undefined;
  const goes =
    isReverting ||
    leftSecrets(application.name, revision.content, secrets).length > 0 ||
    !isChildAsDesired(settling, revision);
  const state = goes ? childState(settling, revision) : undefined;
  return state === undefined || state.is === 'Done' ? undefined : wait(mark, 'WaitingForCell', state.message);
}

/** Lets go of secrets and target groups that the revision does not have. */
function letGo(settling: Settling) {
  const { mark, revision } = settling;
  const { number, content } = revision;
  const left = leave(settling, mark, revision, (action, message) => actUnlessHeld(settling, action, message));
  if (left !== undefined) return left;
  if (content.application.alb === undefined || isChildAsDesired(settling, revision)) return undefined;
  // Where old clusters go first there is no load balancer, so that this comes after the traffic.
  const message = `Removing the target groups that revision ${number} does not have.`;
  return actUnlessHeld(settling, applyChild(number), message);
}

/** What of a revision says which clusters stay. */
interface Staying {
  readonly number: number;
  readonly content: Pick<Resolved, 'clusters' | 'application'>;
}

type Act = (action: ApplicationAction, message: string) => Judgement;

/**
 * Takes the clusters that a revision does not have from Argo CD: their labels first, so that it deletes what it has deployed
 * there, and the secrets last. Without the secret of its cluster, it would delete an Application and leave running what that has deployed.
 */
export function leave(situation: Situation, mark: Mark, staying: Staying, act: Act): Judgement | undefined {
  const { application } = situation;
  const left = leftSecrets(application.name, staying.content, situation.secrets);
  if (left.length > 0) {
    const message = `Taking the labels of ${application.name} from the secrets ${left.join(', ')}.`;
    return (
      stillServing(situation, mark, { staying, left }) ??
      act({ do: 'RemoveLabels', number: staying.number }, message)
    );
  }
  const lingers = lingering(situation, staying);
  return lingers === undefined
    ? deleteUnused(situation, mark, staying.content, act)
    : wait(mark, 'WaitingForApplicationSet', lingers);
}

/** Deletes the secrets that no application of the Cell asks for, of other clusters than these, once no Application is left there. */
export function deleteUnused(
  { application, marks, secrets }: Situation,
  mark: Mark,
  clusters: Pick<Resolved, 'clusters'>,
  act: Act,
): Judgement | undefined {
  // What another application is leaving is for that one to delete.
  if (marks.some(({ name, phase }) => name === application.name && phase === 'Synced')) return undefined;
  const unused = unusedSecrets(secrets, clusters);
  const gone = unused.filter(({ leftApplication }) => leftApplication === undefined);
  if (gone.length > 0) {
    return act({ do: 'DeleteSecrets' }, `Deleting the secrets ${namesOf(gone)}, where nothing is left.`);
  }
  const [used] = unused;
  return used === undefined
    ? undefined
    : wait(mark, 'WaitingForApplicationSet', stillThere(`Application ${used.leftApplication}`, used.name));
}

/** Keeps secrets of clusters that the Cell of the application sends traffic to: a revision without `alb` takes none of it elsewhere. */
function stillServing(
  { seen: { child, revisions } }: Situation,
  mark: Mark,
  { staying, left }: { readonly staying: Staying; readonly left: readonly string[] },
): Judgement | undefined {
  if (child === undefined || staying.content.application.alb !== undefined) return undefined;
  const served = servedOf(child, revisions);
  const serving = left.filter((name) => served?.includes(name) ?? true);
  if (serving.length === 0) return undefined;
  const message = `Cannot delete the secrets of ${serving.join(', ')}: Cell ${child.name} still sends traffic there, and revision ${staying.number} has no alb to move it elsewhere. Delete that Cell once its rule is not needed, or edit the application to have alb.`;
  return stopped(mark, 'StillServing', message);
}

/** The secrets of the clusters that a Cell sends traffic to: those of the revision that it is to serve, and of what it served before that; undefined: nobody knows. */
function servedOf(
  { revision, status: { stableVersion } }: ObservedChild,
  revisions: readonly ObservedRevision[],
): readonly string[] | undefined {
  const wanted = revisions.find(({ number }) => number === revision);
  const before = servedBy(revisions, stableVersion);
  if (wanted === undefined || (stableVersion !== undefined && before.length === 0)) return undefined;
  return [wanted, ...before].flatMap(({ content }) => content.clusters.map(({ secretName }) => secretName));
}

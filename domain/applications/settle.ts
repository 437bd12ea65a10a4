import { decideBy, type Rules } from '../rules.ts';
import { namesOf } from '../text.ts';
import { childState, isChildAsDesired } from './child.ts';
import {
  act,
  applyChild,
  back,
  deletesFirst,
  stopped,
  wait,
  type Judgement,
  type Mark,
  lastGood,
  ABORTED,
  stays,
  stayStopped,
  type Failed,
  type Turn,
} from './situation.ts';
import { undeployed, lingering, stillThere } from './deployments.ts';
import { findTakenLabel } from './conflicts.ts';
import type { ObservedRevision, ObservedChild, Resolved } from './observation.ts';
import { lackingSecrets, leftSecrets, unusedSecrets } from './secrets.ts';
import { servedBy } from './revisions.ts';
import { parseDuration } from '../duration.ts';
import { parseTime } from '../time.ts';

const DEFAULT_DELAY = '60s';

/** The phase of what has failed; what was aborted and is taken back has not: it only is not what is asked for. */
export const phaseOf = ({ phase, reverted }: Failed): Mark['phase'] =>
  phase === 'Reverting' && reverted === true ? 'Pending' : phase;

/** Gives the traffic back to the last good revision. */
export function takeTrafficBack(turn: Turn, failed: Failed): Judgement | undefined {
  const { mark, seen } = turn;
  const good = lastGood(seen.revisions);
  if (stays(turn, failed) || failed.reverted === true) return undefined;
  if (good?.content.application.alb === undefined || seen.child?.isOwn === false) return undefined;
  if (seen.child?.revision === good.number && isChildAsDesired(turn, good, 'All')) return undefined;
  const action = applyChild(good.number, failed.revision);
  return back(mark, action, `Shifting the traffic back to revision ${good.number}.`);
}

/** Leaves everything as it is with onFailure Hold. */
export const stayFailed = (turn: Turn, failed: Failed): Judgement | undefined =>
  stays(turn, failed) ? stayStopped(turn.mark, failed.message) : undefined;

/** Waits before anything but traffic goes back. */
export function awaitRollback({ mark, now, spec }: Turn, failed: Failed): Judgement | undefined {
  if (failed.reverted === true || failed.reason === ABORTED) return undefined;
  const seconds = parseDuration(spec.rollbackDelay ?? DEFAULT_DELAY);
  const until = (parseTime(failed.time) ?? 0) + seconds * 1000;
  if (now >= until) return undefined;
  const message = `${failed.message} Waiting ${seconds} seconds before starting a rollback`;
  return wait(mark, failed.reason, message, until);
}

/** Takes away what a first revision has made, where nothing serves by it. */
export function clearFirst(turn: Turn, failed: Failed): Judgement | undefined {
  const { application, mark, seen } = turn;
  if (lastGood(seen.revisions) !== undefined) return undefined;
  if (seen.child !== undefined) {
    const message = `${failed.message} There is no earlier revision to go back to; everything stays as it is. Edit the Cell, or send retry.`;
    return stopped(mark, 'NoRevisionToRollBackTo', message);
  }
  const reverting: Turn = { ...turn, mark: { ...mark, phase: 'Reverting' }, isReverting: true };
  const nothing = { number: 0, content: { clusters: [], application } };
  return leave(reverting, nothing) ?? tookBack(mark, failed, 'There was no revision before.');
}

/** Restores the last good revision. */
export function restoreGood(turn: Turn, failed: Failed): Judgement | undefined {
  const { revisions } = turn.seen;
  const good = lastGood(revisions);
  if (good === undefined) return undefined;
  const isReverting = failed.reverted !== true;
  const isKept = isReverting && revisions.some(({ number }) => number === failed.revision);
  const judgement = settle({ ...turn, isReverting }, good, isKept ? failed.revision : undefined);
  if (judgement.step.is === 'Done')
    return tookBack(judgement.mark, failed, `Revision ${good.number} is in place again.`);
  return isReverting ? judgement : { ...judgement, mark: { ...judgement.mark, phase: phaseOf(failed) } };
}

/** What was taken back is not tried again by itself. */
function tookBack(mark: Mark, failed: Failed, what: string): Judgement {
  const message = `${failed.message} ${what} Edit the Cell, or send retry.`;
  const over: Failed = { ...failed, reverted: true };
  return stopped({ ...mark, phase: phaseOf(over), failed: over }, 'Reverted', message);
}

/** How a good revision is kept or restored, in this order: the first that has something to do decides. */
export const keepRules: Rules<[turn: Turn, good: ObservedRevision, failed: number | undefined], Judgement> = [
  ['Its Cell serves the revision', serveRevision],
  ['It takes no label from another application', reportTakenLabel],
  [
    'What deletes first leaves its new clusters before it returns',
    (turn, good) => (turn.isReverting === true && deletesFirst(turn) ? letGo(turn, good) : undefined),
  ],
  ['Lost secrets are restored', restoreSecrets],
  ['The traffic arrives before anything goes', awaitTraffic],
  ['Secrets and target groups of other revisions go', letGo],
  ['Argo CD deploys what returns', awaitArgoCD],
];

/** Keeps a good revision in place, and lets go what it does not have; `failed` is the number of what has failed, when everything goes back. */
export function settle(turn: Turn, good: ObservedRevision, failed?: number): Judgement {
  const { number } = good;
  const phase = turn.isReverting === true ? 'Reverting' : 'Completing';
  const mark: Mark = { ...turn.mark, phase, revision: number };
  const done = { is: 'Done', message: `Revision ${number} is in place.` } as const;
  return (
    decideBy(keepRules, { ...turn, mark }, good, failed) ?? { mark: { ...mark, phase: 'Synced' }, step: done }
  );
}

function serveRevision(turn: Turn, good: ObservedRevision, failed: number | undefined) {
  const { child } = turn.seen;
  if (good.content.application.alb === undefined) return undefined;
  if (child?.isDeleting === true) return wait(turn.mark, 'Deleting', `Cell ${child.name} is being deleted.`);
  // What is left of other revisions goes later, after all else.
  if (isChildAsDesired(turn, good, 'All')) return undefined;
  // A Cell that is at the revision holds by itself what is edited, and has to know what holds.
  const isReverting = turn.isReverting === true || child?.revision === good.number;
  const message = `Having the Cell serve revision ${good.number}.`;
  return act({ ...turn, isReverting }, applyChild(good.number, failed), message);
}

function reportTakenLabel(turn: Turn, { content }: ObservedRevision) {
  const taken = findTakenLabel(turn, content, true);
  return taken === undefined ? undefined : stopped(turn.mark, 'Conflict', taken);
}

function restoreSecrets({ application, secrets, mark }: Turn, { content, number }: ObservedRevision) {
  if (content.application.argocd === undefined) return undefined;
  const lacking = lackingSecrets(application.name, content, secrets);
  return lacking.length === 0
    ? undefined
    : back(mark, { do: 'ApplySecrets', number }, `Restoring the secrets of ${namesOf(lacking)}.`);
}

/** Waits for Argo CD to have the application where it was, once all else is as it was. */
function awaitArgoCD(turn: Turn, good: ObservedRevision) {
  const missing = turn.isReverting === true ? undeployed(turn, good) : undefined;
  return missing === undefined ? undefined : wait(turn.mark, 'WaitingForApplicationSet', missing);
}

function awaitTraffic(turn: Turn, good: ObservedRevision) {
  const { application, secrets, mark, isReverting = false } = turn;
  if (good.content.application.alb === undefined) return undefined;
  const goes =
    isReverting ||
    leftSecrets(application.name, good.content, secrets).length > 0 ||
    !isChildAsDesired(turn, good);
  const state = goes ? childState(turn, good) : undefined;
  return state === undefined || state.is === 'Done' ? undefined : wait(mark, 'WaitingForCell', state.message);
}

function letGo(turn: Turn, good: ObservedRevision) {
  const left = leave(turn, good);
  if (left !== undefined) return left;
  if (good.content.application.alb === undefined || isChildAsDesired(turn, good)) return undefined;
  // Where old clusters go first there is no load balancer, so that this comes after the traffic.
  const message = `Removing the target groups that revision ${good.number} does not have.`;
  return act(turn, applyChild(good.number), message);
}

interface Staying {
  readonly number: number;
  readonly content: Pick<Resolved, 'clusters' | 'application'>;
}

/** Takes other clusters from Argo CD: their labels first, so that it deletes what it deployed there, and their secrets last. */
export function leave(turn: Turn, staying: Staying): Judgement | undefined {
  const { application, mark, secrets } = turn;
  const left = leftSecrets(application.name, staying.content, secrets);
  if (left.length > 0) {
    const message = `Taking the labels of ${application.name} from the secrets ${left.join(', ')}.`;
    return (
      stillServing(turn, staying, left) ?? act(turn, { do: 'RemoveLabels', number: staying.number }, message)
    );
  }
  const lingers = lingering(turn, staying);
  return lingers === undefined
    ? deleteUnused(turn, staying.content)
    : wait(mark, 'WaitingForApplicationSet', lingers);
}

/** Deletes the secrets that no application of the Cell asks for, of other clusters than these, once no Application is left there. */
export function deleteUnused(turn: Turn, clusters?: Pick<Resolved, 'clusters'>): Judgement | undefined {
  const { application, mark, marks, secrets } = turn;
  // What another application is leaving is for that one to delete.
  if (marks.some(({ name, phase }) => name === application.name && phase === 'Synced')) return undefined;
  const unused = unusedSecrets(secrets, clusters);
  const gone = unused.filter(({ leftApplication }) => leftApplication === undefined);
  if (gone.length > 0)
    return act(
      turn,
      { do: 'DeleteSecrets' },
      `Deleting the secrets ${namesOf(gone)}, where nothing is left.`,
    );
  const [used] = unused;
  return used === undefined
    ? undefined
    : wait(mark, 'WaitingForApplicationSet', stillThere(`Application ${used.leftApplication}`, used.name));
}

/** Keeps secrets of clusters that the Cell of the application sends traffic to: a revision without `alb` takes none of it elsewhere. */
function stillServing(
  { mark, seen: { child, revisions } }: Turn,
  staying: Staying,
  left: readonly string[],
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

import { parseDuration } from '../duration.ts';
import { given, omit } from '../model/fields.ts';
import type { Named } from '../rules.ts';
import { namesOf } from '../text.ts';
import { parseTime } from '../time.ts';
import { isSameVersion } from '../versions/version.ts';
import { childState, isChildAsDesired } from './child.ts';
import { findForeign, findTakenLabel } from './conflicts.ts';
import { undeployed } from './deployments.ts';
import { endChecks, measure } from './measure.ts';
import { revisionName } from './names.ts';
import type { ObservedRevision } from './observation.ts';
import { newRevision, servedBy } from './revisions.ts';
import { lackingSecrets } from './secrets.ts';
import {
  awaitRollback,
  clearFirst,
  deleteUnused,
  leave,
  phaseOf,
  restoreGood,
  settle,
  stayFailed,
  takeTrafficBack,
} from './settle.ts';
import {
  act,
  applyChild,
  back,
  deletesFirst,
  fail,
  failedStill,
  GOOD_FIRST,
  held,
  isPassed,
  lastGood,
  stayStopped,
  stopped,
  wait,
  type Failed,
  type Hold,
  type Judgement,
  type Mark,
  type Outcome,
  type Rule,
  type Situation,
  type Turn,
} from './situation.ts';

/** The rules of an application in their order: the first that has something to do decides. */
export const applicationRules: readonly Named<Rule>[] = [
  ['Traffic of a revision that failed or was aborted goes back', ofFailed(takeTrafficBack)],
  ['Traffic of a revision that the spec no longer asks for goes back', withdrawSuperseded],
  ['A spec that cannot be read stops it', reportProblems],
  ['What belongs to another owner stops it', reportForeign],
  ['Checks of a revision that failed end', ofFailed((turn) => endChecks(turn))],
  ['With onFailure Hold a revision that failed stays', ofFailed(stayFailed)],
  ['The rest of a revision that failed stays for rollbackDelay', ofFailed(awaitRollback)],
  ['A first revision that failed is removed', ofFailed(clearFirst)],
  ['The last good revision is restored', ofFailed(restoreGood)],
  ['What cannot be determined keeps it as it is', keepUnresolved],
  ['A failure of an earlier revision is forgotten', forgetFailure],
  ['Traffic of an earlier revision goes back before one begins', withdrawEarlier],
  ['What the spec comes to is saved as a revision', saveRevision],
  ['Checks of other revisions end', ofRevision((turn, { number }) => endChecks(turn, number))],
  ['A good revision is kept in place', ofRevision(keepInPlace)],
  ['The prechecks run', ofRevision(runPrechecks)],
  ['Argo CD gets the clusters', ofRevision(deployClusters)],
  ['Argo CD deploys', ofRevision(awaitArgoCD)],
  ['The traffic moves, with the checks', ofRevision(moveTraffic)],
  ['The postchecks run', ofRevision(runPostchecks)],
  ['The revision is good', ofRevision(markGood)],
];

/** Decides the next step of one application; edits of what holds it reach its Cell first, whatever keeps it from continuing. */
export function judge(situation: Situation): Judgement {
  const { name } = situation.application;
  const known = situation.marks.find((one) => one.name === name) ?? { name, phase: 'Pending' };
  const judgement = applyRules(situation, shown(situation, known));
  // A spec that cannot be read does not say what holds.
  if (situation.problems.length > 0) return judgement;
  return corrected(situation, judgement) ?? judgement;
}

function applyRules(situation: Situation, before: Mark): Judgement {
  let turn = turnOf(situation, before);
  for (const [, rule] of applicationRules) {
    const outcome = rule(turn);
    if (outcome === undefined) continue;
    if ('step' in outcome) return outcome;
    // What fails goes back by the rules for that.
    if ('failed' in outcome) return applyRules(situation, { ...outcome.mark, failed: outcome.failed });
    turn = { ...turn, mark: outcome.mark };
  }
  return wait(turn.mark, 'Pending', 'There is nothing to do.');
}

function turnOf(situation: Situation, mark: Mark): Turn {
  const { application, seen } = situation;
  const { child, resolved, revisions } = seen;
  const failed = failedStill(mark, resolved);
  const [newest] = revisions;
  const isAgain = mark.failed?.retried === true && (newest?.number ?? 0) <= mark.failed.revision;
  const revision = resolved.ok && newest?.hash === resolved.hash && !isAgain ? newest : undefined;
  const isNew = situation.hold === undefined && failed === undefined;
  const taken = isNew && resolved.ok ? findTakenLabel(situation, resolved.value) : undefined;
  const hold: Hold | undefined =
    taken === undefined ? situation.hold : { kind: 'Failed', reason: 'Conflict', message: taken };
  const isAt = revision !== undefined && mark.revision === revision.number;
  const isMoving = mark.phase === 'Migrating' || mark.phase === 'Completing';
  const isServed = application.alb !== undefined && child?.revision === revision?.number;
  const begun = isAt && (isMoving || isServed);
  return { ...situation, hold, mark, failed, revision, begun };
}

/** A rule about a revision that failed, which the status shows then. */
function ofFailed(rule: (turn: Turn, failed: Failed) => Judgement | undefined): Rule {
  return (turn) => {
    const { failed, mark } = turn;
    return failed && rule({ ...turn, mark: { ...mark, phase: phaseOf(failed), failed } }, failed);
  };
}

function ofRevision(rule: (turn: Turn, revision: ObservedRevision) => Outcome | undefined): Rule {
  return (turn) => (turn.revision === undefined ? undefined : rule(turn, turn.revision));
}

function withdrawSuperseded(turn: Turn): Judgement | undefined {
  const { failed, mark, problems, revision, seen } = turn;
  if (failed !== undefined) return undefined;
  if (problems.length > 0) return withdraw(turn);
  const isSuperseded = seen.resolved.ok ? revision === undefined : seen.isSuperseded === true;
  return isSuperseded && seen.child?.isOwn !== false
    ? withdraw({ ...turn, mark: { ...mark, phase: 'Pending' } })
    : undefined;
}

function reportProblems({ mark, problems }: Turn): Judgement | undefined {
  return problems.length === 0 ? undefined : stopped(mark, 'InvalidSpec', problems.join(' '));
}

function reportForeign(turn: Turn): Judgement | undefined {
  const foreign = findForeign(turn);
  return foreign === undefined ? undefined : (deleteUnused(turn) ?? stopped(turn.mark, 'Conflict', foreign));
}

/** Applies edits to the Cell of the application, at the revision that it has, unless the next step does so anyway. */
function corrected({ seen }: Situation, { mark, step }: Judgement): Judgement | undefined {
  const { child, revisions, targetGroups } = seen;
  if (child?.isAsDesired !== false || !child.isOwn || child.isDeleting) return undefined;
  if (step.is === 'Act' && step.action.do === 'ApplyChild') return undefined;
  const revision = revisions.find(({ number }) => number === child.revision);
  if (revision?.content.application.alb === undefined) return undefined;
  const has = ({ content }: ObservedRevision, arn: string): boolean =>
    content.targetGroups.some((one) => one.arn === arn);
  // Target groups of another revision may still get traffic.
  const others = targetGroups.filter(({ arn, isOwn }) => isOwn && !has(revision, arn));
  const keep = revisions.find((one) => others.some(({ arn }) => has(one, arn)));
  return back(mark, applyChild(revision.number, keep?.number), `Applying the edit to Cell ${child.name}.`);
}

/** What the status shows of an application besides what is remembered. */
function shown(situation: Situation, known: Mark): Mark {
  const { child, revisions } = situation.seen;
  const there = child && {
    name: child.name,
    ...given({ weight: child.status.canaryWeight, step: child.status.step }),
  };
  return {
    ...omit(known, 'child', 'goodRevision'),
    ...given({ goodRevision: lastGood(revisions)?.number, child: there ?? lost(situation, known) }),
  };
}

/** Finds the Cell of an application that someone has deleted, and whose rule may serve still. */
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

function keepUnresolved(turn: Turn): Judgement | undefined {
  const { isUnknown, hold, mark, seen } = turn;
  const { resolved, revisions } = seen;
  if (resolved.ok) return undefined;
  const message = resolved.problems.join(' ');
  if (!isUnknown && resolved.isUnanswered !== true) return stopped(mark, 'InvalidApplication', message);
  const [newest] = revisions;
  const settled = newest?.isGood === true ? keepInPlace(turn, newest) : undefined;
  // What is in place is not what is asked for any more.
  const isOld = settled?.step.is === 'Done' && (seen.isSuperseded === true || mayComeTo(turn));
  if (settled !== undefined && !isOld) return settled;
  const waiting: Mark = isOld ? { ...settled.mark, phase: 'Pending' } : mark;
  return hold === undefined
    ? wait(waiting, 'WaitingForClusters', message)
    : held(waiting, hold, hold.message);
}

/** Whether an application that selects by tags in EKS may come to a cluster that no application has yet. */
const mayComeTo = ({ application, spec, others }: Turn): boolean =>
  Object.hasOwn(application.clusterSelector ?? {}, 'matchEKSTags') &&
  spec.clusters.some(({ name }) =>
    others.every(({ revisions: [newest] }) => newest?.content.clusters.every((one) => one.name !== name)),
  );

function forgetFailure({ mark: { failed, ...mark }, revision }: Turn): { readonly mark: Mark } | undefined {
  return failed === undefined || revision === undefined || failed.revision >= revision.number
    ? undefined
    : { mark };
}

function withdrawEarlier(turn: Turn): Judgement | undefined {
  const { mark, revision, begun } = turn;
  if (revision === undefined || revision.isGood || begun) return undefined;
  const { number } = revision;
  return withdraw({ ...turn, mark: { ...mark, phase: 'Prechecking', revision: number } }, number);
}

function saveRevision(turn: Turn): Judgement | undefined {
  const { mark, seen, revision } = turn;
  const { resolved, revisions } = seen;
  if (revision !== undefined || !resolved.ok) return undefined;
  const { number, hash, version } = newRevision(resolved, revisions, mark);
  const action = { do: 'SaveRevision', number, hash, version } as const;
  const pending: Turn = { ...turn, mark: { ...mark, phase: 'Pending' } };
  return act(pending, action, `Beginning with revision ${number}.`);
}

function keepInPlace(turn: Turn, revision: ObservedRevision): Judgement | undefined {
  return revision.isGood ? settle(turn, revision) : undefined;
}

/** Takes the traffic back from a revision that the spec no longer asks for, before anything else begins; the number is that of the revision that it asks for, if known. */
function withdraw(turn: Turn, number?: number): Judgement | undefined {
  const { mark, seen } = turn;
  const { child, revisions } = seen;
  const good = lastGood(revisions);
  if (good?.content.application.alb === undefined) return undefined;
  if (child === undefined) {
    const begun = revisions.find((one) => one.number > good.number && one.number !== number);
    return goodFirst(turn, begun?.number);
  }
  const isAskedFor = number !== undefined && child.revision === number;
  if (child.revision !== good.number && !isAskedFor) {
    const message = `Shifting the traffic back to revision ${good.number} before it moves to other target groups.`;
    return back(mark, applyChild(good.number, child.revision), message);
  }
  const { rollout, observedGeneration } = child.status;
  const isMoving = rollout !== undefined || observedGeneration !== child.generation;
  return child.revision === good.number && isMoving
    ? wait(mark, 'WaitingForCell', `Cell ${child.name} gives its traffic back first.`)
    : undefined;
}

function runPrechecks(turn: Turn, revision: ObservedRevision): Outcome {
  const mark: Mark = { ...turn.mark, revision: revision.number };
  if (turn.begun) return { mark };
  const checking: Turn = { ...turn, mark: { ...mark, phase: 'Prechecking' } };
  const outcome = measure(checking, { stage: 'prechecks', revision, hash: turn.seen.forwardHash });
  return isPassed(outcome) ? { mark: { ...outcome.mark, phase: 'Syncing' } } : outcome;
}

function deployClusters(turn: Turn, revision: ObservedRevision): Judgement | undefined {
  const { application, begun, secrets } = turn;
  if (application.argocd === undefined) return undefined;
  const left = deletesFirst(turn) && !begun ? leave(turn, revision) : undefined;
  if (left !== undefined) return left;
  const lacking = lackingSecrets(application.name, revision.content, secrets);
  if (lacking.length === 0) return undefined;
  const action = { do: 'ApplySecrets', number: revision.number } as const;
  // Nothing holds what keeps in place what may serve; but requests come first, since it may not answer.
  return begun && findTakenLabel(turn, revision.content) === undefined
    ? act({ ...turn, hold: undefined }, action, `Restoring the secrets of ${namesOf(lacking)}.`)
    : act(turn, action, `Handing ${namesOf(lacking)} to Argo CD.`);
}

/** Waits until Argo CD has deployed a revision that has not begun, for as long as the Cell lets it. */
function awaitArgoCD(turn: Turn, revision: ObservedRevision): Outcome | undefined {
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
    return fail(before, revision, { phase: 'CheckFailed', reason: 'SyncTimeout', message }, now);
  }
  const minutes = Math.floor((now - from) / 60_000);
  const message = `${missing} Waiting for ${minutes}m of ${syncTimeout}.`;
  return wait(mark, 'WaitingForApplicationSet', message, until);
}

/** Moves the traffic, with the checks at each weight; without a load balancer the checks are measured once. */
function moveTraffic(turn: Turn, revision: ObservedRevision): Outcome {
  const { seen } = turn;
  const mark: Mark = { ...omit(turn.mark, 'syncing'), phase: 'Migrating' };
  const moving: Turn = { ...turn, mark };
  if (turn.application.alb === undefined)
    return measure(moving, { stage: 'checks', revision, hash: revision.hash });
  if (seen.child?.isDeleting === true)
    return wait(mark, 'Deleting', `Cell ${seen.child.name} is being deleted.`);
  const first = goodFirst(moving, revision.number);
  if (first !== undefined) return first;
  const state = childState(turn, revision);
  if (state.is === 'Failed') {
    const { message } = state;
    return fail(mark, revision, { phase: 'CheckFailed', reason: 'CheckFailed', message }, turn.now);
  }
  const served = servedBy(seen.revisions, seen.child?.status.stableVersion);
  const keep = lastGood(seen.revisions) ?? served.find(({ number }) => number !== revision.number);
  if (!isChildAsDesired(turn, revision, keep)) {
    const action = applyChild(revision.number, keep?.number);
    const message = `Moving the traffic to revision ${revision.number}.`;
    // A Cell that is at the revision holds by itself what is edited meanwhile, and has to know what holds.
    const isKnown = seen.child?.revision === revision.number;
    return isKnown ? back(mark, action, message) : act(turn, action, message, mark);
  }
  if (state.is === 'Done') return { mark };
  return state.is === 'Held' && turn.spec.onFailure === 'Hold'
    ? stayStopped(mark, state.message)
    : wait(mark, (state.is === 'Moving' ? state.reason : undefined) ?? 'Migrating', state.message);
}

function runPostchecks(turn: Turn, revision: ObservedRevision): Outcome {
  const completing: Turn = { ...turn, mark: { ...turn.mark, phase: 'Completing' } };
  return measure(completing, { stage: 'postchecks', revision, hash: revision.hash });
}

function markGood(turn: Turn, { number }: ObservedRevision): Judgement {
  const message = `Revision ${number} is deployed; removing what it no longer uses.`;
  return act(turn, { do: 'MarkGood', number }, message);
}

/** Has a Cell that someone deleted serve the good revision first: one that knows only another gives that all traffic unchecked. */
export function goodFirst(turn: Turn, begun: number | undefined): Judgement | undefined {
  const { application, cell, mark, problems, seen } = turn;
  const { child, revisions, targetGroups } = seen;
  const good = lastGood(revisions);
  if (good?.content.application.alb === undefined || application.alb === undefined || problems.length > 0)
    return undefined;
  const { number, version, content } = good;
  // What has served others continues from there, also where the good one is gone.
  const { stableVersion = '', history = [] } = child?.status ?? {};
  const isSettled = isSameVersion(stableVersion, version) || history.length > 0;
  if (child !== undefined && (child.revision !== number || isSettled)) return undefined;
  const unneeded = `If revision ${number} is no longer needed, delete ControllerRevision ${revisionName(cell, application.name, number)}; the newer one then gets all traffic at once.`;
  if (child === undefined && !isDeployed(turn, good)) {
    if (mark.child === undefined) return undefined;
    const secrets = [...new Set(content.clusters.map(({ secretName }) => secretName))].join(' or ');
    const message = `Secret ${secrets} does not have application ${application.name}, which Cell ${mark.child.name} needs before it is created again, so that revision ${number} gets the traffic first. Restore it, or send abort while a newer revision is under way.`;
    return wait(mark, GOOD_FIRST, `${message} ${unneeded}`);
  }
  const kept = revisions.find((one) => one.number === begun);
  const groups = [good, kept].flatMap((one) => one?.content.targetGroups ?? []);
  const isThere = (arn: string): boolean => targetGroups.some((one) => one.isOwn && one.arn === arn);
  if (child !== undefined && groups.every(({ arn }) => isThere(arn))) {
    // The targets of the good revision may be gone.
    const state = childState(turn, good);
    const why = state.is === 'Done' ? '' : `${state.message} `;
    return wait(mark, GOOD_FIRST, `Revision ${number} gets the traffic first. ${why}${unneeded}`);
  }
  const message = `Making the Cell again, which gives the traffic to revision ${number} first.`;
  return back(mark, applyChild(number, kept?.number), message);
}

/** Whether Argo CD has some of what gets the traffic: none where the application or its secrets were removed. */
const isDeployed = ({ application, secrets }: Turn, { content }: ObservedRevision): boolean =>
  content.application.argocd === undefined ||
  content.clusters.some(({ secretName }) =>
    secrets.some(
      (one) => one.isOwn && one.name === secretName && Object.hasOwn(one.applications, application.name),
    ),
  );

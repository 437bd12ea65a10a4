import { given, omit } from '../model/fields.ts';
import {
  awaitArgoCD,
  deployClusters,
  hasBegun,
  markGood,
  moveTraffic,
  runPostchecks,
  runPrechecks,
  withdraw,
} from './advance.ts';
import { findForeign, findTakenLabel } from './conflicts.ts';
import {
  awaitRollback,
  clearFirst,
  endAllChecks,
  restoreGood,
  stayFailed,
  takeTrafficBack,
  deleteUnused,
  settle,
} from './settle.ts';
import {
  applyChild,
  back,
  failedStill,
  forward,
  lastGood,
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
import type { Named } from '../rules.ts';
import { endChecks } from './measure.ts';
import type { ObservedRevision, Resolved } from './observation.ts';
import { newRevision } from './revisions.ts';

/** The rules of an application in their order: the first that has something to do decides. */
export const applicationRules: readonly Named<Rule>[] = [
  ['Traffic of a revision that failed or was aborted goes back', ofFailed(takeTrafficBack)],
  ['Traffic of a revision that the spec no longer asks for goes back', withdrawSuperseded],
  ['A spec that cannot be read stops it', reportProblems],
  ['What belongs to someone else stops it', reportForeign],
  ['Checks of a revision that failed end', ofFailed(endAllChecks)],
  ['With onFailure Hold a revision that failed stays', ofFailed(stayFailed)],
  ['The rest of a revision that failed stays for rollbackDelay', ofFailed(awaitRollback)],
  ['A first revision that failed is removed', ofFailed(clearFirst)],
  ['The last good revision is restored', ofFailed(restoreGood)],
  ['What cannot be determined keeps it as it is', keepUnresolved],
  ['A failure of an earlier revision is forgotten', forgetFailure],
  ['Traffic of an earlier revision goes back before one begins', withdrawEarlier],
  ['What the spec comes to is saved as a revision', saveRevision],
  ['Checks of other revisions end', ofRevision((turn, { number }) => endChecks(turn, turn.mark, number))],
  ['A good revision is kept in place', ofRevision(keepInPlace)],
  ['The prechecks run', ofRevision(runPrechecks)],
  ['Argo CD gets the clusters', ofRevision(deployClusters)],
  ['Argo CD deploys', ofRevision(awaitArgoCD)],
  ['The traffic moves, with the checks', ofRevision(moveTraffic)],
  ['The postchecks run', ofRevision(runPostchecks)],
  ['The revision is good', ofRevision(markGood)],
];

/** Decides the next step of one application; edits of what holds it reach its Cell first, whatever keeps it from going on. */
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
  const { resolved, revisions } = situation.seen;
  const failed = failedStill(mark, resolved);
  const [newest] = revisions;
  const isAgain = mark.failed?.retried === true && (newest?.number ?? 0) <= mark.failed.revision;
  const revision = resolved.ok && newest?.hash === resolved.hash && !isAgain ? newest : undefined;
  const hold =
    situation.hold ??
    (resolved.ok && failed === undefined ? holdForLabel(situation, resolved.value) : undefined);
  const begun = revision !== undefined && hasBegun(situation, mark, revision);
  return { ...situation, hold, mark, failed, revision, begun };
}

/** Refuses to take a label from another application. */
function holdForLabel(situation: Situation, content: Resolved): Hold | undefined {
  const message = findTakenLabel(situation, content);
  return message === undefined ? undefined : { kind: 'Failed', reason: 'Conflict', message };
}

/** A rule about a revision that failed. */
function ofFailed(rule: (turn: Turn, failed: Failed) => Judgement | undefined): Rule {
  return (turn) => (turn.failed === undefined ? undefined : rule(turn, turn.failed));
}

/** A rule about the revision that the spec comes to. */
function ofRevision(rule: (turn: Turn, revision: ObservedRevision) => Outcome | undefined): Rule {
  return (turn) => (turn.revision === undefined ? undefined : rule(turn, turn.revision));
}

function withdrawSuperseded(turn: Turn): Judgement | undefined {
  const { failed, mark, problems, revision, seen } = turn;
  if (failed !== undefined) return undefined;
  if (problems.length > 0) return withdraw(turn, mark, undefined);
  const isSuperseded = seen.resolved.ok ? revision === undefined : seen.isSuperseded === true;
  return isSuperseded && seen.child?.isOwn !== false
    ? withdraw(turn, { ...mark, phase: 'Pending' }, undefined)
    : undefined;
}

function reportProblems({ mark, problems }: Turn): Judgement | undefined {
  return problems.length === 0 ? undefined : stopped(mark, 'InvalidSpec', problems.join(' '));
}

function reportForeign(turn: Turn): Judgement | undefined {
  const { mark } = turn;
  const foreign = findForeign(turn);
  if (foreign === undefined) return undefined;
  const unused = deleteUnused(turn, mark, { clusters: [] }, (action, message) =>
    forward(turn, [mark, mark], action, message),
  );
  return unused ?? stopped(mark, 'Conflict', foreign);
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

/** Keeps what there is while the application cannot be resolved. */
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
  if (hold === undefined) return wait(waiting, 'WaitingForClusters', message);
  const { kind, reason, until } = hold;
  return { mark: waiting, step: { is: 'Wait', hold: kind, reason, message: hold.message, until } };
}

/** Whether an application that selects by tags in EKS may come to a cluster that no application has yet. */
const mayComeTo = ({ application, spec, others }: Turn): boolean =>
  Object.hasOwn(application.clusterSelector ?? {}, 'matchEKSTags') &&
  spec.clusters.some(({ name }) =>
    others.every(({ revisions: [newest] }) => newest?.content.clusters.every((one) => one.name !== name)),
  );

/** Forgets what failed before the revision that is brought about now. */
function forgetFailure({ mark: { failed, ...mark }, revision }: Turn): { readonly mark: Mark } | undefined {
  return failed === undefined || revision === undefined || failed.revision >= revision.number
    ? undefined
    : { mark };
}

function withdrawEarlier(turn: Turn): Judgement | undefined {
  const { mark, revision, begun } = turn;
  if (revision === undefined || revision.isGood || begun) return undefined;
  const { number } = revision;
  return withdraw(turn, { ...mark, phase: 'Prechecking', revision: number }, number);
}

function saveRevision(turn: Turn): Judgement | undefined {
  const { mark, seen, revision } = turn;
  const { resolved, revisions } = seen;
  if (revision !== undefined || !resolved.ok) return undefined;
  const { number, hash, version } = newRevision({ resolved, revisions }, mark);
  const action = { do: 'SaveRevision', number, hash, version } as const;
  const pending: Mark = { ...mark, phase: 'Pending' };
  return forward(turn, [pending, pending], action, `Beginning with revision ${number}.`);
}

function keepInPlace(turn: Turn, revision: ObservedRevision): Judgement | undefined {
  return revision.isGood ? settle(turn, turn.mark, { revision, isReverting: false }) : undefined;
}

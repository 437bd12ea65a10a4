import { decideBy, type Rules } from '../rules.ts';
import { childState, isChildAsDesired } from './child.ts';
import type { ApplicationAction } from './decision.ts';
import { undeployed } from './deployments.ts';
import { findTakenFromGood, foreignSecret, takenByAnother } from './conflicts.ts';
import type { ObservedRevision } from './observation.ts';
import { leave } from './leave.ts';
import { lackingSecrets, leftSecrets, isAskedBy } from './secrets.ts';
import {
  back,
  deletesFirst,
  forward,
  stopped,
  wait,
  type Judgement,
  type Mark,
  type Situation,
  lastGood,
  restore,
} from './situation.ts';

/** What is settled: a revision that is good, after it was brought about, or because everything goes back to it. */
interface Settling {
  readonly revision: ObservedRevision;
  /** What has failed, when everything goes back. */
  readonly failed?: ObservedRevision | undefined;
  readonly isReverting: boolean;
}

/** How a good revision is kept or restored, in this order: the first that has something to do decides. */
export const keepRules: Rules<[situation: Situation, mark: Mark, settling: Settling], Judgement> = [
  ['Its Cell serves the revision', serveRevision],
  ['It takes no label from another application', reportTakenLabel],
  ['What deletes first leaves its new clusters before it returns', leaveFirst],
  ['Lost secrets are restored', restoreSecrets],
  ['The traffic arrives before anything goes', awaitTraffic],
  ['Secrets and target groups of other revisions go', letGo],
  ['Argo CD deploys what returns', awaitArgoCD],
];

/** Keeps a good revision in place, and lets go what it does not have. */
export function settle(situation: Situation, before: Mark, settling: Settling): Judgement {
  const { revision, isReverting } = settling;
  const mark: Mark = {
    ...before,
    phase: isReverting ? 'Reverting' : 'Completing',
    revision: revision.number,
  };
  return (
    decideBy(keepRules, situation, mark, settling) ?? {
      mark: { ...mark, phase: 'Synced' },
      step: { is: 'Done', message: `Revision ${revision.number} is in place.` },
    }
  );
}

/** Has the Cell of the application serve the revision. */
function serveRevision(situation: Situation, mark: Mark, { revision, failed, isReverting }: Settling) {
  if (revision.content.application.alb === undefined) return undefined;
  const { child } = situation.seen;
  if (child?.isDeleting === true) return wait(mark, 'Deleting', `Cell ${child.name} is being deleted.`);
  // What is left of other revisions goes later, after all else.
  const keep = leftOver(situation, revision, failed);
  if (isChildAsDesired(situation, revision, keep)) return undefined;
  const action = { do: 'ApplyChild', number: revision.number, ...keeping(failed) } as const;
  const message = `Having the Cell serve revision ${revision.number}.`;
  // A Cell that is at the revision holds by itself what is edited, and has to know what holds.
  const isKnown = child?.revision === revision.number;
  return isReverting || isKnown
    ? back(mark, action, message)
    : forward(situation, [mark, mark], action, message);
}

const keeping = (failed: ObservedRevision | undefined): { readonly keep?: number } =>
  failed === undefined ? {} : { keep: failed.number };

/** Whatever target groups there are besides, as a revision. */
function leftOver(
  { seen }: Situation,
  revision: ObservedRevision,
  failed: ObservedRevision | undefined,
): ObservedRevision {
  const targetGroups = seen.targetGroups.map(({ arn }) => ({ arn, clusters: [] }));
  return { ...(failed ?? revision), content: { ...revision.content, targetGroups } };
}

/** Takes no label from another application, and leaves everything as it is then. */
function reportTakenLabel(situation: Situation, mark: Mark, { revision }: Settling) {
  const kept = findTakenFromGood(situation, revision.content);
  return kept === undefined ? undefined : stopped(mark, 'Conflict', kept);
}

/** Has the clusters of the revision in Argo CD. */
function restoreSecrets(situation: Situation, mark: Mark, { revision }: Settling) {
  const { application, secrets: existing } = situation;
  if (revision.content.application.argocd === undefined) return undefined;
  const lacking = lackingSecrets(application.name, revision.content, existing);
  if (lacking.length > 0) {
    const names = lacking.map(({ name }) => name).join(', ');
    const action = { do: 'ApplySecrets', number: revision.number } as const;
    return back(mark, action, `Restoring the secrets of ${names}.`);
  }
  return undefined;
}

/** Waits for Argo CD to have the application where it was, once all else is as it was. */
function awaitArgoCD(situation: Situation, mark: Mark, { revision, isReverting }: Settling) {
  const missing = isReverting ? undeployed(situation, revision) : undefined;
  return missing === undefined ? undefined : wait(mark, 'WaitingForApplicationSet', missing);
}

/** Waits for the traffic to be where it belongs before anything goes. */
function awaitTraffic(situation: Situation, mark: Mark, settling: Settling) {
  const { revision, isReverting } = settling;
  if (revision.content.application.alb === undefined || !(isReverting || hasLeft(situation, revision)))
    return undefined;
  const state = childState(situation, revision);
  return state.is === 'Done' ? undefined : wait(mark, 'WaitingForCell', state.message);
}

const hasLeft = (situation: Situation, revision: ObservedRevision): boolean =>
  leftSecrets(situation.application.name, revision.content, situation.secrets).length > 0 ||
  (revision.content.application.alb !== undefined && !isChildAsDesired(situation, revision));

function leaveFirst(situation: Situation, mark: Mark, settling: Settling) {
  return settling.isReverting && deletesFirst(situation) ? letGo(situation, mark, settling) : undefined;
}

/** Lets go of secrets and target groups that the revision does not have. */
function letGo(situation: Situation, mark: Mark, { revision, isReverting }: Settling) {
  const act = isReverting
    ? (action: ApplicationAction, message: string) => back(mark, action, message)
    : (action: ApplicationAction, message: string) => forward(situation, [mark, mark], action, message);
  const left = leave(situation, mark, revision, act);
  if (left !== undefined) return left;
  const { alb } = revision.content.application;
  if (alb === undefined || isChildAsDesired(situation, revision)) return undefined;
  // Where old clusters go first there is no load balancer, so that this comes after the traffic.
  const action = { do: 'ApplyChild', number: revision.number } as const;
  return act(action, `Removing the target groups that revision ${revision.number} does not have.`);
}

/**
 * Restores the secrets by which Argo CD deploys the good revision, while what comes next waits. Not where its Cell is gone,
 * or goes: then nobody knows whether the good revision can serve, and the secrets would have it get the traffic.
 */
export function keepGood(situation: Situation, { mark, step }: Judgement): Judgement | undefined {
  const { application, seen, secrets } = situation;
  if (step.is !== 'Wait' || seen.child?.isDeleting === true) return undefined;
  const good = lastGood(seen.revisions);
  if (good?.content.application.argocd === undefined) return undefined;
  if (good.content.application.alb !== undefined && seen.child === undefined) return undefined;
  const asks = (name: string): boolean => isAskedBy(secrets, name, application.name);
  // An application that was removed with its secrets, and comes again, has a good revision that is not in place.
  const isInPlace =
    mark.revision === good.number ||
    seen.child !== undefined ||
    good.content.clusters.some(({ secretName }) => asks(secretName));
  const newer = seen.revisions.filter(({ number }) => number > good.number);
  if (!isInPlace || mayHaveGone(good, newer)) return undefined;
  // What is of others by now is not lost.
  if (foreignSecret(good.content, secrets) !== undefined) return undefined;
  if (takenByAnother(good.content, secrets) !== undefined) return undefined;
  const lacking = lackingSecrets(application.name, good.content, secrets);
  // A newer revision may have asked others for other labels, which this would take from it.
  const isLostOnly = newer.length === 0 || lacking.every(({ secretName }) => !asks(secretName));
  if (lacking.length === 0 || !isLostOnly || findTakenFromGood(situation, good.content) !== undefined)
    return undefined;
  const names = lacking.map(({ name }) => name).join(', ');
  return restore(mark, { do: 'ApplySecrets', number: good.number }, names);
}

/** Whether secrets of the good revision may have been removed for what comes; also for a revision between that is not seen any more, unless a rule keeps them. */
function mayHaveGone(good: ObservedRevision, newer: readonly ObservedRevision[]): boolean {
  const [newest = good] = newer;
  const isAnyUnseen = newest.number - good.number > newer.length;
  return (
    newer.some(({ content }) => deletesFirst(content)) ||
    (isAnyUnseen && good.content.application.alb === undefined)
  );
}

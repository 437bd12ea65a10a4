import { findTakenFromGood, foreignSecret, takenByAnother } from './conflicts.ts';
import type { ObservedRevision } from './observation.ts';
import { isAskedBy, lackingSecrets } from './secrets.ts';
import { deletesFirst, lastGood, restore, type Judgement, type Situation } from './situation.ts';

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

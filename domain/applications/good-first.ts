import { optional } from '../model/status-input.ts';
import { isSameVersion } from '../versions/version.ts';
import { childState } from './child-state.ts';
import { revisionName } from './names.ts';
import type { ObservedApplication, ObservedChild, ObservedRevision } from './observation.ts';
import { back, GOOD_FIRST, lastGood, wait, type Judgement, type Mark, type Situation } from './situation.ts';

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
      : wait(mark, GOOD_FIRST, undeployed(situation, good, mark.child.name));
  const kept = revisions.find(({ number }) => number === begun);
  if (child !== undefined && [good, kept].every((one) => hasGroups(seen, one)))
    return wait(mark, GOOD_FIRST, waiting(situation, good));
  const action = { do: 'ApplyChild', number: good.number, ...optional('keep', kept?.number) } as const;
  return back(
    mark,
    action,
    `Making the Cell again, which gives the traffic to revision ${good.number} first.`,
  );
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
function undeployed(situation: Situation, good: ObservedRevision, child: string): string {
  const { application } = situation;
  const secrets = [...new Set(good.content.clusters.map(({ secretName }) => secretName))];
  const number = good.number;
  return `Expected Secret ${secrets.join(' or ')} to ask for application ${application.name} before Cell ${child} is made again, so that revision ${number} gets the traffic first, got none. Restore it, or send abort while a newer revision is under way. ${unneeded(situation, good)}`;
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

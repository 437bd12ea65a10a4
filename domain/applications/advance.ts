import { childState, isChildAsDesired } from './child-state.ts';
import { awaitDeployment } from './deployment.ts';
import { measure, type Measure, type Measuring } from './measure.ts';
import type { ObservedRevision } from './observation.ts';
import { goodFirst } from './good-first.ts';
import { findTakenLabel } from './conflicts.ts';
import { servedBy } from './revisions.ts';
import { leave } from './leave.ts';
import { lackingSecrets } from './secrets.ts';
import {
  back,
  STAYS,
  STOPPED,
  stopped,
  deletesFirst,
  forward,
  lastGood,
  restore,
  wait,
  type Judgement,
  type Mark,
  type Situation,
} from './situation.ts';

/** What bringing a revision about has come to: the next step, or that it has failed. */
export type Advance =
  | { readonly is: 'Going'; readonly judgement: Judgement }
  | { readonly is: 'Failed'; readonly mark: Mark; readonly failed: NonNullable<Mark['failed']> };

/** Brings a revision about that is not in place yet: prechecks, secrets, traffic with its checks, postchecks. */
export function advance(situation: Situation, before: Mark, revision: ObservedRevision): Advance {
  const begun = hasBegun(situation, before, revision);
  const mark: Mark = { ...before, revision: revision.number };
  if (!begun) {
    const superseded = withdraw(situation, { ...mark, phase: 'Prechecking' }, revision.number);
    if (superseded !== undefined) return { is: 'Going', judgement: superseded };
    const { forwardHash: hash } = situation.seen;
    const checked = check(
      situation,
      { ...mark, phase: 'Prechecking' },
      { stage: 'prechecks', revision, hash },
    );
    if (checked.is !== 'Passed') return failing(checked, { situation, revision, phase: 'PrecheckFailed' });
    return migrate(situation, { ...checked.mark, phase: 'Syncing' }, { revision, begun });
  }
  return migrate(situation, mark, { revision, begun });
}

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
    const keep = child.revision === undefined ? {} : { keep: child.revision };
    const action = { do: 'ApplyChild', number: good.number, ...keep } as const;
    return back(
      mark,
      action,
      `Giving the traffic back to revision ${good.number}, as it is to go elsewhere.`,
    );
  }
  const { rollout, observedGeneration } = child.status;
  const isMoving = rollout !== undefined || observedGeneration !== child.generation;
  return child.revision === good.number && isMoving
    ? wait(mark, 'WaitingForCell', `Cell ${child.name} gives its traffic back first.`)
    : undefined;
}

interface Going {
  readonly revision: ObservedRevision;
  readonly begun: boolean;
}

function migrate(situation: Situation, syncing: Mark, { revision, begun }: Going): Advance {
  const deploying = deploy(situation, syncing, { revision, begun });
  if (deploying !== undefined) return { is: 'Going', judgement: deploying };
  const waiting = begun ? undefined : awaitDeployment(situation, syncing, revision);
  if (waiting?.is === 'Late') {
    const why = { revision, phase: 'CheckFailed', reason: 'SyncTimeout', message: waiting.message } as const;
    return failed(syncing, why, situation.now);
  }
  if (waiting !== undefined) return { is: 'Going', judgement: waiting.judgement };
  const { syncing: _over, ...deployed } = syncing;
  const mark: Mark = { ...deployed, phase: 'Migrating' };
  const moved = move(situation, [syncing, mark], revision);
  if (moved.is !== 'Passed') return failing(moved, { situation, revision, phase: 'CheckFailed' });
  const completing: Mark = { ...moved.mark, phase: 'Completing' };
  const last = { stage: 'postchecks', revision, hash: revision.hash } as const;
  const checked = check(situation, completing, last);
  if (checked.is !== 'Passed') return failing(checked, { situation, revision, phase: 'CheckFailed' });
  const action = { do: 'MarkGood', number: revision.number } as const;
  const message = `Revision ${revision.number} is in place; what it does not have goes.`;
  return { is: 'Going', judgement: forward(situation, [checked.mark, checked.mark], action, message) };
}

/** Whether more was done for a revision than to hand its clusters to Argo CD. */
function hasBegun({ seen, application }: Situation, mark: Mark, revision: ObservedRevision): boolean {
  if (mark.revision !== revision.number) return false;
  if (mark.phase === 'Migrating' || mark.phase === 'Completing') return true;
  return application.alb !== undefined && seen.child?.revision === revision.number;
}

/** Hands the clusters of the revision to Argo CD. */
function deploy(situation: Situation, mark: Mark, { revision, begun }: Going): Judgement | undefined {
  const { application, secrets } = situation;
  if (application.argocd === undefined) return undefined;
  if (deletesFirst(situation) && !begun) {
    const left = leave(situation, mark, revision, (action, message) =>
      forward(situation, [mark, mark], action, message),
    );
    if (left !== undefined) return left;
  }
  const lacking = lackingSecrets(application.name, revision.content, secrets);
  if (lacking.length === 0) return undefined;
  const action = { do: 'ApplySecrets', number: revision.number } as const;
  const names = lacking.map(({ name }) => name).join(', ');
  const isRestored = begun && findTakenLabel(situation, revision.content) === undefined;
  return isRestored
    ? restore(mark, action, names)
    : forward(situation, [mark, mark], action, `Handing ${names} to Argo CD.`);
}

/** Moves the traffic, with the checks at each weight; without a load balancer the checks are measured once. */
function move(
  situation: Situation,
  [before, mark]: readonly [Mark, Mark],
  revision: ObservedRevision,
): Measuring {
  const { application, seen } = situation;
  if (application.alb === undefined)
    return check(situation, mark, { stage: 'checks', revision, hash: revision.hash });
  if (seen.child?.isDeleting === true) {
    return { is: 'Going', judgement: wait(mark, 'Deleting', `Cell ${seen.child.name} is being deleted.`) };
  }
  const first = goodFirst(situation, mark, revision.number);
  if (first !== undefined) return { is: 'Going', judgement: first };
  const state = childState(situation, revision);
  if (state.is === 'Failed') return { is: 'Failed', mark, check: TRAFFIC, message: state.message };
  const keep = lastGood(seen.revisions) ?? servedBefore(situation, revision);
  if (!isChildAsDesired(situation, revision, keep)) {
    const action = {
      do: 'ApplyChild',
      number: revision.number,
      ...(keep === undefined ? {} : { keep: keep.number }),
    } as const;
    const message = `Moving the traffic to revision ${revision.number}.`;
    // A Cell that is at the revision holds by itself what is edited meanwhile, and has to know what holds.
    const isKnown = seen.child?.revision === revision.number;
    const judgement = isKnown
      ? back(mark, action, message)
      : forward(situation, [before, mark], action, message);
    return { is: 'Going', judgement };
  }
  if (state.is === 'Done') return { is: 'Passed', mark };
  const judgement =
    state.is === 'Held' && situation.spec.onFailure === 'Stop'
      ? stopped(mark, STOPPED, `${state.message} ${STAYS}`)
      : wait(mark, (state.is === 'Moving' ? state.reason : undefined) ?? 'Migrating', state.message);
  return { is: 'Going', judgement };
}

/** What the Cell of an application serves while no revision was good yet. */
const servedBefore = (
  { seen: { child, revisions } }: Situation,
  { number }: ObservedRevision,
): ObservedRevision | undefined =>
  servedBy(revisions, child?.status.stableVersion).find((one) => one.number !== number);

/** What fails when the Cell of an application takes its traffic back. */
const TRAFFIC = 'The traffic';

const check = (situation: Situation, mark: Mark, what: Measure): Measuring => measure(situation, mark, what);

interface Failing {
  readonly situation: Situation;
  readonly revision: ObservedRevision;
  readonly phase: 'PrecheckFailed' | 'CheckFailed';
}

function failing(
  measuring: Exclude<Measuring, { is: 'Passed' }>,
  { situation, revision, phase }: Failing,
): Advance {
  if (measuring.is === 'Going') return measuring;
  const { mark, check: name, message } = measuring;
  const cause = name === TRAFFIC ? message : `${name} failed.`;
  return failed(mark, { revision, phase, reason: phase, message: cause }, situation.now);
}

interface Failure {
  readonly revision: ObservedRevision;
  readonly phase: 'PrecheckFailed' | 'CheckFailed';
  readonly reason: string;
  readonly message: string;
}

const failed = (
  { syncing: _over, ...mark }: Mark,
  { revision: { number, hash }, message, ...why }: Failure,
  now: number,
): Advance => ({
  is: 'Failed',
  mark,
  failed: {
    ...why,
    revision: number,
    hash,
    message: message.slice(0, 1024),
    time: new Date(now).toISOString(),
  },
});

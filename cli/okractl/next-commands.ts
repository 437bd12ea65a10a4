import type { Cell, CellStatus } from '../../crds/cell.ts';
import { isDegraded, isLeftToPromote } from './refusals.ts';

/** A command, and what it does as things stand. */
type Offer = readonly [verb: string, does: string];

const RETRY: Offer = ['retry', 'tries again at once'];
const PAUSE: Offer = ['pause', 'holds it where it is'];

const PROMOTE: Offer = ['promote', 'goes on without a good verdict'];

/** What makes sense while a rollout waits, by what it waits for; it can always be aborted. */
const whileWaiting: Readonly<Record<string, readonly Offer[]>> = {
  WaitingForResume: [['resume', 'ends the pause']],
  WaitingForPause: [['promote', 'ends the pause'], PAUSE],
  WaitingForApproval: [['approve', 'approves the step'], PAUSE],
  ApprovalTimedOut: [['approve', 'approves the step']],
  WaitingForVerdict: [PROMOTE, ['retry', 'measures again']],
  WaitingForAnalysis: [['promote', 'goes on without the verdict'], PAUSE],
  WaitingForExperiment: [['promote', 'goes on without the verdict'], PAUSE],
  WaitingForCheck: [['promote', 'goes on without the verdict'], PAUSE],
  WaitingForJob: [['promote', 'goes on without the Job'], PAUSE],
  WaitingForBake: [['promote', 'ends the watch, and the rollout']],
  // None is ended by a request; a Freeze is lifted by whoever has made it.
  WaitingForWindow: [PAUSE],
  WaitingForFreeze: [PAUSE],
  WaitingForClusters: [PAUSE],
  WaitingForApplication: [PAUSE],
  WaitingForKind: [PAUSE],
};

/** The commands that make sense for a Cell as it stands, with what each does. */
export function commandsFor({ metadata, status = {} }: Pick<Cell, 'metadata' | 'status'>): readonly string[] {
  const { name, namespace } = metadata;
  const where = namespace === undefined || namespace === 'default' ? '' : ` -n ${namespace}`;
  return offersFor(status).map(([verb, does]) => `okractl ${verb} ${name}${where}  (${does})`);
}

function offersFor(status: CellStatus): readonly Offer[] {
  const { rollout, blockedVersions = [], reason = '' } = status;
  if (status.applications !== undefined) return ofApplications(status);
  if (rollout === undefined) return blockedVersions.length === 0 ? [] : [['retry', 'lifts what is blocked']];
  if (rollout.ending !== undefined) return [['watch', 'it is being taken back']];
  const abort: Offer = ['abort', `everything back to ${status.stableVersion ?? 'what served'}`];
  if (isLeftToPromote(status)) return [PROMOTE, abort];
  const known = whileWaiting[reason];
  if (known !== undefined) return [...known, abort];
  return [...(isDegraded(status) ? [RETRY] : [PAUSE]), abort, ['watch', 'looks on']];
}

/** What makes sense for a Cell with applications. */
function ofApplications({ applications = [], paused }: CellStatus): readonly Offer[] {
  if (paused !== undefined) return [['resume', 'ends the pause']];
  const hasFailed = applications.some(({ failed }) => failed !== undefined && failed.retried !== true);
  const isMoving = applications.some(({ phase }) => phase !== 'Synced');
  return [
    ...(hasFailed ? [['retry', 'tries again what has failed'] as const] : []),
    ...(isMoving ? [PAUSE, ['abort', 'takes what is under way back'] as const] : []),
  ];
}

import type { Cell, CellStatus } from '../../crds/cell.ts';
import { isDegraded } from '../../domain/kubernetes/conditions.ts';
import type { AskName } from '../../domain/model/request.ts';
import { formatTarget, type Target } from './target.ts';

/** Says why a request makes no sense without an open run. */
export function withoutRun(
  target: Target,
  status: { readonly phase?: string | undefined; readonly message?: string | undefined } | undefined,
  name: AskName,
): string {
  const { phase, message = '' } = status ?? {};
  const got = phase === undefined ? 'not reconciled yet; see okractl check' : withMessage(phase, message);
  const hint =
    name === 'abort' || name === 'pause'
      ? ' To prevent a rollout, pin spec.version or use okractl freeze. To return to an older version, use okractl rollback --to.'
      : '';
  return `${formatTarget(target)} has no running rollout (${got}).${target.kind === 'Cell' ? hint : ''}`;
}

const withMessage = (phase: string, message: string): string =>
  message === '' ? phase : `${phase}: ${message.replace(/\.$/, '')}`;

/** Says that nothing is at work on a rollout that its status still has, and what has it taken up again; undefined when there is none. */
export function leftBehind(
  target: Target,
  { rollout, stableVersion, phase = 'Progressing', message = '' }: CellStatus,
  name: AskName,
): string | undefined {
  if (rollout === undefined) return undefined;
  const { namespace, name: cell } = target.key;
  const of = `${cell} -n ${namespace}`;
  const stands = withMessage(phase, message);
  const what = `No workflow runs the rollout of ${formatTarget(target)}: it was terminated, or Temporal lost it. The weights stay as they are; the last status was ${stands}.`;
  // A retry would lift the block of the version that is being taken back.
  if (rollout.ending !== undefined)
    return `${what} To shift all traffic back, use okractl rollback ${of} --to ${stableVersion ?? 'VERSION'}.`;
  return `${what} Start one with okractl retry ${of}, which continues the rollout; when okractl describe ${of} shows that, send ${name} again.`;
}

/** What a retry tries again: versions that are blocked, and applications that have failed. */
export const retried = ({ blockedVersions = [], applications = [] }: CellStatus): readonly string[] => [
  ...blockedVersions.map(({ version }) => version),
  ...applications.filter(({ failed }) => failed !== undefined).map(({ name }) => name),
];

/** Whether a rollout has all its steps done, and does not bake: nothing measures again, and no step is left to be promoted. */
export const isPastSteps = ({ step, rollout }: CellStatus): boolean =>
  rollout !== undefined && rollout.stepEndsAt === undefined && step === 'done';

/** Whether a verdict holds a rollout that nothing would take the place of any more, so that a promote alone goes on. */
export const isLeftToPromote = (status: CellStatus): boolean =>
  status.phase === 'Paused' && isDegraded(status) && (isPastSteps(status) || isPromotedFull(status));

/** Whether a verdict holds a rollout whose steps that are left are left out. */
const isPromotedFull = ({ approval, rollout, requests = [] }: CellStatus): boolean =>
  approval === undefined &&
  rollout !== undefined &&
  rollout.paused === undefined &&
  rollout.stepEndsAt === undefined &&
  requests.some(
    ({ action, time }) => action === 'promoteFull' && Date.parse(time) >= Date.parse(rollout.startedAt),
  );

/** Says why there is nothing to retry; undefined when there is. */
export function nothingToRetry(target: Target, status: CellStatus = {}): string | undefined {
  if (retried(status).length > 0 || status.rollout !== undefined) return undefined;
  const got = withMessage(status.phase ?? 'none', status.message ?? '');
  return `nothing to retry: ${formatTarget(target)} has no failed version and no blocked rollout (${got}).`;
}

type Offer = readonly [verb: string, does: string];

const RETRY: Offer = ['retry', 'retries at once'];
const PAUSE: Offer = ['pause', 'holds the rollout at its weight'];
const PROMOTE: Offer = ['promote', 'continues despite the result'];

/** What makes sense while a rollout waits, by what it waits for; it can always be aborted. */
const whileWaiting: Readonly<Record<string, readonly Offer[]>> = {
  WaitingForResume: [['resume', 'ends the pause']],
  WaitingForPause: [['promote', 'ends the pause'], PAUSE],
  WaitingForApproval: [['approve', 'approves the step'], PAUSE],
  ApprovalTimedOut: [['approve', 'approves the step']],
  WaitingForVerdict: [PROMOTE, ['retry', 'reruns the analysis']],
  WaitingForAnalysis: [['promote', 'continues without the result'], PAUSE],
  WaitingForExperiment: [['promote', 'continues without the result'], PAUSE],
  WaitingForCheck: [['promote', 'continues without the result'], PAUSE],
  WaitingForJob: [['promote', 'continues without the Job'], PAUSE],
  WaitingForBake: [['promote', 'ends the bake, and the rollout']],
  // None is ended by a request; a Freeze is lifted by whoever has made it.
  WaitingForWindow: [PAUSE],
  WaitingForFreeze: [PAUSE],
  WaitingForClusters: [PAUSE],
  WaitingForApplication: [PAUSE],
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
  if (rollout === undefined)
    return blockedVersions.length === 0 ? [] : [['retry', 'unblocks and retries the version']];
  if (rollout.ending !== undefined) return [['watch', 'the rollout is being reverted']];
  const { stableVersion = 'the stable version' } = status;
  const abort: Offer = ['abort', `shifts all traffic back to ${stableVersion}`];
  if (isLeftToPromote(status)) return [PROMOTE, abort];
  const known = whileWaiting[reason];
  if (known !== undefined) return [...known, abort];
  return [...(isDegraded(status) ? [RETRY] : [PAUSE]), abort, ['watch', 'follows the rollout']];
}

function ofApplications({ applications = [], paused }: CellStatus): readonly Offer[] {
  if (paused !== undefined) return [['resume', 'ends the pause']];
  const hasFailed = applications.some(({ failed }) => failed !== undefined && failed.retried !== true);
  const isMoving = applications.some(({ phase }) => phase !== 'Synced');
  return [
    ...(hasFailed ? [['retry', 'retries what failed'] as const] : []),
    ...(isMoving ? [PAUSE, ['abort', 'reverts the running rollouts'] as const] : []),
  ];
}

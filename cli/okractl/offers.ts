import type { Cell, CellStatus } from '../../crds/cell.ts';
import type { StagedBindingPolicyStatus } from '../../crds/staged-binding-policy.ts';
import { isDegraded } from '../../domain/kubernetes/conditions.ts';
import type { AskName } from '../../domain/model/request.ts';
import type { Seen } from '../../domain/model/seen.ts';
import type { StagedAim } from '../../domain/staged/state.ts';
import type { Target } from './target.ts';

/** A request that makes sense for an object as it stands, and what it does. */
export interface Offer {
  readonly name: AskName;
  readonly does: string;
}

const PAUSE: Offer = { name: 'pause', does: 'Pauses the rollout at its weight until it is resumed.' };
const PAUSE_STAGES: Offer = { name: 'pause', does: 'Lets no further stage begin until it is resumed.' };
const CONTINUE: Offer = { name: 'retry', does: 'Lets the rollout continue.' };
const RESUME: Offer = { name: 'resume', does: 'Ends the pause.' };
const PROMOTE: Offer = { name: 'promote', does: 'Finishes the current step, without waiting for it.' };
const APPROVE: Offer = {
  name: 'approve',
  does: 'Approves the current step, in your name and with your groups.',
};

/** The requests that make sense for a Cell as it stands. */
export function offersOf({ status = {} }: Pick<Cell, 'status'>): readonly Offer[] {
  if (status.applications !== undefined) return ofApplications(status);
  const {
    rollout,
    stableVersion = 'the stable version',
    desiredVersion = 'the new version',
    reason,
  } = status;
  const retry: Offer = {
    name: 'retry',
    does: `Retries what failed or is blocked: ${retried(status).join(', ') || desiredVersion}.`,
  };
  if (rollout === undefined) return retried(status).length === 0 ? [] : [retry];
  const abort: Offer = {
    name: 'abort',
    does: `Shifts all traffic back to ${stableVersion} and blocks ${desiredVersion}.`,
  };
  if (rollout.ending !== undefined) return rollout.ending.kind === 'Withdrawn' ? [abort] : [];
  const isPaused = rollout.paused !== undefined;
  return [
    ...(isPaused ? [] : [PAUSE]),
    ...(isPaused || reason === 'WaitingForResume' ? [RESUME] : []),
    ...forStep(status),
    ...(isDegraded(status) && !isLeftToPromote(status) ? [retry] : []),
    {
      name: 'promoteFull',
      does: `Shifts all traffic to ${desiredVersion}, and skips the remaining steps with their analyses.`,
    },
    abort,
  ];
}

/** What finishes the current step, or continues without what measures in its background. */
function forStep(status: CellStatus): readonly Offer[] {
  // Nothing stands in for an approval.
  if (status.approval !== undefined) return status.approval.lacking > 0 ? [APPROVE] : [];
  return isPastSteps(status) && !isLeftToPromote(status) ? [] : [PROMOTE];
}

function ofApplications({ applications = [], paused }: CellStatus): readonly Offer[] {
  const hasFailed = applications.some(({ failed }) => failed !== undefined && failed.retried !== true);
  const isMoving = applications.some(({ phase }) => phase !== 'Synced');
  return [
    ...(paused === undefined ? (isMoving ? [PAUSE] : []) : [RESUME]),
    ...(hasFailed ? [{ name: 'retry', does: 'Retries what failed.' } as const] : []),
    ...(isMoving ? [{ name: 'abort', does: 'Reverts the running rollouts.' } as const] : []),
  ];
}

/** The requests that make sense for a StagedBindingPolicy as it stands: none once all is done, or while a stage is rolled back. */
export function offersOfPolicy(status: StagedBindingPolicyStatus = {}): readonly Offer[] {
  const { phase, activeStage = '', held, paused } = status;
  if (phase === 'Completed' || phase === 'RollingBack') return [];
  const forStage = [
    { name: 'promote', does: `Finishes stage ${activeStage}, whether or not it is fulfilled.` },
    { name: 'abort', does: `Rolls back stage ${activeStage}: its BindingPolicy is deleted.` },
  ] as const;
  return [
    paused === undefined ? PAUSE_STAGES : RESUME,
    ...(held === undefined ? [] : [CONTINUE]),
    ...(activeStage === '' ? [] : forStage),
  ];
}

/** What a retry tries again: versions that are blocked, and applications that have failed. */
export const retried = ({ blockedVersions = [], applications = [] }: CellStatus): readonly string[] => [
  ...blockedVersions.map(({ version }) => version),
  ...applications.filter(({ failed }) => failed !== undefined).map(({ name }) => name),
];

/** Whether a rollout has all its steps done, and does not bake: nothing measures again, and no step is left to be promoted. */
const isPastSteps = ({ step, rollout }: CellStatus): boolean =>
  rollout !== undefined && rollout.stepEndsAt === undefined && step === 'done';

/** Whether a verdict holds a rollout that nothing would take the place of any more, so that a promote alone continues. */
const isLeftToPromote = (status: CellStatus): boolean =>
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

/** What a person has looked at, of a Cell or of a StagedBindingPolicy. */
export type SeenBy = Seen & Pick<StagedAim, 'stage'>;

/** What a person sees who makes a request of a Cell as it stands. */
export function seenOf({ status = {} }: Pick<Cell, 'status'>): SeenBy {
  const { rollout, desiredVersion: version, currentStepIndex = 0 } = status;
  if (rollout === undefined || version === undefined) return {};
  return { version, step: currentStepIndex + 1, paused: rollout.paused !== undefined };
}

/** How a request is written on a command line. */
export const wordsFor = (name: AskName): string => (name === 'promoteFull' ? 'promote --full' : name);

/** The command lines of offers, each with what it does. */
export const commandsOf = (
  offers: readonly Offer[],
  { kind, key: { namespace, name } }: Target,
  stage?: string,
): readonly string[] =>
  offers.map((offer) => {
    const at = offer.name === 'promote' && stage !== undefined ? ` --stage ${stage}` : '';
    const where = ['', 'default'].includes(namespace) ? '' : ` -n ${namespace}`;
    const object = kind === 'Cell' ? `${name}${where}` : `sbp/${name}`;
    return `okractl ${wordsFor(offer.name)} ${object}${at}  # ${offer.does}`;
  });

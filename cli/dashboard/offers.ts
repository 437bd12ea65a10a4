import { mayAsk } from '../../clients/kubernetes/request-rights.ts';
import type { Cell, CellStatus } from '../../crds/cell.ts';
import { type RequestVerb, requestVerbs, verbOf } from '../../crds/request-names.ts';
import type { StagedBindingPolicyStatus } from '../../crds/staged-binding-policy.ts';
import { isDegraded } from '../../domain/kubernetes/conditions.ts';
import type { AskName } from '../../domain/model/request.ts';
import { isLeftToPromote, isPastSteps, retried } from '../okractl/refusals.ts';
import type { Sending } from '../okractl/send.ts';
import type { Target } from '../okractl/target.ts';
import type { Viewer } from './hub.ts';
import { type Reading, remembered } from './remembered.ts';

/** A request that makes sense, and what it does. */
export interface Offer {
  readonly name: AskName;
  readonly does: string;
}

/** Whether Kubernetes lets a person make a request; unknown as long as it has not said so. */
type MayAsk = 'Yes' | 'No' | 'Unknown';

/** A request that can be made, and whether the person may make it. */
export interface OfferView extends Offer {
  readonly may: MayAsk;
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
  if (rollout.ending !== undefined) return [];
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
    { name: 'abort', does: `Shifts all traffic back to ${stableVersion} and blocks ${desiredVersion}.` },
  ];
}

/** What finishes the current step, or goes on without what measures in its background. */
function forStep(status: CellStatus): readonly Offer[] {
  // Nothing stands in for an approval.
  if (status.approval !== undefined) return status.approval.lacking > 0 ? [APPROVE] : [];
  return isPastSteps(status) && !isLeftToPromote(status) ? [] : [PROMOTE];
}

/** What a person sees who makes a request of a Cell as it stands. */
export function seenOf({ status = {} }: Pick<Cell, 'status'>): NonNullable<Sending['seen']> {
  const { rollout, desiredVersion: version, currentStepIndex = 0 } = status;
  if (rollout === undefined || version === undefined) return {};
  return { version, step: currentStepIndex + 1, paused: rollout.paused !== undefined };
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

/** Makes the reader of what Kubernetes lets a person ask of an object: each request by itself, so that none waits for another. */
export function readMayAsk(
  { session, by }: Viewer,
  target: Target,
  timing: Omit<Reading<[], MayAsk>, 'read' | 'meanwhile'>,
): (name: AskName) => MayAsk {
  if (by === undefined) return () => 'No';
  const readers = new Map<RequestVerb, () => MayAsk>(
    requestVerbs[target.kind].map((verb) => {
      const read = remembered<[], MayAsk>({
        ...timing,
        read: async () => ((await mayAsk(session, verb, target)) ? 'Yes' : 'No'),
        meanwhile: 'Unknown',
      });
      return [verb, () => read('')];
    }),
  );
  return (name) => readers.get(verbOf(name))?.() ?? 'Unknown';
}

import { healthText } from '../gates/health.ts';
import { approvalFrom, approvalsOf, waitsForPerson } from '../steps/index.ts';
import {
  canMeasureAgain,
  decidingOnBackground,
  isBackgroundHeld,
  isHeldByVerdict,
  measuringAgain,
} from './measure-again.ts';
import { omit } from './fields.ts';
import type { RequestName, Requests, Stamp } from './request.ts';
import type { Rollout, RolloutState } from './state.ts';
import type { TargetGroup } from './target-group.ts';

/** One kind of request: what it is called for people, when it makes sense, and what it changes. */
export interface RequestKind {
  readonly description: string;
  /** Whether it finishes the current step, also one of which something was refused. */
  readonly finishesStep?: boolean;
  /** Says why it makes no sense now; undefined when it does. */
  readonly refusal: (state: RolloutState) => string | undefined;
  readonly take: (open: Requests, stamp: Stamp) => Requests;
  /** What it changes at once, besides. */
  readonly change?: (state: RolloutState, stamp: Stamp) => RolloutState;
  readonly answer: (state: RolloutState) => string;
}

/** Every kind of request; one that has a name and no entry does not compile. */
export const requestKinds: Readonly<Record<RequestName, RequestKind>> = {
  pause: {
    description: 'Pauses the rollout at its weight until it is resumed.',
    refusal: withoutRollout,
    take: (open, stamp) => ({ ...open, paused: open.paused ?? stamp }),
    answer: (state) =>
      `The rollout of ${canaryOf(state)} is paused; its weight stays. Send resume to continue.`,
  },
  resume: {
    description: 'Ends a pause.',
    refusal: (state) => withoutRollout(state) ?? notPaused(state),
    // Resuming ends an operator's pause, or else the pause step that waits for it.
    take: ({ paused, ...others }, stamp) =>
      paused === undefined ? { ...others, promote: { ...stamp, resumes: true } } : others,
    answer: (state) => `The rollout of ${canaryOf(state)} continues.`,
  },
  promote: {
    description: 'Finishes the current step.',
    finishesStep: true,
    refusal: (state) => withoutRollout(state) ?? withoutApproval(state) ?? withoutStep(state),
    take: (open, stamp) => ({ ...open, promote: stamp }),
    change: decidingOnBackground,
    answer: (state) => `The current step of ${canaryOf(state)} is finished.`,
  },
  promoteFull: {
    description: 'Shifts all traffic to the new version, without the remaining steps.',
    finishesStep: true,
    refusal: withoutRollout,
    take: ({ paused: _ended, ...open }, stamp) => ({ ...open, promoteFull: stamp }),
    change: decidingOnBackground,
    answer: (state) =>
      `${canaryOf(state)} gets all traffic, without the remaining steps.${approvalAhead(state)}${unhealthySide(state.rollout?.canary, state)}`,
  },
  abort: {
    description: 'Shifts all traffic back to the stable version and blocks the new one.',
    // One that is withdrawn may begin again, unless its version is blocked.
    refusal: (state) => (state.rollout?.ending?.kind === 'Withdrawn' ? undefined : withoutRollout(state)),
    take: ({ paused: _ended, ...open }, stamp) => ({ ...open, abort: stamp }),
    answer: (state) =>
      state.rollout === undefined
        ? 'Accepted. If an earlier run left a rollout behind, it is aborted at the next reconcile.'
        : `The rollout of ${state.rollout.canary.version} is aborted; all traffic shifts back to ${state.rollout.stable.version}.${unhealthySide(state.rollout.stable, state)}`,
  },
  retry: {
    description: 'Retries what is blocked or on hold.',
    refusal: (state) =>
      state.rollout === undefined || state.backoff !== undefined || canMeasureAgain(state)
        ? undefined
        : notHeldUp(state.rollout),
    take: (open, stamp) => ({ ...open, retry: stamp }),
    change: (state) => unblocking(measuringAgain(state)),
    answer: ({ rollout }) =>
      rollout?.ending === undefined
        ? 'Retrying what is blocked or on hold.'
        : `Retrying at once to shift all traffic back to ${rollout.stable.version}; its version stays blocked.`,
  },
};

const canaryOf = ({ rollout }: RolloutState): string | undefined => rollout?.canary.version;

function unhealthySide(side: Rollout['stable'] | undefined, { targets, reported }: RolloutState): string {
  const groups = (side?.groups ?? []).map(({ name, arn }) => ({ name, health: healthOf(arn) }));
  if (side === undefined || groups.length === 0 || groups.some(({ health }) => health?.healthy !== 0))
    return '';
  const named = groups.map(({ name, health }) => `${name} (${healthText(health)})`).join(', ');
  return ` Warning: no target of ${side.version} is healthy: ${named}.`;

  function healthOf(arn: TargetGroup['arn']): Parameters<typeof healthText>[0] {
    const checked = targets?.groups.find((group) => group.arn === arn);
    const told = reported?.targetGroups?.find((group) => group.arn === arn);
    if (checked !== undefined || told?.healthyTargets === undefined) return checked;
    return { healthy: told.healthyTargets, total: told.targets ?? told.healthyTargets, others: '' };
  }
}

/** Lifts what is blocked. What is being taken back is not: who asks for that to be tried again does not ask for its version. */
function unblocking(state: RolloutState): RolloutState {
  if (state.rollout?.ending !== undefined) return state;
  return { ...omit(state, 'justBlocked'), unblocked: true };
}

/** Says that there is no rollout under way; undefined when there is one. */
export function withoutRollout({ rollout, reported }: RolloutState): string | undefined {
  if (rollout === undefined)
    return `No rollout is running; the Cell is ${reported?.phase ?? 'not reconciled yet'}.`;
  if (rollout.ending === undefined) return undefined;
  return `The rollout is already being reverted: ${rollout.ending.message}`;
}

/** Says that nothing stands in for the approvals that are waited for; undefined when none are, or when the background is what holds. */
function withoutApproval({ rollout }: RolloutState): string | undefined {
  if (rollout === undefined || isBackgroundHeld(rollout)) return undefined;
  const step = rollout.steps[rollout.index];
  const takes = step === undefined ? undefined : approvalsOf(step);
  return takes === undefined
    ? undefined
    : `An approval step cannot be promoted: it needs ${takes.count} approvals from ${takes.groups.join(', ')} (okractl approve).`;
}

/** Says that no step is left that could be finished; undefined when there is one, or a bake, or when the background is what holds. */
function withoutStep({ rollout }: RolloutState): string | undefined {
  if (rollout === undefined || rollout.progress.is === 'Baking' || isBackgroundHeld(rollout))
    return undefined;
  return rollout.index < rollout.steps.length
    ? undefined
    : `No step is left to finish: ${rollout.canary.version} is getting all traffic. Wait for that, or send abort to revert.`;
}

const notHeldUp = (rollout: Rollout): string =>
  isHeldByVerdict(rollout)
    ? `cannot run the background analysis again: no steps are left before ${rollout.canary.version} serves all traffic. Send promote to continue without it, or abort to revert.`
    : `A rollout of ${rollout.canary.version} is in progress. Abort it first, or wait for its end.`;

function approvalAhead({ rollout }: RolloutState): string {
  const index = rollout === undefined ? undefined : approvalFrom(rollout);
  const step = index === undefined ? undefined : rollout?.steps[index];
  const takes = step === undefined ? undefined : approvalsOf(step);
  return takes === undefined || index === undefined
    ? ''
    : ` First step ${index + 1} waits for approval by ${takes.count} of ${takes.groups.join(', ')}.`;
}

/** Says that nothing waits to be resumed; undefined when an operator has paused the rollout, or a pause step is all that holds it. */
function notPaused({ rollout, requests }: RolloutState): string | undefined {
  if (requests.paused !== undefined) return undefined;
  const step = rollout?.steps[rollout.index];
  const isAtPause = step !== undefined && waitsForPerson(step) && rollout?.progress.is !== 'Baking';
  if (rollout === undefined || !isAtPause) return 'The rollout is not paused.';
  return isBackgroundHeld(rollout)
    ? 'The rollout is held by its background analysis, not only paused. Send retry to measure again, promote to continue without it, or abort to revert.'
    : undefined;
}

import type { RequestName } from './request.ts';
import type { CellStatus } from '../../crds/cell.ts';
import { waitsForPerson } from '../steps/index.ts';
import type { RetryBackoff, RolloutState } from './state.ts';
import type { TakenRequest, Requests, Stamp } from './request.ts';
import { cut } from '../text.ts';

/** Says why a request makes no sense now; undefined when it does. */
export function refusal(state: RolloutState, name: RequestName): string | undefined {
  const { rollout } = state;
  const phase = state.reported?.phase ?? 'none';
  if (name === 'retry') {
    return rollout === undefined || state.backoff !== undefined
      ? undefined
      : `Expected no rollout under way, got one of ${rollout.canary.version}. Abort it first, or wait for its end.`;
  }
  if (rollout === undefined) return `Expected a running rollout, got ${phase}.`;
  if (rollout.ending !== undefined) {
    return `Expected a running rollout, got one that is being taken back: ${rollout.ending.message}`;
  }
  if (name === 'resume' && state.requests.paused === undefined && !waitsForResume(state)) {
    return 'Expected a paused rollout, got one that is not paused.';
  }
  return undefined;
}

/** Takes a request into account; one that makes no sense now changes nothing. */
export function ask(state: RolloutState, name: RequestName, stamp: Stamp): RolloutState {
  if (refusal(state, name) !== undefined) return state;
  const kept = { ...stamp, by: cut(stamp.by, LONGEST_BY), reason: cut(stamp.reason, LONGEST_REASON) };
  const { backoff } = state;
  return {
    ...state,
    ...(backoff !== undefined && goesOnWithout(backoff, name)
      ? { backoff: { ...backoff, until: stamp.at } }
      : {}),
    ...(name === 'retry' ? { unblocked: true } : {}),
    requests: taken(state, name, kept),
    requested: [...(state.requested ?? []), { action: name, ...kept }].slice(-KEPT_REQUESTS),
  };
}

/** Whether a request finishes the step of which something was refused; a write that was refused has to be made all the same. */
const goesOnWithout = ({ during }: RetryBackoff, name: RequestName): boolean =>
  during !== 'Shift' && (name === 'promote' || name === 'promoteFull');

// As long as the schema takes (crds/cell-status.ts). Everything that is said of a request later is made of what is kept.
const LONGEST_BY = 253;
const LONGEST_REASON = 1024;

/** How many requests are kept for the status. */
const KEPT_REQUESTS = 20;

/** Requests as the Cell's status has them. */
export const requestsFrom = (asked: readonly TakenRequest[]): NonNullable<CellStatus['requests']> =>
  asked.map(({ action, ...stamp }) => ({ action, ...stampOf(stamp) }));

/** Who, why and when, as the Cell's status has it. */
export const stampOf = ({ by, reason, at }: Stamp) => ({
  by: cut(by, LONGEST_BY),
  reason: cut(reason, LONGEST_REASON),
  time: new Date(at).toISOString(),
});

function taken(state: RolloutState, name: RequestName, stamp: Stamp): Requests {
  const { paused, ...others } = state.requests;
  switch (name) {
    case 'pause':
      return { ...others, paused: paused ?? stamp };
    case 'resume':
      // Resuming ends an operator's pause, or else the pause step that waits for it.
      return paused === undefined ? { ...others, promote: stamp } : others;
    case 'promote':
      return { ...state.requests, promote: stamp };
    case 'promoteFull':
      return { ...others, promoteFull: stamp };
    case 'abort':
      return { ...others, abort: stamp };
    case 'retry':
      return { ...state.requests, retry: stamp };
  }
}

function waitsForResume({ rollout }: RolloutState): boolean {
  const step = rollout?.steps[rollout.index];
  return step !== undefined && waitsForPerson(step);
}

/** Says what happens now that a request was taken. */
export function answerTo(name: RequestName, state: RolloutState): string {
  const version = state.rollout?.canary.version;
  switch (name) {
    case 'pause':
      return `The rollout of ${version} is paused; its weight stays. Send resume to go on.`;
    case 'resume':
      return `The rollout of ${version} goes on.`;
    case 'promote':
      return `The current step of ${version} is finished.`;
    case 'promoteFull':
      return `${version} gets the whole weight, without the remaining steps.`;
    case 'abort':
      return `The rollout of ${version} is aborted; everything goes back to ${state.rollout?.stable.version}.`;
    case 'retry':
      return 'What was blocked is tried again.';
  }
}

/** Whether an abort was asked for and its rollout is not being taken back yet. */
export const abortIsDue = ({ rollout, requests }: RolloutState): boolean =>
  rollout !== undefined && rollout.ending === undefined && requests.abort !== undefined;

/** What a cancellation of the workflow in Temporal asks for. */
export const CANCELLED = {
  by: 'Temporal cancel',
  reason: '',
  message: 'The workflow was cancelled in Temporal while no rollout was under way.',
} as const;

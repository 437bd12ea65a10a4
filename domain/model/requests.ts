import type { RequestName, TakenRequest, Stamp } from './request.ts';
import type { CellStatus } from '../../crds/cell.ts';
import { requestKinds } from './request-kinds.ts';
import type { RetryBackoff, RolloutState } from './state.ts';
import { cut } from '../text.ts';

/** Says why a request makes no sense now; undefined when it does. */
export const refusal = (state: RolloutState, name: RequestName): string | undefined =>
  requestKinds[name].refusal(state);

/** Takes a request into account; one that makes no sense now changes nothing. */
export const takeRequest = (state: RolloutState, name: RequestName, stamp: Stamp): RolloutState =>
  refusal(state, name) === undefined ? keepRequest(state, name, stamp) : state;

/** Takes a request into account, whether it makes sense by what is known or not. */
export function keepRequest(state: RolloutState, name: RequestName, stamp: Stamp): RolloutState {
  const kept = cutStamp(stamp);
  const { backoff } = state;
  const { take, change = (same: RolloutState) => same } = requestKinds[name];
  const changed = change(state, kept);
  return {
    ...changed,
    ...(backoff !== undefined && endsBackoff(backoff, name)
      ? { backoff: { ...backoff, until: stamp.at } }
      : {}),
    requests: take(changed.requests, kept),
    requested: withRequest(state.requested, { action: name, ...kept }),
  };
}

/** Whether a request finishes the step of which something was refused; a write that was refused has to be made all the same. */
const endsBackoff = ({ during }: RetryBackoff, name: RequestName): boolean =>
  during !== 'Shift' && requestKinds[name].finishesStep === true;

// As long as the schema takes (crds/cell-status.ts). Everything that is said of a request later is made of what is kept.
const LONGEST_BY = 253;
const LONGEST_REASON = 1024;

/** Who asks for something and why, as long as the status takes it. */
export const cutStamp = <Asked extends Stamp>(stamp: Asked): Asked => ({
  ...stamp,
  by: cut(stamp.by, LONGEST_BY),
  reason: cut(stamp.reason, LONGEST_REASON),
});

/** How many requests are kept for the status. */
export const KEPT_REQUESTS = 20;

/** The requests that are kept, with one that was taken. */
export const withRequest = <Asked extends TakenRequest>(
  before: readonly Asked[] | undefined,
  taken: Asked,
): readonly Asked[] => [...(before ?? []), taken].slice(-KEPT_REQUESTS);

/** Requests as the Cell's status has them. */
export const requestsInStatus = (asked: readonly TakenRequest[]): NonNullable<CellStatus['requests']> =>
  asked.map(({ action, ...stamp }) => ({ action, ...stampOf(stamp) }));

/** Who, why and when, as the Cell's status has it. */
export const stampOf = ({ by, reason, at }: Stamp) => ({
  by: cut(by, LONGEST_BY),
  reason: cut(reason, LONGEST_REASON),
  time: new Date(at).toISOString(),
});

/** Says what happens now that a request was taken. */
export const answerTo = (name: RequestName, state: RolloutState): string => requestKinds[name].answer(state);

/** Whether an abort was requested of a rollout that does not end as failed yet. */
export const abortIsDue = ({ rollout, requests }: RolloutState): boolean =>
  rollout !== undefined && rollout.ending?.kind !== 'Failed' && requests.abort !== undefined;

/** What a cancellation of the workflow in Temporal asks for. */
export const CANCELLED = {
  by: 'Temporal cancel',
  reason: '',
  message: 'The workflow was cancelled in Temporal while no rollout was under way.',
} as const;

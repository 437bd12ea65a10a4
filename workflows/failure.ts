import { ActivityFailure, ApplicationFailure, isCancellation, TimeoutFailure } from '@temporalio/workflow';
import { isPermanent } from '../domain/failures.ts';

/** Why an activity did not do what it was asked: a failure type of domain/failures.ts, and whether trying again is of no use. */
export type Failure = ReturnType<typeof failureOf>;

/** Whether an activity was lost with the process that ran it, so that nobody knows how far it got. */
export const isLost = (error: unknown): boolean =>
  error instanceof ActivityFailure &&
  error.cause instanceof TimeoutFailure &&
  error.cause.timeoutType === 'HEARTBEAT';

const LOST = 'The worker stopped responding, as when its process is killed. Retrying.';

/** Reads the failure of an activity; cancellation and what is no activity's failure is thrown on. */
export function failureOf(error: unknown) {
  if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
  const { cause } = error;
  if (isLost(error)) return { reason: 'Unavailable', message: LOST, permanent: false };
  if (!(cause instanceof ApplicationFailure)) {
    return { reason: 'Unavailable', message: cause?.message ?? error.message, permanent: false };
  }
  const reason = cause.type ?? 'Unavailable';
  return { reason, message: cause.message, permanent: isPermanent(reason) };
}

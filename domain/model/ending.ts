import type { Decision, Ending } from './decision.ts';
import type { Stamp } from './request.ts';

/** Fails a rollout: everything goes back to the stable side and the version is blocked. */
export const fail = (reason: string, message: string, at: number): Decision =>
  end({ kind: 'Failed', reason, message, at });

/** Withdraws a rollout: everything goes back to the stable side, and nothing is blocked. */
export const withdraw = (reason: string, message: string, at: number): Decision =>
  end({ kind: 'Withdrawn', reason, message, at });

/** How a rollout ends that someone aborts. */
export const abortedBy = ({ by, reason }: Stamp, at: number): Ending => ({
  kind: 'Failed',
  reason: 'Aborted',
  message: `Aborted by ${by}${reason === '' ? '.' : `: ${reason}`}`,
  at,
});

/** Ends a rollout before its last step. */
export const end = (ending: Ending): Decision => ({ do: 'End', ending, message: ending.message });

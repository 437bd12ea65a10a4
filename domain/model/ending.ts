import type { Decision, Ending } from './decision.ts';

/** Fails a rollout: everything goes back to the stable side and the version is blocked. */
export const fail = (reason: string, message: string, at: number): Decision =>
  end({ kind: 'Failed', reason, message, at });

/** Withdraws a rollout: everything goes back to the stable side, and nothing is blocked. */
export const withdraw = (reason: string, message: string, at: number): Decision =>
  end({ kind: 'Withdrawn', reason, message, at });

const end = (ending: Ending): Decision => ({ do: 'End', ending, message: ending.message });

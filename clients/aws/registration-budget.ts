import { takeInPlace, type SharedBudget } from './shared-budget.ts';

/** Spends the writes to target groups. Each waits until one more may be sent, and rejects with the reason of the signal. */
export interface RegistrationBudget {
  /** For what registers targets, or takes them out; and for what creates and deletes target groups. */
  take(quota: string, signal: AbortSignal): Promise<void>;
  /** For what modifies a target group, which AWS counts together with what modifies rules and listeners. */
  takeWrite(quota: string, signal: AbortSignal): Promise<void>;
  /** Holds registrations back for a moment, because AWS throttles nonetheless. */
  penalise(quota: string): Promise<void>;
}

/** How long registrations wait when ELBv2 throttles all the same, because others share the account, in milliseconds. */
const PENALTY_MS = 1_000;

const usual = { urgent: false };

/**
 * Makes the budget of target groups, which has its callers wait. AWS counts RegisterTargets and DeregisterTargets apart
 * from what modifies rules and listeners, so that they hold no weight up. With which of the two it counts the creation of
 * a target group it does not say; many are created at once, and those shall not hold a weight up either.
 */
export const registrationBudget = ({ writes, registrations }: SharedBudget): RegistrationBudget => ({
  take: (quota, signal) => takeInPlace(registrations, quota, usual, signal),
  takeWrite: (quota, signal) => takeInPlace(writes, quota, usual, signal),
  penalise: (quota) => registrations.penalise(quota, PENALTY_MS),
});

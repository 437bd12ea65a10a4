import { takeInPlace, type WriteBudget } from './shared-budget.ts';

/** Spends the writes of registrations and of the target groups that they create. */
export interface RegistrationBudget {
  /** Waits until one more write may be sent. Rejects with the reason of the signal. */
  take(quota: string, signal: AbortSignal): Promise<void>;
}

/**
 * Makes the budget of registrations, which has its callers wait. AWS counts RegisterTargets and DeregisterTargets apart
 * from what modifies rules and listeners, so that this has a quota of its own and holds no weight up.
 */
export const registrationBudget = (budget: WriteBudget): RegistrationBudget => ({
  take: (quota, signal) => takeInPlace(budget, `${quota}/registrations`, { urgent: false }, signal),
});

import { takeWrite, type BudgetState, type WriteRate } from './budget.ts';

/** What is left of a budget for calls of the usual kind. */
export interface BudgetLeft {
  /** How many calls may be sent at once now. */
  readonly left: number;
  /** How many that may be at most. */
  readonly size: number;
  /** How long the next one has to wait. */
  readonly waitMs: number;
}

/** Says what is left of a budget without taking any of it. */
export function budgetLeft(state: BudgetState, now: number, rate: WriteRate): BudgetLeft {
  const size = Math.max(1, rate.burst);
  const taken = takeWrite(state, { urgent: false }, now, rate);
  if (taken.grant.is === 'Wait') return { left: 0, size, waitMs: taken.grant.waitMs };
  const { meter, owed = meter, spacing } = taken.state;
  const room = now + (size - 1) * spacing - Math.max(owed, now);
  return { left: Math.min(size, 2 + Math.floor(room / spacing)), size, waitMs: 0 };
}

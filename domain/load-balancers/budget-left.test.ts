import { describe, expect, it } from 'vitest';
import { emptyBudget, fullBudget, penalise, takeWrite, type BudgetState } from './budget.ts';
import { budgetLeft } from './budget-left.ts';

const rate = { perSecond: 2, burst: 4 };
const NOW = 1_000_000;

const after = (state: BudgetState, writes: number): BudgetState =>
  Array.from({ length: writes }).reduce<BudgetState>(
    (before) => takeWrite(before, { urgent: false }, NOW, rate).state,
    state,
  );

describe('what is left of a budget', () => {
  it.each([
    ['all of it after a rest', fullBudget(NOW, rate), 0, { left: 4, size: 4, waitMs: 0 }],
    ['one less after a call', after(fullBudget(NOW, rate), 1), 0, { left: 3, size: 4, waitMs: 0 }],
    ['nothing after the burst', after(fullBudget(NOW, rate), 4), 0, { left: 0, size: 4, waitMs: 500 }],
    ['one more with time', after(fullBudget(NOW, rate), 4), 500, { left: 1, size: 4, waitMs: 0 }],
    ['all again after a while', after(fullBudget(NOW, rate), 4), 60_000, { left: 4, size: 4, waitMs: 0 }],
    ['its turn after those who wait', after(fullBudget(NOW, rate), 6), 0, { left: 0, size: 4, waitMs: 1500 }],
    ['nothing when nothing is known', emptyBudget(NOW, rate), 0, { left: 0, size: 4, waitMs: 500 }],
    [
      'nothing while AWS throttles',
      penalise(fullBudget(NOW, rate), 3000, NOW, rate),
      0,
      { left: 0, size: 4, waitMs: 3500 },
    ],
  ])('is %s', (_, state, later, want) => expect(budgetLeft(state, NOW + later, rate)).toEqual(want));

  it('is as much as may be taken', () => {
    for (const writes of [0, 1, 2, 3]) {
      const state = after(fullBudget(NOW, rate), writes);
      const { left } = budgetLeft(state, NOW, rate);
      expect(takeWrite(after(state, left - 1), { urgent: false }, NOW, rate).grant.is).toBe('Granted');
      expect(takeWrite(after(state, left), { urgent: false }, NOW, rate).grant.is).toBe('Wait');
    }
  });
});

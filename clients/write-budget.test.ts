import { describe, expect, it } from 'vitest';
import { writeBudget } from './write-budget.ts';

const never = new AbortController().signal;

describe('writeBudget', () => {
  it('lets a burst through at once and holds what comes after it', async () => {
    const budget = writeBudget({ perSecond: 0.001, burst: 2 });
    await budget.take('a', false, never);
    await budget.take('a', false, never);
    const held = new AbortController();
    const third = budget.take('a', false, held.signal);
    held.abort(new Error('given up'));
    await expect(third).rejects.toThrow('given up');
  });

  it('counts each account and region for itself', async () => {
    const budget = writeBudget({ perSecond: 0.001, burst: 1 });
    await budget.take('a', false, never);
    await expect(budget.take('b', false, never)).resolves.toBeUndefined();
  });

  it('lets what is urgent pass what waited before it', async () => {
    const budget = writeBudget({ perSecond: 200, burst: 1 });
    await budget.take('a', false, never);
    const order: string[] = [];
    await Promise.all([
      budget.take('a', false, never).then(() => order.push('usual')),
      budget.take('a', true, never).then(() => order.push('urgent')),
    ]);
    expect(order).toEqual(['urgent', 'usual']);
  });
});

import { describe, expect, it } from 'vitest';
import { KubernetesError } from '../../clients/kubernetes/kubernetes.ts';
import { memoryBudgets, waitForMemory, type MemoryBudget } from './memory-budget.ts';

const limits = { cluster: 100, namespace: 150 };
const tenant = (namespace: string, cluster: string) => ({ namespace, cluster, name: cluster });
const refused = (budget: MemoryBudget, characters: number): string | undefined => {
  try {
    budget.keep(characters);
    return undefined;
  } catch (error) {
    return error instanceof KubernetesError ? `${error.reason}: ${error.message}` : String(error);
  }
};

describe('the budget of what is kept of clusters', () => {
  it('is that of all watches of a cluster together', () => {
    const budgetOf = memoryBudgets(limits);
    const [nodes, pods] = [budgetOf(tenant('shop', 'a')), budgetOf(tenant('shop', 'a'))];
    expect(refused(nodes, 60)).toBeUndefined();
    expect(refused(pods, 40)).toBeUndefined();
    expect(refused(pods, 41)).toBe(
      'TooMuchKept: Expected to keep at most 100 characters of cluster a, got more. What is not watched is read once per interval; look for objects that do not belong there, or name fewer namespaces and clusters.',
    );
    expect(refused(nodes, 50)).toBeUndefined();
    expect(refused(pods, 50)).toBeUndefined();
  });

  it('is that of all clusters of a namespace together, and none of another', () => {
    const budgetOf = memoryBudgets(limits);
    expect(refused(budgetOf(tenant('shop', 'a')), 100)).toBeUndefined();
    expect(refused(budgetOf(tenant('shop', 'b')), 51)).toContain('the clusters of namespace shop');
    expect(refused(budgetOf(tenant('bank', 'c')), 100)).toBeUndefined();
  });

  it('is taken up by what is listed as far as it is more than what it takes the place of', () => {
    const budget = memoryBudgets(limits)(tenant('shop', 'a'));
    budget.keep(80);
    budget.list(100);
    expect(() => budget.list(101)).toThrow('at most 100 characters of cluster a');
    budget.list(0);
    budget.keep(0);
    expect(refused(budget, 100)).toBeUndefined();
  });

  it('is free again once nothing is kept any more', () => {
    const budgetOf = memoryBudgets(limits);
    const budget = budgetOf(tenant('shop', 'a'));
    budget.keep(100);
    budget.keep(0);
    expect(refused(budgetOf(tenant('shop', 'a')), 100)).toBeUndefined();
  });
});

it.each([
  ['some minutes where it was too small', 'TooMuchKept', [300_000]],
  ['no longer than usual otherwise', 'Timeout', []],
])('is waited for %s', async (_, reason, want) => {
  const waits: number[] = [];
  const error = new KubernetesError({ status: 0, reason, message: '' });
  await waitForMemory(error, async (ms) => void waits.push(ms), new AbortController().signal);
  expect(waits).toEqual(want);
});

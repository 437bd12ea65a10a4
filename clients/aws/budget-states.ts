import { parseBudget } from '../../domain/load-balancers/budget-text.ts';
import { budgetLeft } from '../../domain/load-balancers/budget-left.ts';
import type { WriteRate } from '../../domain/load-balancers/budget.ts';
import type { KubernetesClient } from '../kubernetes/kubernetes.ts';
import type { ReadStates, Sample } from '../metrics/metrics.ts';
import { readBudgets } from './budget-object.ts';
import type { WriteKind } from './shared-budget.ts';

/** Where the budgets are that all workers share, and how large they are. */
export interface BudgetStatesOptions {
  readonly kubernetes: Pick<KubernetesClient, 'get'>;
  readonly namespace: string;
  readonly rates: Readonly<Record<WriteKind, WriteRate>>;
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
}

/** Says what is left of all budgets, as they are in the ConfigMap that all workers share. */
export const budgetStates =
  ({ kubernetes, namespace, rates, clock = Date.now }: BudgetStatesOptions): ReadStates =>
  async () => {
    const texts = await readBudgets(kubernetes, namespace);
    const now = Math.floor(clock());
    return Object.entries(texts).flatMap(([key, text]) => {
      const { kind, quota } = budgetOf(key);
      const { left, size, waitMs } = budgetLeft(parseBudget(text, now, rates[kind]), now, rates[kind]);
      const labels = { kind, quota };
      const samples: readonly Sample[] = [
        { name: 'okra_budget_left', labels, value: left },
        { name: 'okra_budget_size', labels, value: size },
        { name: 'okra_budget_wait_seconds', labels, value: waitMs / 1000 },
      ];
      return samples;
    });
  };

/** What a key of the ConfigMap stands for: an account and a region, or an organisation of Datadog. */
function budgetOf(key: string): { readonly kind: WriteKind; readonly quota: string } {
  const [, quota = key, kind] = /^(.*)_(registrations|queries)$/.exec(key) ?? [];
  if (kind === 'registrations' || kind === 'queries') return { kind, quota };
  return { kind: 'writes', quota: key };
}

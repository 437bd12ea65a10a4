import { expect, it } from 'vitest';
import { formatBudget } from '../../domain/load-balancers/budget-text.ts';
import { fullBudget } from '../../domain/load-balancers/budget.ts';
import { budgetStates } from './budget-states.ts';
import { budgetKey } from './shared-budget.ts';

const rate = { perSecond: 2, burst: 4 };
const rates = { writes: rate, registrations: { ...rate, burst: 7 }, queries: { ...rate, burst: 9 } };
const NOW = 1_000_000;

const reading = (data: unknown) =>
  budgetStates({
    kubernetes: { get: async <T>() => await Promise.resolve(data as T) },
    namespace: 'okra',
    rates,
    clock: () => NOW,
  })();

it('says what is left of the budgets that all workers share', async () => {
  const full = formatBudget(fullBudget(NOW, rate));
  const data = {
    [budgetKey('000000000000/eu-central-1')]: full,
    [budgetKey('000000000000/eu-central-1/registrations')]: full,
    [budgetKey('datadoghq.eu/1f/queries')]: full,
  };
  const left = (await reading({ metadata: { name: 'a' }, data })).filter(
    ({ name }) => name === 'okra_budget_left',
  );
  expect(left.map(({ labels, value }) => ({ ...labels, value }))).toEqual([
    { kind: 'writes', quota: '000000000000_eu-central-1', value: 4 },
    { kind: 'registrations', quota: '000000000000_eu-central-1', value: 7 },
    { kind: 'queries', quota: 'datadoghq.eu_1f', value: 9 },
  ]);
});

it('says nothing while nobody has written', async () => {
  expect(await reading(undefined)).toEqual([]);
});

import type { BudgetTexts } from './budget-object.ts';

/** So many organisations of Datadog have a budget: whoever makes Checks may name as many as they like, and all budgets are in one object. */
const MOST_ORGANISATIONS = 200;

/** The keys of the organisations that have been asked longest ago, where there are too many. They begin empty when they are asked again. */
export function forgottenIn(data: BudgetTexts, changes: BudgetTexts): readonly string[] {
  const organisations = (texts: BudgetTexts) => Object.keys(texts).filter((key) => key.endsWith('_queries'));
  const others = organisations(data).filter((key) => changes[key] === undefined);
  const tooMany = others.length + organisations(changes).length - MOST_ORGANISATIONS;
  return tooMany <= 0 ? [] : others.toSorted((a, b) => atIn(data[a]) - atIn(data[b])).slice(0, tooMany);
}

/** When a budget was used last, by its text; what makes no sense is the oldest. */
const atIn = (text = ''): number => Number(/"at":(\d{1,16})[,}]/.exec(text)?.[1] ?? 0);

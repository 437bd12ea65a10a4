import type { BudgetTexts } from './budget-object.ts';

/**
 * So many organisations of Datadog have a budget, and so many accounts and regions of AWS, of which each may have two:
 * whoever writes objects may name as many as they like, also such that nobody has, and all budgets are in one object.
 */
const MOST_ORGANISATIONS = 200;
const MOST_OF_AWS = 500;

const isOrganisation = (key: string): boolean => key.endsWith('_queries');
const isOfAWS = (key: string): boolean => !isOrganisation(key);

/** The keys of those that were asked longest ago, where there are too many. They begin empty when they are asked again, which is slower and does no harm. */
export const forgottenIn = (data: BudgetTexts, changes: BudgetTexts): readonly string[] => [
  ...oldest(data, changes, { of: isOrganisation, most: MOST_ORGANISATIONS }),
  ...oldest(data, changes, { of: isOfAWS, most: MOST_OF_AWS }),
];

function oldest(
  data: BudgetTexts,
  changes: BudgetTexts,
  { of, most }: { readonly of: (key: string) => boolean; readonly most: number },
): readonly string[] {
  const others = Object.keys(data).filter((key) => of(key) && changes[key] === undefined);
  const tooMany = others.length + Object.keys(changes).filter(of).length - most;
  return tooMany <= 0
    ? []
    : others.toSorted((a, b) => latestIn(data[a]) - latestIn(data[b])).slice(0, tooMany);
}

/** Until when all that was granted is made up for, or when a budget was used last, by its text: what AWS throttles is held back. What makes no sense is the oldest. */
const latestIn = (text = ''): number =>
  Math.max(0, ...[...text.matchAll(/"(?:at|meter)":(\d{1,16})[,}]/g)].map(([, time]) => Number(time)));

import {
  emptyBudget,
  spacingOf,
  URGENT_LINES,
  type BudgetState,
  type Line,
  type WriteRate,
} from './budget.ts';

const DAY_MS = 24 * 3600 * 1000;
const MAX_TIME = 8.64e15;

/** Writes the state as text, to be kept where all workers find it. */
export const formatBudget = (state: BudgetState): string => JSON.stringify(state);

/** Reads the state out of a text that anybody may have changed; of what makes no sense an empty budget is made. */
export function parseBudget(text: string | undefined, now: number, rate: WriteRate): BudgetState {
  try {
    return stateIn(JSON.parse(text ?? ''), rate) ?? emptyBudget(now, rate);
  } catch {
    return emptyBudget(now, rate);
  }
}

function stateIn(value: unknown, rate: WriteRate): BudgetState | undefined {
  const { at, spacing, meter, owed, ...lines } = fieldsOf(value);
  const [usual, urgent] = [lineIn(lines['usual']), lineIn(lines['urgent'])];
  if (!isTime(at) || !isTime(spacing) || spacing < 1 || !isTime(meter)) return undefined;
  if (usual === undefined || urgent === undefined) return undefined;
  const later = linesIn(lines['later']);
  // Nobody waits for a day; such a time would hold everybody up.
  const tails = [usual, urgent, ...(later ?? [])].map(({ tail }) => tail);
  const longestMs = Math.max(...tails, meter) - at;
  if ((longestMs * spacingOf(rate)) / spacing > DAY_MS) return undefined;
  return {
    at,
    spacing,
    meter,
    ...(isTime(owed) ? { owed } : {}),
    usual,
    urgent,
    ...(later === undefined ? {} : { later }),
  };
}

function lineIn(value: unknown): BudgetState['usual'] | undefined {
  const { next, tail } = fieldsOf(value);
  return isTime(next) && isTime(tail) ? { next, tail } : undefined;
}

/** Undefined where nobody has come to one of them, or what is there makes no sense: then they begin again. */
function linesIn(value: unknown): readonly Line[] | undefined {
  const lines = Array.isArray(value) ? value.flatMap((one) => lineIn(one) ?? []) : [];
  return lines.length === URGENT_LINES - 1 ? lines : undefined;
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

const isTime = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_TIME;

import type { GuardInput } from '../../gates/guard.ts';
import type { Wait } from '../../model/decision.ts';
import { NOT_MEASURED } from './analysis.ts';

/** Whether a rollout whose measurement fails keeps its weights until a person decides. */
export function holdsOnFailure({ cell }: Pick<GuardInput, 'cell'>): boolean {
  const { type, canary, blueGreen } = cell.spec.updateStrategy ?? {};
  return (type === 'BlueGreen' ? blueGreen : canary)?.onFailure === 'Hold';
}

/** Waits for a person to decide about what has failed. */
export const holdForVerdict = (reason: string, message: string, mayRetry = true): Wait => ({
  do: 'Wait',
  for: 'Verdict',
  reason,
  message: `${message} On hold, because onFailure is Hold. ${describeChoices(mayRetry, 'promote to continue')}`,
});

/** Waits for what has not begun in time; it counts as slowness of the rollout. */
export const holdUntilBegun = (waits: Wait['for'], message: string, until: number): Wait => ({
  do: 'Wait',
  for: waits,
  reason: NOT_MEASURED,
  until,
  message: `${message} Continues once it has begun. ${describeChoices(false, 'promote to continue without it')}`,
});

/** Says what a person can send who decides about a verdict. */
export const describeChoices = (mayRetry: boolean, promote: string): string =>
  mayRetry
    ? `Send retry to measure again, ${promote}, or abort to revert.`
    : `Send ${promote}, or abort to revert.`;

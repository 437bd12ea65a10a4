import { freezeAt, heldByFreeze } from '../gates/freeze.ts';
import { openingAt } from '../gates/windows.ts';
import type { StagedWait } from './decision.ts';
import type { ObservedStaged, PresentPolicy } from './observation.ts';

/** What holds whatever goes forward: a Freeze. */
export function frozen({ freezes }: ObservedStaged, next: string, now: number): StagedWait | undefined {
  const freeze = freezeAt(freezes, now);
  if (freeze === undefined) return undefined;
  return {
    do: 'Wait',
    phase: 'Waiting',
    reason: 'WaitingForFreeze',
    until: freeze.until,
    message: `${heldByFreeze(freeze)} Next: ${next}`,
  };
}

/** What holds the beginning of a stage besides: windows. */
export function shut({ spec }: PresentPolicy, next: string, now: number): StagedWait | undefined {
  const opening = openingAt(spec?.windows, now);
  if (opening.is === 'Open') return undefined;
  const { opensAt } = opening;
  const when =
    opensAt === undefined
      ? 'none of spec.windows opens within 400 days. Correct them.'
      : `the next one opens at ${new Date(opensAt).toISOString()}.`;
  return {
    do: 'Wait',
    phase: 'Waiting',
    reason: 'WaitingForWindow',
    until: opensAt,
    message: `Waiting for a window; ${when} Next: ${next}`,
  };
}

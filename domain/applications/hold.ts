import type { ApplicationsSpec, CellStatus } from '../../crds/cell.ts';
import { freezeAt, heldByFreeze } from '../gates/freeze.ts';
import { openingAt } from '../gates/windows.ts';
import type { ObservedApplications } from './observation.ts';
import type { Hold } from './situation.ts';

/** The reason of what waits for an application before it. */
export const BEHIND = 'WaitingForApplication';

/** Holds an application behind one that is not in place. */
export const behind = (name: string): Hold => ({
  kind: 'Waiting',
  reason: BEHIND,
  message: `Waiting for application ${name}.`,
});

/** Holds everything while someone has paused it. */
export function pausedBy(paused: CellStatus['paused']): Hold | undefined {
  if (paused === undefined) return undefined;
  const said = paused.reason === '' ? '' : ` ${paused.reason}`;
  return { kind: 'Paused', reason: 'Paused', message: `Paused by ${paused.by}.${said}` };
}

/** Holds everything while a Freeze does. */
export function frozen({ freezes }: Pick<ObservedApplications, 'freezes'>, now: number): Hold | undefined {
  const freeze = freezeAt(freezes, now);
  if (freeze === undefined) return undefined;
  const { until } = freeze;
  const message = heldByFreeze(freeze);
  return {
    kind: 'Waiting',
    reason: 'WaitingForFreeze',
    message,
    ...(until === undefined ? {} : { until }),
  };
}

/** Holds everything outside of the windows. */
export function shut({ windows }: Pick<ApplicationsSpec, 'windows'>, now: number): Hold | undefined {
  const opening = openingAt(windows, now);
  if (opening.is === 'Open') return undefined;
  const { opensAt } = opening;
  const kind = 'Waiting';
  const reason = 'WaitingForWindow';
  return opensAt === undefined
    ? {
        kind,
        reason,
        message: 'Waiting for a window, and none of spec.windows opens within 400 days. Correct them.',
      }
    : {
        kind,
        reason,
        message: `Waiting for the next window, which opens at ${new Date(opensAt).toISOString()}.`,
        until: opensAt,
      };
}

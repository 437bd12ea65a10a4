import { DateTime } from 'luxon';
import type { RolloutWindow } from '../../crds/windows.ts';
import type { ClosedGate } from './freeze.ts';

/** Whether rollouts may move traffic now; times are milliseconds since the epoch. */
export type Opening =
  | { readonly is: 'Open' }
  /** `opensAt` is undefined when no window opens within the next 400 days. */
  | { readonly is: 'Shut'; readonly opensAt?: number };

const DAYS_AHEAD = 400;

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;

/** Says whether a window is open, and when the next one opens; without windows it always is. */
export function openingAt(windows: readonly RolloutWindow[] | undefined, now: number): Opening {
  if (windows === undefined || windows.length === 0) return { is: 'Open' };
  const starts: number[] = [];
  for (const window of windows) {
    const next = nextOf(window, now);
    if (next !== undefined && next <= now) return { is: 'Open' };
    if (next !== undefined) starts.push(next);
  }
  return starts.length === 0 ? { is: 'Shut' } : { is: 'Shut', opensAt: Math.min(...starts) };
}

/** Says which window is waited for, and until when; undefined while one is open. */
export function holdOfWindows(
  windows: readonly RolloutWindow[] | undefined,
  now: number,
): ClosedGate | undefined {
  const opening = openingAt(windows, now);
  if (opening.is === 'Open') return undefined;
  const { opensAt } = opening;
  return opensAt === undefined
    ? { message: 'Waiting for a window, and none of spec.windows opens within 400 days. Correct them.' }
    : {
        message: `Waiting for the next window, which opens at ${new Date(opensAt).toISOString()}.`,
        until: opensAt,
      };
}

/** When a window that is open now has opened, or else when it opens next. */
function nextOf(window: RolloutWindow, now: number): number | undefined {
  const today = DateTime.fromMillis(now, { zone: window.timeZone }).startOf('day');
  // A time zone that nobody knows, as of a spec that is only shown, has no times.
  if (!today.isValid) return undefined;
  const { year, month, day } = today;
  const excluded = new Set(window.excludeDates);
  // One that has opened yesterday may still be open.
  for (let days = -1; days <= DAYS_AHEAD; days += 1) {
    // Without its time zone, of which a date needs none: to make one with it for each of 400 days takes long.
    if (!opensOn(window.days, excluded, new Date(Date.UTC(year, month - 1, day + days)))) continue;
    const { start, end } = timesOn(window, today.plus({ days }));
    // The clocks may skip all of it.
    if (now < end && start < end) return start;
  }
  return undefined;
}

function opensOn(days: RolloutWindow['days'], excluded: ReadonlySet<string>, date: Date): boolean {
  const name = weekdays[date.getUTCDay()];
  if (days !== undefined && (name === undefined || !days.includes(name))) return false;
  return !excluded.has(date.toISOString().slice(0, 10));
}

/** The times at which a window that begins on a day opens and closes; a time that the clocks skip is moved on with them. */
function timesOn(window: RolloutWindow, day: DateTime): { readonly start: number; readonly end: number } {
  const at = (text: string, of: DateTime): number => {
    const [hour = 0, minute = 0] = text.split(':').map(Number);
    return of.set({ hour, minute }).toMillis();
  };
  const closes = window.end <= window.start ? day.plus({ days: 1 }) : day;
  return { start: at(window.start, day), end: at(window.end, closes) };
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Says how long something takes in at most two units: `90s`, `5m30s`, `3h5m`, `4d2h`. */
export function formatDuration(milliseconds: number): string {
  const all = Math.max(0, Math.round(milliseconds / SECOND)) * SECOND;
  if (all < 2 * MINUTE) return `${all / SECOND}s`;
  if (all < HOUR) return joined(all, { size: MINUTE, unit: 'm' }, { size: SECOND, unit: 's' });
  if (all < DAY) return joined(all, { size: HOUR, unit: 'h' }, { size: MINUTE, unit: 'm' });
  return joined(all, { size: DAY, unit: 'd' }, { size: HOUR, unit: 'h' });
}

interface Unit {
  readonly size: number;
  readonly unit: string;
}

function joined(all: number, large: Unit, small: Unit): string {
  const rest = Math.floor((all % large.size) / small.size);
  return `${Math.floor(all / large.size)}${large.unit}${rest === 0 ? '' : `${rest}${small.unit}`}`;
}

/** Says how long ago a time was, as `kubectl get` does under AGE. */
export function ageOf(time: string | undefined, now: number): string {
  const at = time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(at) ? '-' : formatDuration(now - at);
}

/** Says a time and how far away it is: `2026-11-22T10:00:00Z (5m ago)`. */
export function formatTime(time: string | undefined, now: number): string | undefined {
  const at = time === undefined ? Number.NaN : Date.parse(time);
  if (time === undefined || Number.isNaN(at)) return undefined;
  const far = at <= now ? `${formatDuration(now - at)} ago` : `in ${formatDuration(at - now)}`;
  return `${withoutFraction(time)} (${far})`;
}

/** A time without fractions of a second, in which nobody is interested. */
export const withoutFraction = (time: string): string => time.replace(/\.\d+(?=Z|[+-]\d\d:\d\d$)/, '');

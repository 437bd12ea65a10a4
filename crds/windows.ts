import { enum as choice, object, optional, string, type z } from 'zod';
import { atomicList, listOf, nonEmpty } from './common.ts';
import { requireShownPattern, withRules } from './rules.ts';

export const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

const TIME_PATTERN = '^([01][0-9]|2[0-3]):[0-5][0-9]$';
const ZONE_PATTERN = '^(UTC|[A-Z][A-Za-z_]*(/[A-Z][A-Za-z0-9_+-]*)+)$';
const DATE_PATTERN = '^[1-9][0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$';

/** Whether the tz database of this machine has the zone, spelled exactly so. */
function isTimeZone(zone: string): boolean {
  if (!new RegExp(ZONE_PATTERN).test(zone)) return false;
  try {
    const { timeZone: known } = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions();
    // Intl takes any case, and the database of the API server only the right one.
    return known === zone || known.toLowerCase() !== zone.toLowerCase();
  } catch {
    return false;
  }
}

export function isDate(text: string): boolean {
  if (!new RegExp(DATE_PATTERN).test(text)) return false;
  return new Date(`${text}T00:00:00Z`).toISOString().startsWith(text);
}

const timeZone = withRules(nonEmpty(64), [
  {
    cel: `self.matches('${ZONE_PATTERN}') && timestamp('2026-01-01T00:00:00Z').getFullYear(self) >= 2025`,
    message:
      'timeZone must be UTC or a name of the IANA time zone database, such as Europe/Berlin. Correct the name; it is case-sensitive.',
    holds: isTimeZone,
  },
]);

const time = (what: string) =>
  withRules(string().min(5).max(5), [
    requireShownPattern(
      TIME_PATTERN,
      'must be a time of day from 00:00 to 23:59, such as 09:30',
      'Correct the time.',
    ),
  ]).describe(what);

const date = withRules(string().min(10).max(10), [
  {
    cel: `self.matches('${DATE_PATTERN}') && string(timestamp(self + 'T00:00:00Z')).startsWith(self)`,
    message: 'must be a date such as 2026-12-24. Correct the date.',
    holds: isDate,
  },
]);

const window = withRules(
  object({
    timeZone: timeZone
      .default('UTC')
      .describe('The IANA time zone of the times and dates, such as Europe/Berlin. Default: UTC.'),
    days: optional(listOf(choice(weekdays), 7, 1)).describe(
      'The days on which the window opens: Mon, Tue, Wed, Thu, Fri, Sat, Sun. Default: every day.',
    ),
    start: time('When it opens, from 00:00 to 23:59.'),
    end: time('When it closes. A time at or before start is on the next day.'),
    excludeDates: optional(listOf(date, 100)).describe(
      'Dates on which it does not open, such as 2026-12-24.',
    ),
  }),
  [
    {
      cel: 'self.start != self.end',
      message: 'start and end of a window must differ. For a whole day write 00:00 to 23:59.',
    },
  ],
);

export const windows = atomicList(window, 20, 1);

export type RolloutWindow = z.output<typeof window>;

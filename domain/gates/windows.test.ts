import { DateTime } from 'luxon';
import { describe, expect, it, vi } from 'vitest';
import type { RolloutWindow } from '../../crds/windows.ts';
import { openingAt } from './windows.ts';

const at = (text: string): number => Date.parse(text);
const office: RolloutWindow = {
  timeZone: 'Europe/Berlin',
  days: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'],
  start: '09:00',
  end: '17:00',
};
const night: RolloutWindow = { timeZone: 'UTC', start: '22:00', end: '04:00' };

describe('windows', () => {
  it.each<[string, readonly RolloutWindow[] | undefined, string, string]>([
    ['are always open without any', undefined, '2026-11-21T12:00:00Z', 'open'],
    ['are open at the minute in which one starts', [office], '2026-11-20T08:00:00Z', 'open'],
    ['are shut at the minute in which it ends', [office], '2026-11-20T16:00:00Z', '2026-11-23T08:00:00.000Z'],
    ['open on the next day that is named', [office], '2026-11-21T12:00:00Z', '2026-11-23T08:00:00.000Z'],
    ['open later the same day', [office], '2026-11-20T05:00:00Z', '2026-11-20T08:00:00.000Z'],
    [
      'follow the clocks of the zone into summer',
      [office],
      '2026-03-30T06:59:00Z',
      '2026-03-30T07:00:00.000Z',
    ],
    [
      'do not open in a time zone that there is not',
      [{ ...night, timeZone: 'Europe/Nowhere' }],
      '2026-11-21T23:00:00Z',
      'never',
    ],
    ['are open past midnight', [night], '2026-11-21T03:59:00Z', 'open'],
    ['shut after midnight', [night], '2026-11-21T04:00:00Z', '2026-11-21T22:00:00.000Z'],
    ['belong to the day on which they start', [{ ...night, days: ['Fri'] }], '2026-11-21T02:00:00Z', 'open'],
    [
      'do not open on excluded dates',
      [{ ...office, excludeDates: ['2026-12-24', '2026-12-25'] }],
      '2026-12-24T10:00:00Z',
      '2026-12-28T08:00:00.000Z',
    ],
    ['take the earliest of several', [office, night], '2026-11-21T12:00:00Z', '2026-11-21T22:00:00.000Z'],
    ['are open when one of several is', [office, night], '2026-11-21T23:00:00Z', 'open'],
    [
      'move a time that the clocks skip',
      [{ timeZone: 'Europe/Berlin', start: '02:30', end: '05:00' }],
      '2026-03-29T00:00:00Z',
      '2026-03-29T01:30:00.000Z',
    ],
    [
      'do not open on the day on which the clocks skip all of it',
      [{ timeZone: 'Europe/Berlin', start: '02:00', end: '03:00' }],
      '2026-03-29T00:30:00Z',
      '2026-03-30T00:00:00.000Z',
    ],
    [
      'do not open on the day on which the clocks skip its start, and it ends before that is made up for',
      [{ timeZone: 'Europe/Berlin', start: '02:30', end: '03:00' }],
      '2026-03-29T00:30:00Z',
      '2026-03-30T00:30:00.000Z',
    ],
    [
      'say when none ever opens',
      [{ ...office, days: ['Mon'], excludeDates: mondays() }],
      '2026-11-21T12:00:00Z',
      'never',
    ],
  ])('%s', (_, windows, now, want) => {
    const opening = openingAt(windows, at(now));
    const got =
      opening.is === 'Open'
        ? 'open'
        : opening.opensAt === undefined
          ? 'never'
          : new Date(opening.opensAt).toISOString();
    expect(got).toBe(want);
  });

  it('make a day of the zone of those alone on which they open, as each takes long', () => {
    const plus = vi.spyOn(DateTime.prototype, 'plus');
    const never = { ...office, days: ['Mon' as const], excludeDates: mondays() };
    expect(
      openingAt(
        Array.from({ length: 20 }, () => never),
        at('2026-11-23T10:00:00Z'),
      ),
    ).toEqual({
      is: 'Shut',
    });
    expect(plus).not.toHaveBeenCalled();
    plus.mockRestore();
  });
});

/** Every Monday of the next 60 weeks. */
function mondays(): string[] {
  return Array.from({ length: 60 }, (_, week) =>
    new Date(at('2026-11-23T00:00:00Z') + week * 7 * 86_400_000).toISOString().slice(0, 10),
  );
}

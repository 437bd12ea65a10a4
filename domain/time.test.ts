import { expect, it } from 'vitest';
import { NO_TIME } from './testing/builders.ts';
import { parseTime } from './time.ts';

it.each([
  ['2026-01-01T00:00:00Z', 1_767_225_600_000],
  ['2026-01-01T01:00:00.5+01:00', 1_767_225_600_500],
  ['1970-01-01T00:00:00Z', 0],
  [NO_TIME, undefined],
  ['', undefined],
  [undefined, undefined],
])('reads the time %j as %j', (text, want) => expect(parseTime(text)).toBe(want));

const PARTS = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/;

/** Reads a duration in seconds: a number of seconds, or text such as `30`, `5s`, `10m`, `1h30m`. */
export function parseDuration(value: number | string): number {
  if (typeof value === 'number') return value;
  if (/^\d+$/.test(value)) return Number(value);
  const parts = value === '' ? null : PARTS.exec(value);
  if (parts === null) {
    throw new RangeError(
      `invalid duration ${JSON.stringify(value)}: must be such as 30 (seconds), 5s, 10m or 1h30m.`,
    );
  }
  const [, hours = '0', minutes = '0', seconds = '0'] = parts;
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}

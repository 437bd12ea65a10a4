/**
 * Reads a time of a status in milliseconds since the epoch; undefined if it cannot be parsed. Others may write a status, and
 * the API server accepts more than JavaScript parses, such as an offset of 99 hours.
 */
export function parseTime(text: string | undefined): number | undefined {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? undefined : time;
}

/** Writes a value as JSON with its keys in one order, so that equal values make equal texts on every machine. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isRecord(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => compareText(a, b)))
      : part,
  );
}

/** Orders texts by code unit and not by locale, so that every process sorts alike. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

import { isRecord } from '../model/fields.ts';

/** Writes a value as JSON with its keys in one order, so that equal values make equal texts on every machine. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (isRecord(part) ? inOrder(part) : part));
}

/** The same with its keys in order; most have been written in order, and are taken as they are, since that is done all the time. */
function inOrder(part: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const keys = Object.keys(part);
  return keys.every((key, index) => index === 0 || compareText(keys[index - 1] ?? '', key) < 0)
    ? part
    : Object.fromEntries(keys.toSorted(compareText).map((key) => [key, part[key]]));
}

/** Whether two values make the same text, for which none is written: statuses are compared with every decision. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((part, index) => sameValue(part, b[index]));
  if (!isRecord(a) || !isRecord(b)) return false;
  const isSame = (key: string): boolean => sameValue(ownOf(a, key), ownOf(b, key));
  return Object.keys(a).every(isSame) && Object.keys(b).every((key) => Object.hasOwn(a, key) || isSame(key));
}

const ownOf = (record: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(record, key) ? record[key] : undefined;

/** Orders texts by code unit and not by locale, so that every process sorts alike. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

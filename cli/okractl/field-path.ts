import { isRecord } from '../../domain/model/shape.ts';

const SEGMENT = /\.((?:[^.[\\]|\\.)+)|\[(\*|-?\d+:?|\?\(@\.(\w+)=="([^"]*)"\))\]/gy;

/** Reads a field by the kind of path that printer columns have: `.a.b`, `[*]`, `[-1:]`, `[?(@.type=="Ready")]`. */
export function valueAt(object: unknown, path: string): unknown {
  let values: readonly unknown[] = [object];
  for (const [, name, inBrackets, key, wanted] of path.matchAll(SEGMENT)) {
    values = values.flatMap((value) => {
      if (name !== undefined) return isRecord(value) ? [value[name.replaceAll('\\', '')]] : [];
      const items: readonly unknown[] = Array.isArray(value) ? value : [];
      if (inBrackets === '*') return items;
      if (key !== undefined) return items.filter((item) => isRecord(item) && item[key] === wanted);
      return items.slice(Number.parseInt(inBrackets ?? '0', 10)).slice(0, 1);
    });
  }
  const found = values.filter((value) => value !== undefined);
  return found.length <= 1 ? found[0] : found;
}

/** A value as a table has it. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null || value === '') return '-';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(cellText).join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** How large a value is at most: a bound on what an expression over it can cost. */
export interface Extent {
  /** Characters of a text, elements of a list, entries of a map; 0 for anything else. */
  readonly length: number;
  /** Everything in it together. */
  readonly total: number;
  /** The largest of its elements, keys and values. */
  readonly each?: Extent;
  /** The values of a map by their keys, where they are known. */
  readonly fields?: ReadonlyMap<string, Extent>;
}

/** A number, a truth value or the like. */
export const SCALAR: Extent = { length: 0, total: 1 };

/** A text of so many characters. */
export const textOf = (length: number): Extent => ({ length, total: length + 1, each: SCALAR });

/** A list of so many elements, none of which is larger than one given. */
export const listOf = (length: number, each: Extent): Extent => ({
  length,
  total: 1 + length * each.total,
  each,
});

/** What is at least as large as either. */
export function larger(a: Extent, b: Extent): Extent {
  const each = a.each === undefined || b.each === undefined ? (a.each ?? b.each) : larger(a.each, b.each);
  return {
    length: Math.max(a.length, b.length),
    total: Math.max(a.total, b.total),
    ...(each === undefined ? {} : { each }),
    ...fieldsOf(a, b),
  };
}

function fieldsOf(a: Extent, b: Extent): Pick<Extent, 'fields'> {
  if (a.fields === undefined || b.fields === undefined) {
    // Of one of them nobody knows the values, so that `each` has to do for both.
    const one = a.fields === undefined ? a : b;
    const fields = a.fields ?? b.fields;
    return fields === undefined || one.length > 0 ? {} : { fields };
  }
  const fields = new Map(a.fields);
  for (const [key, value] of b.fields) {
    const known = fields.get(key);
    fields.set(key, known === undefined ? value : larger(known, value));
  }
  return { fields };
}

/** Measures a value. */
export function extentOf(value: unknown): Extent {
  if (typeof value === 'string') return textOf(value.length);
  if (Array.isArray(value)) return ofList(value);
  if (typeof value === 'object' && value !== null) return ofMap(Object.entries(value));
  return SCALAR;
}

function ofList(values: readonly unknown[]): Extent {
  const extents = values.map(extentOf);
  return {
    length: values.length,
    total: 1 + extents.reduce((sum, { total }) => sum + total, 0),
    each: extents.reduce(larger, SCALAR),
  };
}

function ofMap(entries: readonly (readonly [string, unknown])[]): Extent {
  const fields = new Map(entries.map(([key, value]) => [key, extentOf(value)] as const));
  const keys = entries.map(([key]) => textOf(key.length));
  const all = [...fields.values(), ...keys];
  return {
    length: entries.length,
    total: 1 + all.reduce((sum, { total }) => sum + total, 0),
    each: all.reduce(larger, SCALAR),
    fields,
  };
}

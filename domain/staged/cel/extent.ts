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
export const larger = (a: Extent, b: Extent): Extent => largest([a, b]);

/** What is at least as large as each of some; takes as long as they are large, however many there are. */
function largest(extents: readonly Extent[]): Extent {
  const [first = SCALAR, ...others] = extents;
  if (others.length === 0) return first;
  const each = extents.flatMap((one) => one.each ?? []);
  return {
    length: extents.reduce((most, { length }) => Math.max(most, length), 0),
    total: extents.reduce((most, { total }) => Math.max(most, total), 0),
    ...(each.length === 0 ? {} : { each: largest(each) }),
    ...fieldsOf(extents),
  };
}

function fieldsOf(extents: readonly Extent[]): Pick<Extent, 'fields'> {
  const [only, another] = extents.filter(({ fields }) => fields !== undefined && fields.size > 0);
  const isKnown = extents.every(({ fields, length }) => fields !== undefined || length === 0);
  if (only?.fields !== undefined && another === undefined && isKnown) return { fields: only.fields };
  const known = new Map<string, Extent[]>();
  for (const { fields, length } of extents) {
    // Of one that has something nobody knows the values, so that `each` has to do for all.
    if (fields === undefined && length > 0) return {};
    for (const [key, value] of fields ?? []) {
      const values = known.get(key);
      if (values === undefined) known.set(key, [value]);
      else values.push(value);
    }
  }
  if (extents.every(({ fields }) => fields === undefined)) return {};
  return { fields: new Map([...known].map(([key, values]) => [key, largest(values)])) };
}

/** Measures a value. */
export function extentOf(value: unknown): Extent {
  if (typeof value === 'string') return textOf(value.length);
  if (Array.isArray(value)) {
    const extents = value.map(extentOf);
    return { length: value.length, total: 1 + sum(extents), each: largest([SCALAR, ...extents]) };
  }
  if (typeof value !== 'object' || value === null) return SCALAR;
  const entries = Object.entries(value);
  const fields = new Map(entries.map(([key, one]) => [key, extentOf(one)] as const));
  const all = [...fields.values(), ...entries.map(([key]) => textOf(key.length))];
  return { length: entries.length, total: 1 + sum(all), each: largest([SCALAR, ...all]), fields };
}

const sum = (extents: readonly Extent[]): number => extents.reduce((whole, { total }) => whole + total, 0);

/** Whether a value is made of no more than so many values, in no more than so many levels. */
export function isWithin(
  value: unknown,
  most: { readonly values: number; readonly levels: number },
): boolean {
  let level: readonly unknown[] = [value];
  let count = 0;
  for (let levels = 0; level.length > 0; levels += 1) {
    count += level.length;
    if (count > most.values || levels === most.levels) return false;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return true;
}

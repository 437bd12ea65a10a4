import { fieldsIn, isRecord } from '../../domain/model/shape.ts';
import type { StructuralSchema } from '../../crds/structural-schema.ts';

/** A field that a schema does not have. */
export interface UnknownField {
  readonly path: string;
  /** A field of nearly the same name that the schema has there. */
  readonly meant?: string;
}

/** Finds what the API server would prune, or refuse with strict validation, because no schema has it. */
export function unknownFields(
  value: unknown,
  schema: StructuralSchema,
  path: string,
): readonly UnknownField[] {
  const { properties, additionalProperties, items } = schema;
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return [];
  if (Array.isArray(value)) {
    const below = fieldsIn(items);
    return value.flatMap((item: unknown, at) => unknownFields(item, below, `${path}[${at}]`));
  }
  if (!isRecord(value)) return [];
  const known = fieldsIn(properties);
  return Object.entries(value).flatMap(([key, child]) => {
    const at = `${path}.${key}`;
    const own = Object.hasOwn(known, key) ? known[key] : additionalProperties;
    if (isRecord(own)) return unknownFields(child, own, at);
    // A schema that says nothing of fields is one of a map, or of anything.
    if (properties === undefined || own === true) return [];
    const meant = nearest(key, Object.keys(known));
    return [{ path: at, ...(meant === undefined ? {} : { meant }) }];
  });
}

/** The name that is at most two slips away. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((one) => ({ one, slips: slipsBetween(name.toLowerCase(), one.toLowerCase()) }))
    .toSorted((a, b) => a.slips - b.slips);
  const [best] = ranked;
  return best !== undefined && best.slips <= 2 && best.slips < name.length / 2 ? best.one : undefined;
}

/** How many characters have to be put in, left out or changed (Levenshtein). */
function slipsBetween(a: string, b: string): number {
  let before = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = (before[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(changed, (before[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    before = row;
  }
  return before.at(-1) ?? 0;
}

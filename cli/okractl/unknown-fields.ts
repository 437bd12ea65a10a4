import type { resources } from '../../crds/index.ts';
import { fieldsIn, isRecord, recordsIn } from '../../domain/model/shape.ts';
import { closest } from '../../domain/template.ts';
import type { StructuralSchema } from '../../crds/structural-schema.ts';

/** The schema in the manifest of a kind. */
export function schemaOf(kind: (typeof resources)[number]): StructuralSchema {
  const [version] = recordsIn(fieldsIn(kind.manifest()['spec'])['versions']);
  return fieldsIn(fieldsIn(version?.['schema'])['openAPIV3Schema']);
}

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

/** The name that is at most two corrections away. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const best = closest(name, names);
  return best !== undefined && best.corrections <= 2 && best.corrections < name.length / 2
    ? best.name
    : undefined;
}

import type { StructuralSchema } from '../crds/structural-schema.ts';
import { cut } from './text.ts';

/** Cuts the texts in a value to what its schema has room for: for one that is too long the API server refuses the whole. */
export function fitted(value: unknown, schema: StructuralSchema): unknown {
  if (typeof value === 'string') return isText(schema) ? cut(value, schema.maxLength) : value;
  if (Array.isArray(value)) return value.map((one) => fitted(one, partOf(schema['items'])));
  if (typeof value !== 'object' || value === null) return value;
  const properties = partOf(schema['properties']);
  const others = partOf(schema['additionalProperties']);
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      fitted(one, Object.hasOwn(properties, key) ? partOf(properties[key]) : others),
    ]),
  );
}

// What has to be of some form would not be of that form any more, and would be something else.
const forms = ['enum', 'format', 'pattern', 'x-kubernetes-validations'] as const;

const isText = (schema: StructuralSchema): schema is StructuralSchema & { readonly maxLength: number } =>
  typeof schema['maxLength'] === 'number' && forms.every((form) => !(form in schema));

const partOf = (part: unknown): StructuralSchema =>
  typeof part === 'object' && part !== null ? { ...part } : {};

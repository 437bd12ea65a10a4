import type { StructuralSchema } from '../../../crds/structural-schema.ts';
import { cut } from '../../text.ts';

/** The fields of statuses that people read. Whatever else is too long would be something else when it is cut: a version, say, that is blocked. */
const forPeople: readonly string[] = ['by', 'cause', 'message', 'reason', 'weights'];

/** Cuts what people read in a value to what its schema has room for: for a text that is too long the API server refuses the whole. */
export function fitted(value: unknown, schema: StructuralSchema): unknown {
  if (Array.isArray(value)) return value.map((one) => fitted(one, partOf(schema['items'])));
  if (typeof value !== 'object' || value === null) return value;
  const properties = partOf(schema['properties']);
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      const part = Object.hasOwn(properties, key) ? partOf(properties[key]) : {};
      const { maxLength } = part;
      const isText = typeof one === 'string' && typeof maxLength === 'number' && forPeople.includes(key);
      return [key, isText ? cut(one, maxLength) : fitted(one, part)];
    }),
  );
}

const partOf = (part: unknown): StructuralSchema =>
  typeof part === 'object' && part !== null ? { ...part } : {};

import { z } from 'zod';

/** A JSON object in the form that Kubernetes takes (a structural schema, or a part of one). */
export interface StructuralSchema {
  readonly [key: string]: unknown;
}

/**
 * Turns a zod schema into a structural schema
 * (https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema).
 */
export function structuralSchema(schema: z.ZodType): StructuralSchema {
  const json = z.toJSONSchema(schema, { io: 'input', target: 'draft-7', unrepresentable: 'throw' });
  return clean(json) as StructuralSchema;
}

/** Marks a part of which only the first description is written, since another kind has them all: a manifest has a limit. */
export const BRIEF = 'x-okra-brief';

function brief({ [BRIEF]: _mark, description, ...node }: Record<string, unknown>): unknown {
  return {
    ...(withoutDescriptions(clean(node)) as object),
    ...(description === undefined ? {} : { description }),
  };
}

/** Leaves the descriptions out; a property of that name is a schema and no text. */
function withoutDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, child]) => key !== 'description' || typeof child !== 'string')
      .map(([key, child]) => [key, withoutDescriptions(child)]),
  );
}

/** What JSON Schema says and a structural schema may not. */
const refused = new Set(['$schema', 'additionalItems', 'propertyNames']);

function clean(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== 'object' || value === null) return value;
  const node = value as Record<string, unknown>;
  if (node['x-kubernetes-int-or-string'] === true) return intOrString(node);
  if (BRIEF in node) return brief(node);
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key, child]) => !refused.has(key) && !isRefusedValue(node, key, child))
      .map(([key, child]) => [key, key === 'default' ? child : clean(child)]),
  );
}

/** The bounds that zod gives every integer say nothing, and `additionalProperties` may not stand beside `properties`. */
function isRefusedValue(node: Record<string, unknown>, key: string, child: unknown): boolean {
  if (key === 'additionalProperties') return child === false || 'properties' in node;
  if (key === 'maximum' || key === 'minimum') return Math.abs(Number(child)) === Number.MAX_SAFE_INTEGER;
  return key === 'pattern' && node['format'] === 'date-time';
}

/** A structural schema says "integer or string" by its own key, without a list of alternatives. */
function intOrString(node: Record<string, unknown>): unknown {
  const { anyOf: _alternatives, oneOf: _others, type: _type, ...rest } = node;
  return rest;
}

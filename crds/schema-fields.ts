import { CEL_RULES } from './rules.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** A field of a structural schema, for people. */
export interface Field {
  /** From the spec or status on: `ingress.type`, `steps[].pause.duration`, `headers.*`. */
  readonly path: string;
  readonly type: string;
  readonly isRequired: boolean;
  /** The default, as JSON. */
  readonly initial?: string;
  readonly description: string;
}

/** What the API server refuses besides what types say. */
export interface Refusal {
  /** The fields that say this, in their order. */
  readonly paths: readonly string[];
  readonly message: string;
}

/** As much of a structural schema as is told. */
interface Node {
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly items?: Node;
  readonly additionalProperties?: Node;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly [CEL_RULES]?: readonly { readonly message: string }[];
}

/** The fields of a schema, those of an object after it; conditions are the same everywhere. */
export const fieldsIn = (schema: StructuralSchema): readonly Field[] => [...fieldsOf(schema, '')];

function* fieldsOf(node: Node, path: string): Generator<Field> {
  for (const [name, child] of Object.entries(node.properties ?? {})) {
    const own = path === '' ? name : `${path}.${name}`;
    yield {
      path: own,
      type: typeOf(child),
      isRequired: node.required?.includes(name) === true && child.default === undefined,
      ...(child.default === undefined ? {} : { initial: JSON.stringify(child.default) }),
      description: child.description ?? child.items?.description ?? '',
    };
    if (own === 'conditions' || isBrief(child)) continue;
    yield* fieldsOf(...within(child, own));
  }
}

/** What is below a field: itself, or what its items or values are. */
function within(node: Node, path: string): [Node, string] {
  if (node.items !== undefined) return within(node.items, `${path}[]`);
  if (node.additionalProperties !== undefined) return within(node.additionalProperties, `${path}.*`);
  return [node, path];
}

/** Whether what is below is described elsewhere: a manifest has a limit, so that another kind has the descriptions. */
function isBrief(node: Node): boolean {
  const below = Object.values(within(node, '')[0].properties ?? {});
  return below.length > 0 && below.every(({ description }) => description === undefined);
}

function typeOf(node: Node): string {
  const { items, additionalProperties } = node;
  if (node['x-kubernetes-int-or-string'] === true) return 'integer or string';
  if (items !== undefined)
    return `list of ${typeOf(items)}${boundsText(node.minItems, node.maxItems, 'items')}`;
  if (additionalProperties !== undefined)
    return `map of ${typeOf(additionalProperties)}${boundsText(undefined, node.maxProperties, 'keys')}`;
  if (node.enum !== undefined) return enumText(node.enum.map((one) => `\`${String(one)}\``));
  const { type = 'any', format } = node;
  if (type === 'string' && format === 'date-time') return 'time';
  if (type === 'string') return `string${boundsText(node.minLength, node.maxLength, 'characters')}`;
  return `${type}${boundsText(node.minimum, node.maximum)}`;
}

const enumText = (values: readonly string[]): string =>
  values.length < 3 ? values.join(' or ') : `one of ${values.join(', ')}`;

/** The bounds of a number, or of how much there is of something, of which it is not told that it is not empty. */
function boundsText(from?: number, to?: number, unit?: string): string {
  const what = unit === undefined ? '' : ` ${unit}`;
  const least = from !== undefined && (unit === undefined || from > 1) ? from : undefined;
  if (to === undefined) return least === undefined ? '' : `, at least ${least}${what}`;
  return least === undefined ? `, at most ${to}${what}` : `, ${least} to ${to}${what}`;
}

/** What is refused by rules, each message once; `whole` are rules over the whole object. */
export function refusalsIn(
  schema: StructuralSchema,
  whole: readonly { readonly message: string }[],
): readonly Refusal[] {
  const found = [
    ...whole.map(({ message }) => ({ path: 'metadata.name', message })),
    ...messagesOf(schema, ''),
  ];
  return [...Map.groupBy(found, ({ message }) => message)].map(([message, some]) => ({
    message,
    paths: [...new Set(some.map(({ path }) => path))],
  }));
}

function* messagesOf(
  node: Node,
  path: string,
): Generator<{ readonly path: string; readonly message: string }> {
  for (const { message } of node[CEL_RULES] ?? []) yield { path: path === '' ? 'spec' : path, message };
  for (const [name, child] of Object.entries(node.properties ?? {}))
    yield* messagesOf(child, path === '' ? name : `${path}.${name}`);
  if (node.items !== undefined) yield* messagesOf(node.items, `${path}[]`);
  if (node.additionalProperties !== undefined) yield* messagesOf(node.additionalProperties, `${path}.*`);
}

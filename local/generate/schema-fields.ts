import type { StructuralSchema } from '../../crds/structural-schema.ts';

/** A field of a schema. */
export interface Field {
  /** From the spec or status on: `ingress.type`, `steps[].pause.duration`, `headers.*`. */
  readonly path: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly initial?: string;
  readonly description: string;
}

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
}

/** The fields of a schema, those of an object after it; conditions and label selectors are the same everywhere. */
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
    if (own === 'conditions' || name === 'matchExpressions' || isBrief(child)) continue;
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
  if (type === 'string') return `string${boundsText(node.minLength, node.maxLength, '')}`;
  return `${type}${boundsText(node.minimum, node.maximum)}`;
}

const enumText = (values: readonly string[]): string =>
  values.length < 3 ? values.join(' or ') : `one of ${values.join(', ')}`;

/** The bounds of a number, or of how much there is of something, of which it is not told that it is not empty. */
function boundsText(from?: number, to?: number, unit?: string): string {
  const least = from !== undefined && (unit === undefined || from > 1) ? from : undefined;
  if (to === undefined && least === undefined) return '';
  const bounds = to === undefined ? `≥ ${least}` : least === undefined ? `≤ ${to}` : `${least}–${to}`;
  return unit === 'items' || unit === 'keys' ? `, ${bounds} ${unit}` : ` ${bounds}`;
}

/** Some fields of a page: those below `path`, except those that have a section of their own. */
export interface Section {
  readonly path: string;
  readonly rows: readonly { readonly field: Field; readonly link?: string }[];
}

/** From how many fields on those below a field have a section of their own, also if no other field has the same. */
const LONG = 10;
const SHARED = 3;

function belowOf(fields: readonly Field[], at: number): readonly Field[] {
  const { path = '' } = fields[at] ?? {};
  const rest = fields.slice(at + 1);
  const end = rest.findIndex((one) => !one.path.startsWith(`${path}.`) && !one.path.startsWith(`${path}[`));
  return end < 0 ? rest : rest.slice(0, end);
}

const structureOf = ({ path }: Field, below: readonly Field[]): string =>
  JSON.stringify(below.map((one) => ({ ...one, path: one.path.slice(path.length) })));

/** The path of the section with some fields: what is before the name of the first. */
const sectionPath = ([first]: readonly Field[]): string =>
  first?.path.slice(0, first.path.lastIndexOf('.')) ?? '';

const isLong = (below: readonly Field[]): boolean =>
  below.length >= LONG && below.filter((one) => sectionPath([one]) === sectionPath(below)).length > 1;

/** Finds what several fields have below them, and where it is described: where it comes first. */
export function structuresIn(
  kinds: readonly { readonly fields: readonly Field[]; readonly linkOf: (path: string) => string }[],
): ReadonlyMap<string, string> {
  const found = kinds.flatMap(({ fields, linkOf }) =>
    fields.map((field, at) => ({ field, below: belowOf(fields, at), fields, linkOf })),
  );
  const homes = new Map<string, string>();
  const shared = new Set<string>();
  const elsewhere: (typeof found)[number][] = [];
  for (const one of found) {
    const { field, below, fields, linkOf } = one;
    if (below.length < SHARED) continue;
    if (elsewhere.some((other) => other.fields === fields && other.below.includes(field))) continue;
    const structure = structureOf(field, below);
    if (homes.has(structure)) {
      shared.add(structure);
      elsewhere.push(one);
    } else homes.set(structure, linkOf(sectionPath(below)));
  }
  return new Map([...homes].filter(([structure]) => shared.has(structure)));
}

/** Splits fields into sections; what several fields have below them is shown in the one of `homes`. */
export function* sectionsOf(
  path: string,
  fields: readonly Field[],
  homes: ReadonlyMap<string, string>,
  linkOf: (path: string) => string,
): Generator<Section> {
  const rows: { field: Field; link?: string }[] = [];
  const parts: (readonly Field[])[] = [];
  let inPart: readonly Field[] = [];
  for (const [at, field] of fields.entries()) {
    if (inPart.includes(field)) continue;
    const below = belowOf(fields, at);
    const own = linkOf(sectionPath(below));
    const home = homes.get(structureOf(field, below)) ?? (isLong(below) ? own : undefined);
    rows.push(home === undefined ? { field } : { field, link: home });
    if (home === undefined) continue;
    inPart = below;
    if (home === own) parts.push(below);
  }
  yield { path, rows };
  for (const part of parts) yield* sectionsOf(sectionPath(part), part, homes, linkOf);
}

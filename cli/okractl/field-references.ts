import { cell } from '../../crds/cell.ts';
import type { StructuralSchema } from '../../crds/structural-schema.ts';
import { keysOf } from '../../domain/kubernetes/field-path.ts';
import { fieldsIn, isRecord } from '../../domain/model/shape.ts';
import { closest } from '../../domain/template.ts';
import { schemaOf } from './unknown-fields.ts';

const text = { type: 'string' };
const texts = { additionalProperties: text };

/** What every object has, as far as a path can name it. */
const METADATA: StructuralSchema = {
  properties: {
    name: text,
    namespace: text,
    uid: text,
    generation: { type: 'integer' },
    resourceVersion: text,
    creationTimestamp: text,
    labels: texts,
    annotations: texts,
  },
};

/** An argument of an analysis that names a field which no Cell has. */
export interface WrongReference {
  readonly at: string;
  readonly problem: string;
}

/** Says which arguments of analyses name a field that no Cell has, and which one is meant. */
export function wrongReferences(spec: unknown): readonly WrongReference[] {
  const { spec: ofSpec, status } = fieldsIn(schemaOf(cell)['properties']);
  const schema = { properties: { metadata: METADATA, spec: ofSpec, status } };
  return referencesIn(spec, 'spec').flatMap(({ at, path }) => {
    if (isPlain(fieldOf(schema, keysOf(path) ?? []))) return [];
    const root = path.split('.')[0] ?? '';
    const below = fieldsIn(schema.properties)[root];
    const names = below === undefined ? leavesOf(schema, '') : leavesOf(fieldsIn(below), root);
    const meant = closest(path, names)?.name;
    const hint = meant === undefined ? 'Correct it.' : `Did you mean ${meant}?`;
    const problem = `${at}: Expected a field of a Cell that has a plain value, got ${path}. ${hint}`;
    return [{ at, problem }];
  });
}

interface Reference {
  readonly at: string;
  readonly path: string;
}

function referencesIn(value: unknown, at: string): readonly Reference[] {
  if (Array.isArray(value))
    return value.flatMap((item: unknown, index) => referencesIn(item, `${at}[${index}]`));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const path = key === 'fieldRef' ? fieldsIn(child)['fieldPath'] : undefined;
    return typeof path === 'string'
      ? [{ at: `${at}.fieldRef.fieldPath`, path }]
      : referencesIn(child, `${at}.${key}`);
  });
}

const isPlain = (schema: StructuralSchema | undefined): boolean =>
  schema !== undefined &&
  (schema['x-kubernetes-int-or-string'] === true ||
    ['string', 'integer', 'number', 'boolean'].includes(String(schema['type'])));

function fieldOf(schema: StructuralSchema, keys: readonly string[]): StructuralSchema | undefined {
  let at: unknown = schema;
  for (const key of keys) {
    const { properties, items, additionalProperties } = fieldsIn(at);
    const own = fieldsIn(properties);
    at = Object.hasOwn(own, key)
      ? own[key]
      : ((/^\d+$/.test(key) ? items : undefined) ?? additionalProperties);
  }
  return isRecord(at) ? at : undefined;
}

function leavesOf(schema: StructuralSchema, path: string): readonly string[] {
  if (isPlain(schema)) return [path];
  const { properties, items } = schema;
  const own = Object.entries(fieldsIn(properties)).flatMap(([key, child]) =>
    leavesOf(fieldsIn(child), path === '' ? key : `${path}.${key}`),
  );
  return isRecord(items) ? [...own, ...leavesOf(items, `${path}[0]`)] : own;
}

import {
  type Fields,
  fieldsIn,
  isRecord,
  recordsIn,
  textIn,
  withoutNulls,
} from '../../domain/model/fields.ts';
import type { Command } from 'commander';
import { groupOf } from '../../clients/kubernetes/kinds.ts';
import { cell } from '../../crds/cell.ts';
import { check } from '../../crds/check.ts';
import { resources } from '../../crds/index.ts';
import { stagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import type { StructuralSchema } from '../../crds/structural-schema.ts';
import { expressionProblems } from '../../domain/checks/judge-value.ts';
import { OLD_GROUP } from '../../domain/conversion/convert.ts';
import { keysOf } from '../../domain/kubernetes/field-path.ts';
import { isLabelKey, isLabelValue, isObjectName } from '../../domain/kubernetes/selector.ts';
import { compileCondition, compileFilter } from '../../domain/staged/cel/expression.ts';
import { closest } from '../../domain/template.ts';
import { inOneLine } from '../terminal-text.ts';
import { FILE, identityOf, located, OFFLINE, readManifests, refusedByServer } from './manifests.ts';
import { counted, forPrograms, outputOption } from './output.ts';
import { badUsage, exitCodes, type Shell } from './shell.ts';
import type { Options } from './options.ts';

export function addLint(program: Command, shell: Shell): void {
  program
    .command('lint')
    .description(
      "Checks manifests of Okra's kinds as the API server would: schemas, rules, unknown fields, and CEL. If an API server can be reached, it also checks them there, by dry run. Exits with status 2 when it finds problems.",
    )
    .option(...FILE)
    .option(...OFFLINE)
    .addOption(outputOption())
    .action(async (options: Options) => {
      const { filename = [], output } = options;
      const { manifests, problems: unread } = await readManifests(shell, filename);
      const found = manifests.flatMap((manifest) => {
        const problems = lintObject(manifest.object);
        return problems === undefined ? [] : [{ manifest, problems }];
      });
      const problems = found.flatMap((one) => located(one.manifest, one.problems));
      const sound = found.flatMap((one) => (one.problems.length === 0 ? one.manifest : []));
      const all = [...unread, ...problems, ...(await refusedByServer(shell, options, sound))].map(inOneLine);
      const looked = found.length;
      const foreign = manifests.length - looked;
      if (looked + unread.length === 0)
        throw badUsage(
          `no objects of Okra's kinds in ${filename.join(', ')}, only ${foreign} of other kinds.`,
        );
      const others = foreign === 0 ? '' : `; ${foreign} of other kinds not checked`;
      const counts = `${counted(looked, 'object')}, ${counted(all.length, 'problem')}${others}`;
      const written = forPrograms({ looked, foreign, problems: all }, output);
      shell.print(written ?? [...all, counts].join('\n'));
      if (all.length > 0) shell.exitWith(exitCodes.problems);
    });
}

const groups: ReadonlySet<string> = new Set(resources.map(groupOf));

/** What is wrong with an object, as admission sees it: by the schema of its kind, its rules, and what CEL there is in it; undefined where it is not of Okra. */
export function lintObject(written: Fields): readonly string[] | undefined {
  const object = withoutNulls(written);
  const { apiVersion, kind, name, namespace } = identityOf(object);
  const group = groupOf({ apiVersion });
  if (group === OLD_GROUP)
    return [
      `invalid apiVersion ${apiVersion}: it is of an older generation. Convert the manifest with okractl convert -f.`,
    ];
  const found = resources.find((one) => one.kind === kind && one.apiVersion === apiVersion);
  if (found === undefined) {
    const isOurs = groups.has(group) || (apiVersion === '' && resources.some((one) => one.kind === kind));
    return isOurs ? [unknownKind(apiVersion, kind)] : undefined;
  }
  const parsed = found.parse({ metadata: { name }, spec: object['spec'] });
  const schema = schemaIn(found.manifest());
  const wrong = kind === cell.kind ? wrongReferences(object['spec']) : [];
  return [
    ...metadataProblems(object),
    ...(!found.namespaced && namespace !== undefined
      ? [`invalid metadata.namespace: a ${kind} is cluster-scoped. Remove it.`]
      : []),
    ...unknownFields(written['spec'], fieldsIn(fieldsIn(schema['properties'])['spec']), 'spec'),
    ...Object.keys(object)
      .filter((key) => !['apiVersion', 'kind', 'metadata', 'spec', 'status'].includes(key))
      .map((key) => unknownField(key)),
    ...(parsed.ok
      ? expressionsOf(kind, parsed.value)
      : parsed.problems.filter((problem) => !wrong.some(({ at }) => problem.startsWith(`${at}:`)))),
    ...wrong.map(({ problem }) => problem),
  ];
}

function unknownKind(apiVersion: string, kind: string): string {
  const exact = resources.find((one) => one.kind === kind);
  if (exact !== undefined)
    return apiVersion === ''
      ? `apiVersion is missing: set it to ${exact.apiVersion}`
      : `invalid apiVersion ${apiVersion}: must be ${exact.apiVersion}`;
  const kinds = resources.map((one) => one.kind);
  const meant = nearest(kind, kinds);
  return `${kind === '' ? 'kind is missing' : `unknown kind ${kind}`}: must be one of ${kinds.join(', ')}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`;
}

const unknownField = (path: string, meant?: string): string =>
  `unknown field ${path}.${meant === undefined ? ' Remove it.' : ` Did you mean ${meant}?`}`;

/** What is wrong with the metadata of an object, which the API server refuses whatever its kind. */
export function metadataProblems(object: Fields): readonly string[] {
  const { labels, annotations, ownerReferences } = withoutNulls(fieldsIn(object['metadata']));
  const { name } = identityOf(object);
  const invalid = `invalid metadata.name ${JSON.stringify(name)}: must consist of lower-case letters, digits, hyphens and dots`;
  return [
    ...(isObjectName(name) ? [] : [name === '' ? 'metadata.name is missing.' : invalid]),
    ...ownerProblems(ownerReferences),
    ...textProblems('labels', labels),
    ...textProblems('annotations', annotations),
  ];
}

const ownerProblems = (owners: unknown): readonly string[] =>
  recordsIn(owners).flatMap((owner, at) => {
    const lacking = ['apiVersion', 'kind', 'name', 'uid'].filter(
      (field) => (textIn(owner[field]) ?? '') === '',
    );
    if (lacking.length === 0) return [];
    return `invalid metadata.ownerReferences[${at}]: ${lacking.join(', ')} missing. Complete the owner reference, or remove it.`;
  });

function textProblems(field: 'labels' | 'annotations', map: unknown): readonly string[] {
  if (map === undefined) return [];
  if (!isRecord(map)) return [`invalid metadata.${field} ${JSON.stringify(map)}: must be a map`];
  return Object.entries(map).flatMap(([key, value]) => {
    const got = JSON.stringify(value);
    const of = `metadata.${field}[${JSON.stringify(key)}]`;
    if (!isLabelKey(key)) return [`invalid ${of}: not a valid key`];
    if (typeof value !== 'string') return [`invalid ${of}: ${got}, must be a string. Put it in quotes.`];
    if (field === 'annotations' || isLabelValue(value)) return [];
    return `invalid ${of}: ${got}, must consist of at most 63 letters, digits, hyphens, dots and underscores`;
  });
}

/** What is wrong with the CEL that the object itself holds, which admission lets pass. */
function expressionsOf(kind: string, spec: unknown): readonly string[] {
  if (kind === check.kind) {
    const parsed = check.parseSpec(spec);
    return parsed.ok ? expressionProblems(parsed.value.analysis).map((problem) => `spec.${problem}`) : [];
  }
  if (kind !== stagedBindingPolicy.kind) return [];
  const parsed = stagedBindingPolicy.parseSpec(spec);
  if (!parsed.ok) return [];
  return parsed.value.stages.flatMap(({ filter, condition }, at) =>
    Object.entries({
      filter: filter === undefined ? undefined : compileFilter(filter),
      condition: condition === undefined ? undefined : compileCondition(condition),
    }).flatMap(([field, compiled]) =>
      compiled?.is === 'Problem' ? `spec.stages[${at}].${field}: ${compiled.problem}` : [],
    ),
  );
}

const text = { type: 'string' };
const texts = { additionalProperties: text };

/** What every object has, as far as a path can name it. */
const METADATA: StructuralSchema = {
  properties: {
    ...Object.fromEntries(
      ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp'].map((name) => [name, text]),
    ),
    generation: { type: 'integer' },
    labels: texts,
    annotations: texts,
  },
};

/** Says which arguments of analyses name a field that no Cell has, and which one is meant. */
export function wrongReferences(spec: unknown) {
  const { spec: ofSpec, status } = fieldsIn(schemaIn(cell.manifest())['properties']);
  const schema = { properties: { metadata: METADATA, spec: ofSpec, status } };
  return referencesIn(spec, 'spec').flatMap(({ at, path }) => {
    if (isPlain(fieldOf(schema, keysOf(path) ?? []))) return [];
    const root = path.split('.')[0] ?? '';
    const below = fieldsIn(schema.properties)[root];
    const names = below === undefined ? leavesOf(schema, '') : leavesOf(fieldsIn(below), root);
    const meant = closest(path, names)?.name;
    const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
    const problem = `${at}: invalid path ${path}: must be a field of a Cell with a scalar value.${hint}`;
    return [{ at, problem }];
  });
}

function referencesIn(value: unknown, at: string): readonly { readonly at: string; readonly path: string }[] {
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

export function schemaIn(definition: unknown): StructuralSchema {
  const [version] = recordsIn(fieldsIn(fieldsIn(definition)['spec'])['versions']);
  return fieldsIn(fieldsIn(version?.['schema'])['openAPIV3Schema']);
}

/** Finds what the API server would prune, or refuse with strict validation, because no schema has it. */
function unknownFields(value: unknown, schema: StructuralSchema, path: string): readonly string[] {
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
    return [unknownField(at, nearest(key, Object.keys(known)))];
  });
}

/** The name that is at most two corrections away. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const best = closest(name, names);
  return best !== undefined && best.corrections <= 2 && best.corrections < name.length / 2
    ? best.name
    : undefined;
}

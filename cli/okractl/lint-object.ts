import { cell } from '../../crds/cell.ts';
import { check } from '../../crds/check.ts';
import { resources } from '../../crds/index.ts';
import { GROUP } from '../../crds/resource.ts';
import { stagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import { expressionProblems } from '../../domain/checks/expression.ts';
import { isLabelKey, isLabelValue, isObjectName } from '../../domain/kubernetes/label-syntax.ts';
import { OLD_GROUP } from '../../domain/conversion/convert.ts';
import {
  fieldsIn,
  isRecord,
  recordsIn,
  textIn,
  withoutNulls,
  type Fields,
} from '../../domain/model/shape.ts';
import { compileCondition, compileFilter } from '../../domain/staged/cel/expression.ts';
import { wrongReferences } from './field-references.ts';
import { identityOf } from './manifests.ts';
import { nearest, schemaOf, unknownFields } from './unknown-fields.ts';

/** What is found in an object: nothing, because it is not of Okra, or what is wrong with it. */
export type Finding =
  { readonly is: 'Foreign' } | { readonly is: 'Looked'; readonly problems: readonly string[] };

/** Whether an object is of Okra, and nothing is wrong with it. */
export const isSound = (finding: Finding): boolean =>
  finding.is === 'Looked' && finding.problems.length === 0;

const groups: ReadonlySet<string> = new Set(resources.map(({ apiVersion }) => groupOf(apiVersion)));

function groupOf(apiVersion: string): string {
  return apiVersion.split('/')[0] ?? '';
}

/** Looks at an object as admission does: by the schema of its kind, its rules, and what CEL there is in it. */
export function lintObject(written: Fields): Finding {
  const object = withoutNulls(written);
  const { apiVersion, kind, name, namespace } = identityOf(object);
  const group = groupOf(apiVersion);
  if (group === OLD_GROUP)
    return looked([
      `Expected apiVersion ${GROUP}/v1alpha1, got ${apiVersion} of an older generation. Convert it by okractl convert -f.`,
    ]);
  const found = resources.find((one) => one.kind === kind && one.apiVersion === apiVersion);
  if (found === undefined) {
    const isOurs = groups.has(group) || (apiVersion === '' && resources.some((one) => one.kind === kind));
    return isOurs ? looked([unknownKind(apiVersion, kind)]) : { is: 'Foreign' };
  }
  const parsed = found.parse({ metadata: { name }, spec: object['spec'] });
  const schema = schemaOf(found);
  const wrong = kind === cell.kind ? wrongReferences(object['spec']) : [];
  return looked([
    ...metadataProblems(object),
    ...(!found.namespaced && namespace !== undefined
      ? [
          `Expected no metadata.namespace, since a ${kind} belongs to no namespace, got ${namespace}. Remove it.`,
        ]
      : []),
    ...unknownFields(written['spec'], fieldsIn(fieldsIn(schema['properties'])['spec']), 'spec').map(
      unknownText,
    ),
    ...Object.keys(object)
      .filter((key) => !['apiVersion', 'kind', 'metadata', 'spec', 'status'].includes(key))
      .map((key) => unknownText({ path: key })),
    ...(parsed.ok
      ? expressionsOf(kind, parsed.value)
      : parsed.problems.filter((problem) => !wrong.some(({ at }) => problem.startsWith(`${at}:`)))),
    ...wrong.map(({ problem }) => problem),
  ]);
}

const looked = (problems: readonly string[]): Finding => ({ is: 'Looked', problems });

function unknownKind(apiVersion: string, kind: string): string {
  const exact = resources.find((one) => one.kind === kind);
  if (exact !== undefined)
    return `Expected apiVersion ${exact.apiVersion} of a ${kind}, got ${apiVersion === '' ? 'none' : apiVersion}. Correct it.`;
  const meant = nearest(
    kind,
    resources.map((one) => one.kind),
  );
  const kinds = resources.map((one) => one.kind).join(', ');
  return `Expected one of the kinds ${kinds}, got ${kind === '' ? 'none' : kind}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`;
}

const unknownText = ({ path, meant }: { readonly path: string; readonly meant?: string }): string =>
  `Expected no field ${path}, which the API server drops or refuses.${meant === undefined ? ' Remove it.' : ` Did you mean ${meant}?`}`;

/** What is wrong with the metadata of an object, which the API server refuses whatever its kind. */
export function metadataProblems(object: Fields): readonly string[] {
  const { labels, annotations, ownerReferences } = withoutNulls(fieldsIn(object['metadata']));
  return [
    ...nameProblems(identityOf(object).name),
    ...ownerProblems(ownerReferences),
    ...textProblems('labels', labels),
    ...textProblems('annotations', annotations),
  ];
}

function nameProblems(name: string): readonly string[] {
  if (name === '') return ['Expected metadata.name, got none. Give it one.'];
  if (isObjectName(name)) return [];
  return [
    `Expected metadata.name to have lower-case letters, digits, hyphens and dots, got ${JSON.stringify(name)}. Correct it.`,
  ];
}

const ownerProblems = (owners: unknown): readonly string[] =>
  recordsIn(owners).flatMap((owner, at) => {
    const lacking = ['apiVersion', 'kind', 'name', 'uid'].filter(
      (field) => (textIn(owner[field]) ?? '') === '',
    );
    return lacking.length === 0
      ? []
      : [
          `Expected ${lacking.join(', ')} in metadata.ownerReferences[${at}], got none. Leave the owner reference out, or complete it.`,
        ];
  });

/** What is wrong with a map of labels or annotations. */
function textProblems(field: 'labels' | 'annotations', map: unknown): readonly string[] {
  if (map === undefined) return [];
  if (!isRecord(map))
    return [`Expected metadata.${field} to be a map, got ${JSON.stringify(map)}. Correct it.`];
  return Object.entries(map).flatMap(([key, value]) => {
    const got = JSON.stringify(value);
    const of = `metadata.${field}[${JSON.stringify(key)}]`;
    if (!isLabelKey(key)) return [`Expected ${of} to have a valid key. Correct it.`];
    if (typeof value !== 'string') return [`Expected ${of} to be a text, got ${got}. Put it in quotes.`];
    if (field === 'annotations' || isLabelValue(value)) return [];
    return [
      `Expected ${of} to have at most 63 letters, digits, hyphens, dots and underscores, got ${got}. Correct it.`,
    ];
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
  return parsed.value.stages.flatMap(({ filter, condition }, at) => {
    const all = [
      ['filter', filter === undefined ? undefined : compileFilter(filter)],
      ['condition', condition === undefined ? undefined : compileCondition(condition)],
    ] as const;
    return all.flatMap(([field, compiled]) =>
      compiled?.is === 'Problem' ? [`spec.stages[${at}].${field}: ${compiled.problem}`] : [],
    );
  });
}

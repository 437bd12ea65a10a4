import { check } from '../../crds/check.ts';
import { resources } from '../../crds/index.ts';
import { GROUP } from '../../crds/resource.ts';
import { stagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import type { StructuralSchema } from '../../crds/structural-schema.ts';
import { expressionProblems } from '../../domain/checks/expression.ts';
import { OLD_GROUP } from '../../domain/conversion/convert.ts';
import { fieldsIn, recordsIn, type Fields } from '../../domain/model/shape.ts';
import { compileCondition, compileFilter } from '../../domain/staged/cel/expression.ts';
import { identityOf } from './manifests.ts';
import { nearest, unknownFields } from './unknown-fields.ts';

/** What is found in an object: nothing, because it is not of Okra, or what is wrong with it. */
export type Finding =
  { readonly is: 'Foreign' } | { readonly is: 'Looked'; readonly problems: readonly string[] };

const groups: ReadonlySet<string> = new Set(resources.map(({ apiVersion }) => groupOf(apiVersion)));

function groupOf(apiVersion: string): string {
  return apiVersion.split('/')[0] ?? '';
}

/** Looks at an object as admission does: by the schema of its kind, its rules, and what CEL there is in it. */
export function lintObject(object: Fields): Finding {
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
  return looked([
    ...nameProblems(name),
    ...(!found.namespaced && namespace !== undefined
      ? [
          `Expected no metadata.namespace, since a ${kind} belongs to no namespace, got ${namespace}. Remove it.`,
        ]
      : []),
    ...unknownFields(object['spec'], fieldsIn(fieldsIn(schema['properties'])['spec']), 'spec').map(
      unknownText,
    ),
    ...Object.keys(object)
      .filter((key) => !['apiVersion', 'kind', 'metadata', 'spec', 'status'].includes(key))
      .map((key) => unknownText({ path: key })),
    ...(parsed.ok ? expressionsOf(kind, parsed.value) : parsed.problems),
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

const DNS_SUBDOMAIN = /^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/;

function nameProblems(name: string): readonly string[] {
  if (name === '') return ['Expected metadata.name, got none. Give it one.'];
  if (DNS_SUBDOMAIN.test(name)) return [];
  return [
    `Expected metadata.name to have lower-case letters, digits, hyphens and dots, got ${JSON.stringify(name)}. Correct it.`,
  ];
}

function schemaOf(kind: (typeof resources)[number]): StructuralSchema {
  const [version] = recordsIn(fieldsIn(kind.manifest()['spec'])['versions']);
  return fieldsIn(fieldsIn(version?.['schema'])['openAPIV3Schema']);
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

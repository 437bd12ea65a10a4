import { labelSelectorRequirement } from '../../crds/common.ts';
import { markdownTable as table } from './files.ts';
import type { Definition, ResourceKind } from '../../crds/resource.ts';
import { type Field, fieldsIn, sectionsOf, structuresIn } from './schema-fields.ts';
import { structuralSchema } from '../../crds/structural-schema.ts';

const HEADER = '<!-- Generated from crds/. Do not edit. -->\n';

/** Where the guide to a kind is, from the folder of the pages. */
const guides: Readonly<Record<string, string>> = {
  Cell: '../cell.md',
  AWSTargetGroup: '../discovery/target-group.md',
  AWSApplicationLoadBalancerConfig: '../load-balancers/application-load-balancer.md#a-rule-without-a-cell',
  AWSNetworkLoadBalancerConfig: '../load-balancers/network-load-balancer.md',
  AWSApplicationLoadBalancerTargetDeployment:
    '../load-balancers/application-load-balancer.md#what-it-routes-to-now',
  Freeze: '../gates.md#freeze',
  AccessPolicy: '../access-policy.md',
  ClusterSet: '../discovery/cluster-set.md',
  AWSTargetGroupSet: '../discovery/target-group-set.md',
  AWSTargetGroupBinding: '../discovery/target-group-binding.md',
  Check: '../check.md',
  StagedBindingPolicy: '../staged-binding-policy.md',
};

/** Where the reasons in the status of a kind are explained. */
const reasonsOf = (kind: string): string =>
  kind.endsWith('LoadBalancerConfig') ? 'load-balancer-configurations' : kind.toLowerCase();

/** The conditions of a kind that says no others: whether all is as the object asks for. */
const usual = {
  Ready: 'all is as the object asks for',
  Degraded: 'something does not match the spec; see reason and message',
};
const conditions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Cell: {
    Ready: 'what should serve does',
    Progressing: 'a workflow is at it',
    Degraded: 'something keeps the Cell from what its spec asks for',
    TargetGroupsAccepted: 'every selected AWSTargetGroup has a usable version, and an ARN of its own',
    TargetsHealthy: 'each target group in the rule has a healthy target; absent until Okra has observed it',
    ClustersReady: 'with applications, in place of TargetGroupsAccepted: all clusters are ready',
  },
  AWSTargetGroup: {
    Ready:
      'AWS knows the target group, and the Cells that select it can use it; Unknown while AWS could not be reached',
    Degraded: 'the opposite',
  },
  Check: {
    Ready: 'it is successful, or while it measures the last sample has passed',
    Progressing: 'it measures',
    Degraded: 'it has failed, or its provider does not answer',
  },
  StagedBindingPolicy: {
    Ready: 'the last stage is fulfilled',
    Progressing: 'a stage is being deployed, waited for, or rolled back',
    Degraded: 'something prevents the workload from reaching the requested clusters',
    SpecAccepted: 'the spec can be followed',
  },
};

/** The types of the conditions that Okra writes for a kind, and when each is true. */
export const conditionsOf = (resource: ResourceKind): Readonly<Record<string, string>> =>
  statusOf(resource).some(({ path }) => path === 'status.conditions')
    ? (conditions[resource.kind] ?? usual)
    : {};

const cell = (text: string): string =>
  text.replaceAll('<', '&lt;').replaceAll('|', '\\|').replaceAll('\n', ' ');

const firstSentence = (text: string): string => text.split(/(?<=\.) /)[0] ?? text;

const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;

const SELECTORS = 'README.md#label-selectors';

/** The row of a field, by its path in the section, which leads to the fields below it; a default that the description has is not said twice. */
function fieldRow({ path, type, isRequired, initial, description }: Field, link?: string): readonly string[] {
  const standard =
    initial === undefined || description.includes('Default:') ? '' : `, default ${code(initial)}`;
  const fields = path.endsWith('matchExpressions') ? SELECTORS : link;
  const name = fields === undefined ? code(path) : `[${code(path)}](${fields})`;
  return [`${name}${isRequired ? ' **required**' : ''}<br>${cell(type)}${standard}`, cell(description)];
}

/** The name in the row of a field. */
const nameIn = ([name = '']: readonly string[]): string => name.split(/ \*\*required|<br>/)[0] ?? '';

const FIELD_HEAD = ['field', 'says'] as const;

function overview(resource: ResourceKind): string {
  const { apiVersion, kind, plural, shortNames, namespaced, workflow, selectableFields } = resource;
  const id = workflow === undefined ? [] : [workflow.idPrefix, ...(namespaced ? ['NAMESPACE'] : []), 'NAME'];
  return table(
    ['', ''],
    [
      ['API', `${code(apiVersion)}, kind ${code(kind)}`],
      ['belongs to', namespaced ? 'a namespace' : 'the whole cluster'],
      ['`kubectl get`', [plural, ...shortNames].map(code).join(', ')],
      ['columns', columnsOf(resource)],
      ...(id.length === 0 ? [] : [['workflow', code(id.join('/'))]]),
      ...(selectableFields === undefined
        ? []
        : [['field selectors', selectableFields.map((path) => code(path.slice(1))).join(', ')]]),
    ],
  );
}

/** The columns of `kubectl get`; the descriptions of their fields are with the fields. */
function columnsOf({ printerColumns }: Definition): string {
  const namesOf = (isWide: boolean) =>
    printerColumns
      .filter(({ priority = 0 }) => priority > 0 === isWide)
      .map(({ name }) => name.toUpperCase())
      .join(', ');
  const wide = namesOf(true);
  return `${namesOf(false)}${wide === '' ? '' : `; with \`-o wide\` ${wide}`}`;
}

/** The pages of a Cell besides its first: which fields of its spec each has. */
const cellPages: Readonly<Record<string, { readonly title: string; readonly fields: readonly string[] }>> = {
  'cell-ingress.md': {
    title: 'ingress and versions',
    fields: [
      'ingress',
      'replicas',
      'version',
      'versionedBy',
      'minHealthyTargets',
      'healthTimeout',
      'evacuation',
      'deletionPolicy',
    ],
  },
  'cell-update-strategy.md': {
    title: 'update strategy and gates',
    fields: ['updateStrategy', 'settle', 'progressDeadline', 'windows', 'analysis'],
  },
  'cell-applications.md': {
    title: 'clusters and applications',
    fields: ['clusters', 'applications', 'parallel', 'onFailure', 'syncTimeout', 'rollbackDelay'],
  },
  'cell-status.md': { title: 'status and conditions', fields: [] },
};

/** The name of the file that the page about a kind is in, the first of several. */
export const kindPageName = ({ kind }: Pick<ResourceKind, 'kind'>): string => `${kind.toLowerCase()}.md`;

/** The file with a field, by its path from the object on. */
function fileOf(kind: string, path: string): string {
  const [part, top = ''] = path.replaceAll('[]', '').split('.');
  const main = kindPageName({ kind });
  if (kind !== 'Cell') return main;
  if (part === 'status') return 'cell-status.md';
  return Object.keys(cellPages).find((file) => cellPages[file]?.fields.includes(top)) ?? main;
}

const linkOf =
  (kind: string) =>
  (path: string): string =>
    `${fileOf(kind, path)}#${path.toLowerCase().replaceAll(/[^a-z0-9_-]/g, '')}`;

const fieldsOf = (one: ResourceKind, part: 'spec' | 'status'): readonly Field[] =>
  fieldsIn(structuralSchema(one[part])).map((field) => ({ ...field, path: `${part}.${field.path}` }));

const statusOf = (one: ResourceKind): readonly Field[] =>
  one.isReported === true ? fieldsOf(one, 'status') : [];

/** What several kinds have in common, which is told once. */
interface Common {
  readonly structures: ReadonlyMap<string, string>;
  readonly status: readonly Field[];
  /** The section that has told a row, by the row. */
  readonly homes: Map<string, string>;
}

function commonOf(resources: readonly ResourceKind[]): Common {
  // A set has what its objects have.
  const ordered = resources.toSorted(
    (a, b) => Number(a.kind.endsWith('Set')) - Number(b.kind.endsWith('Set')),
  );
  const sides = ordered.flatMap((one) =>
    [fieldsOf(one, 'spec'), statusOf(one)].map((fields) => ({ fields, linkOf: linkOf(one.kind) })),
  );
  const tops = resources.flatMap((one) => statusOf(one).filter(({ path }) => isSingle(path)));
  const status = [...Map.groupBy(tops, (field) => JSON.stringify(field)).values()].flatMap(
    ([first, ...more]) => (first !== undefined && more.length > 2 ? first : []),
  );
  return {
    structures: structuresIn(sides),
    status,
    homes: new Map(),
  };
}

const singles = new Set(['observedGeneration', 'conditions', 'lastSyncTime', 'reason', 'message']);
const isSingle = (path: string): boolean => singles.has(path.slice('status.'.length));

/** A field of a status, whose bounds matter to nobody who reads it. */
const reported = (field: Field): Field => ({
  ...field,
  isRequired: false,
  type: field.type.replaceAll(/,? (?:[≤≥] \d+|\d+–\d+)(?: items| keys)?/g, ''),
});

/** From how many fields on those that an earlier section has as well are left to it. */
const REPEATED = 5;

function* sections(path: string, fields: readonly Field[], { kind }: ResourceKind, common: Common) {
  const shown = path === 'status' ? reported : (field: Field) => field;
  for (const { path: own, rows } of sectionsOf(path, fields, common.structures, linkOf(kind))) {
    yield own === path ? `## ${path}` : `### ${code(own)}`;
    const told = rows.map(({ field, link }) =>
      fieldRow({ ...shown(field), path: field.path.slice(own.length + 1) }, link),
    );
    const homeOf = (row: readonly string[]) => common.homes.get(row.join('|'));
    const repeated = [...Map.groupBy(told, homeOf)].filter(
      ([home, some]) => home !== undefined && some.length >= REPEATED,
    );
    const left = told.filter((row) => !repeated.some(([, some]) => some.includes(row)));
    const section = `[${code(own)}](${linkOf(kind)(own)})`;
    for (const row of left) if (homeOf(row) === undefined) common.homes.set(row.join('|'), section);
    if (left.length > 0) yield table(FIELD_HEAD, left);
    for (const [home = '', some] of repeated) yield `As in ${home}: ${some.map(nameIn).join(', ')}.`;
  }
}

function* parts(resource: ResourceKind, file: string, common: Common): Generator<string> {
  const { kind } = resource;
  const isHere = (path: string) => fileOf(kind, path) === file;
  yield* file === kindPageName(resource)
    ? headParts(resource)
    : [`# ${kind}: ${cellPages[file]?.title ?? ''}`, 'Part of the reference of [Cell](cell.md).'];
  const spec = fieldsOf(resource, 'spec').filter(({ path }) => isHere(path));
  if (spec.length > 0) yield* sections('spec', spec, resource, common);
  if (isHere('status')) yield* statusParts(resource, common);
}

function* headParts(resource: ResourceKind): Generator<string> {
  const { kind, description } = resource;
  const guide = guides[kind];
  yield `# ${kind}`;
  yield cell(description) + (guide === undefined ? '' : ` [The guide](${guide}) says how it is used.`);
  yield overview(resource);
  if (kind === 'Cell') {
    yield 'An example: [cell.yaml](../examples/cell.yaml). The fields are on pages of their own:';
    yield table(
      ['page', 'fields of the spec'],
      Object.entries(cellPages).map(([file, { title, fields }]) => [
        `[${title}](${file})`,
        fields.map(code).join(', '),
      ]),
    );
  }
  if (fieldsOf(resource, 'spec').length === 0) yield '## spec\n\nIt has no fields.';
}

function* statusParts(resource: ResourceKind, common: Common): Generator<string> {
  const fields = statusOf(resource);
  if (fields.length === 0) return;
  const isCommon = (field: Field) =>
    common.status.some((one) => JSON.stringify(one) === JSON.stringify(field));
  yield* sections(
    'status',
    fields.filter((field) => !isCommon(field)),
    resource,
    common,
  );
  const names = fields.filter(isCommon).map(({ path }) => code(path.slice('status.'.length)));
  if (names.length > 0)
    yield `Of [every status](README.md#fields-of-every-status): ${names.join(', ')}. Okra alone writes it.`;
  const types = Object.entries(conditionsOf(resource));
  if (types.length === 0) return;
  yield '## Conditions';
  yield conditions[resource.kind] === undefined
    ? `[The usual ones](README.md#conditions): ${types.map(([type]) => code(type)).join(', ')}.`
    : conditionTable(types);
  yield `[Troubleshooting](../troubleshooting.md#${reasonsOf(resource.kind)}) has their reasons.`;
}

const conditionTable = (types: readonly (readonly [string, string])[]): string =>
  table(
    ['type', 'is true when'],
    types.map(([type, means]) => [code(type), means]),
  );

/** The pages about all kinds, by the names of their files, with the one that leads to them. */
export function kindPages(resources: readonly ResourceKind[]): ReadonlyMap<string, string> {
  const common = commonOf(resources);
  return new Map([
    ['README.md', kindIndex(resources, common)],
    ...resources.flatMap((one) =>
      [kindPageName(one), ...(one.kind === 'Cell' ? Object.keys(cellPages) : [])].map(
        (file): [string, string] => [file, `${HEADER}\n${[...parts(one, file, common)].join('\n\n')}\n`],
      ),
    ),
  ]);
}

const kindIndex = (resources: readonly ResourceKind[], common: Common): string =>
  `${HEADER}
# Kinds

Every field of every kind that Okra defines, as \`kubectl explain checks.spec --recursive\` has them. The guide that each page leads to says how it is used. A field is optional unless it says **required**. \`string ≤ 9\` has at most 9 characters. What rules refuse besides, [\`okractl lint\`](../ci.md) finds without a cluster; the message says what to do.

${table(
  ['kind', 'short name', 'is'],
  resources.map((one) => [
    `[${one.kind}](${kindPageName(one)})`,
    one.shortNames.map(code).join(', '),
    cell(firstSentence(one.description)),
  ]),
)}

The fields of a Cell: ${Object.entries(cellPages)
    .map(([file, { title }]) => `[${title}](${file})`)
    .join(', ')}.

## Fields of every status

${table(
  FIELD_HEAD,
  common.status.map((field) => fieldRow({ ...reported(field), path: field.path.slice('status.'.length) })),
)}

## Conditions

Where the page of a kind has no others:

${conditionTable(Object.entries(usual))}

## Label selectors

Each of \`matchExpressions\` has these fields:

${table(
  FIELD_HEAD,
  fieldsIn(structuralSchema(labelSelectorRequirement)).map((field) => fieldRow(field)),
)}
`;

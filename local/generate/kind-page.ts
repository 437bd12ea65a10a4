import { markdownTable as table } from './files.ts';
import { structuralSchema, type StructuralSchema } from '../../crds/structural-schema.ts';
import type { Definition, ResourceKind } from '../../crds/resource.ts';
import { CEL_RULES } from '../../crds/rules.ts';

interface Field {
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
  const least = unit === undefined || (from ?? 0) > 1 ? from : undefined;
  const what = unit === undefined ? '' : ` ${unit}`;
  if (least === undefined) return to === undefined ? '' : `, at most ${to}${what}`;
  return to === undefined ? `, at least ${least}${what}` : `, ${least} to ${to}${what}`;
}

/** What is refused by rules, each message once; `whole` are rules over the whole object. */
export function refusalsIn(schema: StructuralSchema, whole: readonly { readonly message: string }[]) {
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

const HEADER = '<!-- Generated by `npm run generate` from the zod schemas in crds/. Do not edit. -->\n';

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
export const conditionsOf = ({ kind, isReported, status }: ResourceKind): Readonly<Record<string, string>> =>
  isReported === true && fieldsIn(structuralSchema(status)).some(({ path }) => path === 'conditions')
    ? (conditions[kind] ?? usual)
    : {};

const cell = (text: string): string =>
  text.replaceAll('<', '&lt;').replaceAll('|', '\\|').replaceAll('\n', ' ');

const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;

const refusalRow = ({ paths, message }: ReturnType<typeof refusalsIn>[number]): readonly string[] => {
  const [first, ...others] = paths.map(code);
  const more =
    others.length > 2 ? ` and ${others.length} others` : others.map((path) => `, ${path}`).join('');
  return [`${first}${more}`, cell(message)];
};

function overview(resource: ResourceKind): string {
  const { apiVersion, kind, plural, shortNames, namespaced, workflow, selectableFields = [] } = resource;
  const row = (name: string, texts: readonly string[]) =>
    texts.length === 0 ? [] : [[name, texts.join(', ')]];
  const id = workflow && [workflow.idPrefix, ...(namespaced ? ['NAMESPACE'] : []), 'NAME'].join('/');
  return table(
    ['', ''],
    [
      ['API', `${code(apiVersion)}, kind ${code(kind)}`],
      ['belongs to', namespaced ? 'a namespace' : 'the whole cluster'],
      ...row('`kubectl get`', [plural, ...shortNames].map(code)),
      ['`kubectl explain`', code(`kubectl explain ${plural}.spec --recursive`)],
      ...row('workflow', id === undefined ? [] : [code(id)]),
      ...row(
        'field selectors',
        selectableFields.map((path) => code(path.slice(1))),
      ),
    ],
  );
}

const columns = ({ printerColumns }: Definition): string =>
  table(
    ['column', 'shows', ''],
    printerColumns.map(({ name, jsonPath, description = '', priority = 0 }) => [
      name.toUpperCase(),
      `${code(jsonPath)}${description === '' ? '' : `: ${cell(description)}`}`,
      priority > 0 ? 'with `-o wide`' : '',
    ]),
  );

function* parts(resource: ResourceKind): Generator<string> {
  const { kind, description } = resource;
  const guide = guides[kind];
  yield `# ${kind}`;
  yield cell(description) + (guide === undefined ? '' : ` [The guide](${guide}) says how it is used.`);
  yield overview(resource);
  yield '## Columns';
  yield columns(resource);
  const spec = structuralSchema(resource.spec);
  const rows = fieldsIn(spec).map(({ path, type, isRequired, initial, description: says }) => [
    code(path),
    `${isRequired ? '**required**, ' : ''}${cell(type)}`,
    initial === undefined ? '' : code(initial),
    cell(says),
  ]);
  yield '## spec';
  yield rows.length === 0 ? 'It has no fields.' : table(['field', 'type', 'default', 'says'], rows);
  const refusals = refusalsIn(spec, resource.rules ?? []);
  if (refusals.length > 0) {
    yield '## What is refused';
    yield 'In addition to the types above, the API server refuses an object with one of these messages:';
    yield table(['field', 'message'], refusals.map(refusalRow));
  }
  if (resource.isReported !== true) return;
  yield '## status';
  yield 'Okra alone writes it.';
  const status = fieldsIn(structuralSchema(resource.status));
  yield table(
    ['field', 'type', 'says'],
    status.map(({ path, type, description: says }) => [code(path), cell(type), cell(says)]),
  );
  const types = Object.entries(conditionsOf(resource));
  if (types.length === 0) return;
  yield '## Conditions';
  yield table(
    ['type', 'is true when'],
    types.map(([type, means]) => [code(type), means]),
  );
  if (guide !== undefined)
    yield `[Troubleshooting](../troubleshooting.md#${reasonsOf(kind)}) has their reasons, with what to look at and what to do.`;
}

export const kindPage = (resource: ResourceKind): string =>
  `${HEADER}\n${[...parts(resource)].join('\n\n')}\n`;

export const kindPageName = ({ kind }: Pick<ResourceKind, 'kind'>): string => `${kind.toLowerCase()}.md`;

/** The page that leads to those about all kinds. */
export const kindIndex = (resources: readonly ResourceKind[]): string =>
  `${HEADER}
# Kinds

Every field of every kind that Okra defines, as \`kubectl explain\` has them. The guides that each page leads to say how they are used.

${table(
  ['kind', 'short name', 'is'],
  resources.map((one) => [
    `[${one.kind}](${kindPageName(one)})`,
    one.shortNames.map(code).join(', '),
    cell(one.description),
  ]),
)}
`;

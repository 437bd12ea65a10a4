import { given } from '../model/fields.ts';
import type { CheckStep } from '../../crds/update-strategy.ts';
import type { CheckAnalysis } from '../../crds/check.ts';
import type { checkVariables } from '../../crds/check-providers.ts';
import { loadBalancerFullName, targetGroupFullName } from '../model/target-group.ts';
import { closest, fillInVariables, quote, refuse, type Rendered } from '../template.ts';

/** What the queries of a check may say of one target group, and of its cluster. */
export interface CheckVariables {
  readonly clusterName: string;
  readonly targetGroupARN: string;
  readonly listenerARN: string;
  readonly version: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly tags?: Readonly<Record<string, string>> | undefined;
}

type Source = (of: CheckVariables) => string;

const plain: Readonly<Record<(typeof checkVariables)[number], Source>> = {
  clusterName: ({ clusterName }) => clusterName,
  eksClusterName: ({ clusterName }) => clusterName,
  albListenerARN: ({ listenerARN }) => listenerARN,
  targetGroupARN: ({ targetGroupARN }) => targetGroupARN,
  targetGroupFullName: ({ targetGroupARN }) => targetGroupFullName(targetGroupARN),
  loadBalancerFullName: ({ listenerARN }) => loadBalancerFullName(listenerARN),
  version: ({ version }) => version,
};

const PREFIX = '.Vars.';
const isPlain = (name: string): name is keyof typeof plain => Object.hasOwn(plain, name);
const KNOWN = `${Object.keys(plain).join(', ')}, labels.KEY and tags.KEY`;

/** Fills in the variables of a query: `{{.Vars.clusterName}}`. */
export const renderQuery = (template: string, variables: CheckVariables): Rendered =>
  fillInVariables(template, (variable) => valueOf(variable, variables));

function valueOf(variable: string, variables: CheckVariables): Rendered {
  if (!variable.startsWith(PREFIX)) return unknown(variable);
  const name = variable.slice(PREFIX.length);
  const source = isPlain(name) ? plain[name] : undefined;
  if (source !== undefined) return known(name, source(variables), variables);
  const [map = '', ...key] = name.split('.');
  if (map === 'labels') return ofMap('label', key.join('.'), variables.labels, variables);
  if (map === 'tags') return ofMap('tag', key.join('.'), variables.tags, variables);
  return unknown(variable);
}

const known = (name: string, value: string, { targetGroupARN }: CheckVariables): Rendered =>
  value === ''
    ? refuse(
        `${PREFIX}${name} of target group ${targetGroupARN} is unknown. Use another variable, or let an AWSTargetGroupSet create its AWSTargetGroup, which names its cluster.`,
      )
    : { ok: true, value };

function ofMap(
  what: 'label' | 'tag',
  key: string,
  map: Readonly<Record<string, string>> | undefined,
  { targetGroupARN, clusterName }: CheckVariables,
): Rendered {
  if (map !== undefined && Object.hasOwn(map, key)) return { ok: true, value: map[key] ?? '' };
  const whose = what === 'tag' ? `Cluster ${clusterName}` : `Target group ${targetGroupARN}`;
  const nearest = nearestOf(Object.keys(map ?? {}), key);
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return refuse(`${whose} has no ${what} ${quote(key)}. Add it, or use another variable.${hint}`);
}

// Admission refuses these before.
const unknown = (variable: string): Rendered =>
  refuse(
    `Unknown variable {{${variable}}}: must be one of ${KNOWN}, written as {{${PREFIX}clusterName}}. Correct the variable.`,
  );

function nearestOf(among: readonly string[], name: string): string | undefined {
  const best = closest(name.slice(0, 64), among.toSorted());
  return best !== undefined && best.corrections <= Math.max(2, best.name.length / 3) ? best.name : undefined;
}

type Provider = NonNullable<CheckAnalysis['provider']>;

/** What a provider is asked; all its texts are sent as they are. */
export interface Question {
  readonly query?: string | undefined;
  readonly queries?: NonNullable<Provider['datadog']>['queries'];
  readonly metrics?: NonNullable<Provider['cloudWatch']>['metrics'];
}

type Asking = Pick<CheckStep['analysis'], 'query' | 'provider' | 'minSamples'>;

/** What an analysis asks. */
export const questionOf = ({ query, provider }: Pick<Asking, 'query' | 'provider'>): Question =>
  given({ query, queries: provider?.datadog?.queries, metrics: provider?.cloudWatch?.metrics });

/** A question as one text, for people. */
export function textOf({ query, queries, metrics }: Question, formula?: string): string {
  const parts = [
    ...(formula === undefined ? [] : [formula]),
    ...(query === undefined ? [] : [query]),
    ...(queries ?? []).map(({ name, dataSource, ...rest }) => `${name} = ${dataSource} ${wordsOf(rest)}`),
    ...(metrics ?? []).map(
      ({ id, namespace, metricName, dimensions = [], stat }) =>
        `${id} = ${stat} of ${namespace} ${metricName}{${dimensions.map(({ name, value }) => `${name}=${value}`).join(',')}}`,
    ),
  ];
  return parts.join('; ');
}

const wordsOf = (fields: object): string =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => (name === 'query' ? String(value) : `${name}=${JSON.stringify(value)}`))
    .join(' ');

/** A question, or an analysis, with its variables filled in, and what is wrong with it otherwise. */
export type Filled<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly problems: readonly string[] };

// Where the schema takes variables (crds/check-providers.ts).
const TEXTS: ReadonlySet<string> = new Set([
  'query',
  'service',
  'operationName',
  'resourceName',
  'sloId',
  'metric',
  'value',
]);

/** Fills in the variables wherever an analysis asks. */
export function fillIn<Analysis extends Asking>(
  analysis: Analysis,
  variables: CheckVariables,
): Filled<Analysis> {
  const problems = new Set<string>();
  const fill = (key: string, text: unknown): unknown => {
    if (typeof text !== 'string' || !TEXTS.has(key)) return text;
    const rendered = renderQuery(text, variables);
    if (rendered.ok) return rendered.value;
    problems.add(rendered.message);
    return text;
  };
  const { query, minSamples, provider } = analysis;
  const filled: Asking = JSON.parse(JSON.stringify({ query, minSamples, provider }), fill);
  return problems.size === 0
    ? { ok: true, value: { ...analysis, ...filled } }
    : { ok: false, problems: [...problems] };
}

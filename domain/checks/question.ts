import { given } from '../model/fields.ts';
import type { CheckStep } from '../../crds/update-strategy.ts';
import type { CheckAnalysis } from '../../crds/check.ts';
import { renderQuery, type CheckVariables } from './variables.ts';

type Provider = NonNullable<CheckAnalysis['provider']>;
type Datadog = NonNullable<Provider['datadog']>;
type CloudWatch = NonNullable<Provider['cloudWatch']>;

/** What a provider is asked; all its texts are sent as they are. */
export interface Question {
  readonly query?: string | undefined;
  readonly queries?: Datadog['queries'];
  readonly metrics?: CloudWatch['metrics'];
}

/** An analysis of a Cell or of a Check, as far as it asks. */
type Asking = Pick<CheckStep['analysis'], 'query' | 'provider' | 'minSamples'>;

/** What an analysis asks. */
export const questionOf = ({ query, provider }: Pick<Asking, 'query' | 'provider'>): Question => ({
  ...given({ query }),
  ...(provider?.datadog?.queries === undefined ? {} : { queries: provider.datadog.queries }),
  ...(provider?.cloudWatch?.metrics === undefined ? {} : { metrics: provider.cloudWatch.metrics }),
});

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

/** Fills in the variables wherever an analysis asks. */
export function fillIn<Analysis extends Asking>(
  analysis: Analysis,
  variables: CheckVariables,
): Filled<Analysis> {
  const problems = new Set<string>();
  const fill = (text: string): string => {
    const rendered = renderQuery(text, variables);
    if (rendered.ok) return rendered.value;
    problems.add(rendered.message);
    return text;
  };
  const value: Analysis = {
    ...analysis,
    ...(analysis.query === undefined ? {} : { query: fill(analysis.query) }),
    ...(analysis.minSamples === undefined
      ? {}
      : { minSamples: { ...analysis.minSamples, query: fill(analysis.minSamples.query) } }),
    ...(analysis.provider === undefined ? {} : { provider: fillProvider(analysis.provider, fill) }),
  };
  return problems.size === 0 ? { ok: true, value } : { ok: false, problems: [...problems] };
}

function fillProvider(
  { datadog, cloudWatch, ...others }: Provider,
  fill: (text: string) => string,
): Provider {
  return {
    ...others,
    ...(datadog === undefined ? {} : { datadog: fillDatadog(datadog, fill) }),
    ...(cloudWatch === undefined ? {} : { cloudWatch: fillCloudWatch(cloudWatch, fill) }),
  };
}

const TEXTS = ['query', 'service', 'operationName', 'resourceName', 'sloId'] as const;

const fillDatadog = (datadog: Datadog, fill: (text: string) => string): Datadog => ({
  ...datadog,
  ...(datadog.queries === undefined
    ? {}
    : {
        queries: datadog.queries.map((query) => ({
          ...query,
          ...Object.fromEntries(
            TEXTS.flatMap((name) => {
              const text = query[name];
              return text === undefined ? [] : [[name, fill(text)]];
            }),
          ),
        })),
      }),
});

const fillCloudWatch = (cloudWatch: CloudWatch, fill: (text: string) => string): CloudWatch => ({
  ...cloudWatch,
  ...(cloudWatch.metrics === undefined
    ? {}
    : {
        metrics: cloudWatch.metrics.map((metric) => ({
          ...metric,
          ...(metric.dimensions === undefined
            ? {}
            : { dimensions: metric.dimensions.map(({ name, value }) => ({ name, value: fill(value) })) }),
        })),
      }),
});

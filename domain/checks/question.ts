import { given } from '../model/fields.ts';
import type { CheckStep } from '../../crds/update-strategy.ts';
import type { CheckAnalysis } from '../../crds/check.ts';
import { renderQuery, type CheckVariables } from './variables.ts';

type Provider = NonNullable<CheckAnalysis['provider']>;

/** What a provider is asked; all its texts are sent as they are. */
export interface Question {
  readonly query?: string | undefined;
  readonly queries?: NonNullable<Provider['datadog']>['queries'];
  readonly metrics?: NonNullable<Provider['cloudWatch']>['metrics'];
}

/** An analysis of a Cell or of a Check, as far as it asks. */
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
  const { query, minSamples, provider } = analysis;
  const value: Analysis = {
    ...analysis,
    ...given({
      query: query === undefined ? undefined : fill(query),
      minSamples: minSamples && { ...minSamples, query: fill(minSamples.query) },
      provider: provider && fillProvider(provider, fill),
    }),
  };
  return problems.size === 0 ? { ok: true, value } : { ok: false, problems: [...problems] };
}

const TEXTS = ['query', 'service', 'operationName', 'resourceName', 'sloId'] as const;

function fillProvider(provider: Provider, fill: (text: string) => string): Provider {
  const { datadog, cloudWatch } = provider;
  const queries = datadog?.queries?.map((query) => ({
    ...query,
    ...Object.fromEntries(
      TEXTS.flatMap((name) => {
        const text = query[name];
        return text === undefined ? [] : [[name, fill(text)]];
      }),
    ),
  }));
  const metrics = cloudWatch?.metrics?.map(({ dimensions, ...metric }) => ({
    ...metric,
    ...given({ dimensions: dimensions?.map(({ name, value }) => ({ name, value: fill(value) })) }),
  }));
  return {
    ...provider,
    ...given({
      datadog: datadog && { ...datadog, ...given({ queries }) },
      cloudWatch: cloudWatch && { ...cloudWatch, ...given({ metrics }) },
    }),
  };
}

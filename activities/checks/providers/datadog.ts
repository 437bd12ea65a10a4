import { digest } from '../../../clients/digest.ts';
import { refused } from '../../../clients/provider-error.ts';
import type { CheckAnalysis } from '../../../crds/check.ts';
import { mustUse, type ProviderDependencies, type Provider, readKeys } from './port.ts';

interface Organisation {
  readonly site: string;
  readonly url: string;
  readonly apiKey: string;
  readonly appKey: string;
}

/** Opens Datadog, with the keys of a Secret or those of okrad. */
export const datadog = (dependencies: ProviderDependencies): Provider => ({
  async open({ namespace, analysis }, signal) {
    const of = analysis.provider?.datadog ?? {};
    const organisation = await organisationOf(dependencies, { namespace, of }, signal);
    const { site, url, apiKey, appKey } = organisation;
    return {
      // The digest tells organisations apart, and nobody the key.
      quota: `datadog/${site}/${digest(apiKey).slice(0, 16)}`,
      secrets: [apiKey, appKey],
      ask: ({ question, window, aggregator, isPlain }, given) =>
        dependencies.datadog.ask(
          { url, apiKey, appKey },
          {
            question,
            window,
            aggregator,
            response: isPlain === true ? 'Timeseries' : (of.response ?? 'Timeseries'),
            formula: of.formula,
          },
          given,
        ),
    };
  },
});

type Named = NonNullable<NonNullable<CheckAnalysis['provider']>['datadog']>;

async function organisationOf(
  { kubernetes, policies, datadog: { own } }: ProviderDependencies,
  { namespace, of }: { readonly namespace: string; readonly of: Named },
  signal: AbortSignal,
): Promise<Organisation> {
  const site = of.site ?? own.site;
  const url = own.endpoint ?? `https://api.${site}`;
  if (of.secretRef !== undefined) {
    const key = { namespace, name: of.secretRef.name };
    const [apiKey = '', appKey = ''] = await readKeys(kubernetes, key, ['api-key', 'app-key']);
    return { site, url, apiKey, appKey };
  }
  await mustUse(policies, namespace, { of: 'Metrics', source: `datadog/${site}` }, signal);
  const { apiKey, appKey } = own;
  if (apiKey === undefined || appKey === undefined)
    throw refused(
      'No Datadog keys. Name a Secret in provider.datadog.secretRef, or set DD_API_KEY and DD_APP_KEY of okrad.',
    );
  return { site, url, apiKey, appKey };
}

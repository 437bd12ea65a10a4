import type { CheckAnalysis } from '../../../crds/check.ts';
import { type ProviderDependencies, type Provider, mustUse, readKeys } from './port.ts';
import { refused } from '../../../clients/provider-error.ts';
import { digest } from '../../../clients/digest.ts';

interface Organisation {
  readonly site: string;
  readonly url: string;
  readonly apiKey: string;
  readonly appKey: string;
}

/** Opens Datadog, with the keys of a Secret or those of okrad. */
const datadog = (dependencies: ProviderDependencies): Provider => ({
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

/** Opens CloudWatch, as okrad or as a role in the account that has the metrics. */
const cloudWatch = ({ policies, askCloudWatch, region: own }: ProviderDependencies): Provider => ({
  async open({ namespace, analysis }, signal) {
    const { region = own, roleARN } = analysis.provider?.cloudWatch ?? {};
    if (region === undefined)
      throw refused('No region for CloudWatch. Set provider.cloudWatch.region, or AWS_REGION of okrad.');
    const use =
      roleARN === undefined
        ? ({ of: 'Metrics', source: `cloudwatch/${region}` } as const)
        : ({ of: 'Role', arn: roleARN } as const);
    await mustUse(policies, namespace, use, signal);
    return {
      secrets: [],
      ask: ({ question, window }, given) => askCloudWatch({ region, roleARN }, { question, window }, given),
    };
  },
});

/** Opens a Prometheus, with the token of a Secret or without any. */
const prometheus = ({ kubernetes, policies, askPrometheus }: ProviderDependencies): Provider => ({
  async open({ namespace, analysis }, signal) {
    const { address = '', secretRef } = analysis.provider?.prometheus ?? {};
    const host = URL.canParse(address) ? new URL(address).host : address;
    await mustUse(policies, namespace, { of: 'Metrics', source: `prometheus/${host}` }, signal);
    const [token] =
      secretRef === undefined
        ? []
        : await readKeys(kubernetes, { namespace, name: secretRef.name }, ['token']);
    return {
      secrets: token === undefined ? [] : [token],
      ask: ({ question: { query }, window }, given) => {
        if (query === undefined) throw refused('No PromQL query. Add analysis.query.');
        return askPrometheus({ address, token }, { query, window }, given);
      },
    };
  },
});

type Name = keyof NonNullable<CheckAnalysis['provider']>;

/** The kinds of providers; one that the schema has and this table has not does not compile. */
const providers: { readonly [Each in Name]: (dependencies: ProviderDependencies) => Provider } = {
  datadog,
  cloudWatch,
  prometheus,
};

const names = Object.keys(providers) as readonly Name[];

/** The provider that an analysis names: Datadog when it names none. */
export function providerOf({ provider = {} }: CheckAnalysis, dependencies: ProviderDependencies): Provider {
  const name = names.find((one) => provider[one] !== undefined) ?? 'datadog';
  return providers[name](dependencies);
}

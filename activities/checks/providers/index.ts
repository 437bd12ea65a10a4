import type { CheckAnalysis } from '../../../crds/check.ts';
import { datadog } from './datadog.ts';
import { type ProviderDependencies, type Provider, mustUse, readKeys } from './port.ts';
import { refused } from '../../../clients/provider-error.ts';

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

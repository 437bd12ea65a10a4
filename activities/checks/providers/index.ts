import type { CheckAnalysis } from '../../../crds/check.ts';
import { cloudWatch } from './cloud-watch.ts';
import { datadog } from './datadog.ts';
import type { ProviderDependencies } from './dependencies.ts';
import type { Provider } from './port.ts';
import { prometheus } from './prometheus.ts';

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

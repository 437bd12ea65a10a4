import type { AskCloudWatch } from '../../../clients/aws/cloud-watch.ts';
import type { AskDatadog } from '../../../clients/datadog/connect.ts';
import type { AccessPolicies } from '../../../clients/kubernetes/access-policies.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import type { AskPrometheus } from '../../../clients/prometheus/client.ts';
import { notAllowed } from '../../../clients/provider-error.ts';
import { refusalOf, type Use } from '../../../domain/access/access.ts';

/** The organisation of Datadog that okrad has keys for. */
export interface OwnDatadog {
  readonly site: string;
  readonly apiKey?: string;
  readonly appKey?: string;
  readonly endpoint?: string;
}

/** What providers are opened with. */
export interface ProviderDependencies {
  readonly kubernetes: KubernetesClient;
  readonly policies: AccessPolicies;
  readonly datadog: { readonly own: OwnDatadog; readonly ask: AskDatadog };
  readonly askCloudWatch: AskCloudWatch;
  readonly askPrometheus: AskPrometheus;
  /** The region of okrad. */
  readonly region?: string | undefined;
}

/** Throws a ProviderError when an AccessPolicy keeps something from a namespace. */
export async function mustUse(
  policies: AccessPolicies,
  namespace: string,
  use: Use,
  signal: AbortSignal,
): Promise<void> {
  const refusal = refusalOf(await policies.of(namespace, signal), use);
  if (refusal !== undefined) throw notAllowed(refusal);
}

import type { EKSEndpoint } from '../../domain/discovery/clusters/eks-endpoint.ts';
import { keepNewest } from '../concurrency.ts';
import { scopeName, type AwsScope } from './aws-credentials.ts';
import type { EKS } from './eks.ts';
import type { EKSTokenScope } from './eks-token.ts';

/** Says what EKS knows of a cluster's API server, undefined without such a cluster; kept for an hour unless `since` (milliseconds) is later. */
export type EKSEndpoints = (scope: EKSTokenScope, since?: number) => Promise<EKSEndpoint | undefined>;

// A cluster has its endpoint for life, and nobody else gets it afterwards.
const KEEP_MILLISECONDS = 3_600_000;
// Anybody who can write secrets can name clusters.
const MOST_KEPT = 10_000;

/** Keeps the endpoints that EKS answers with, and nothing of a question that it did not answer. */
export function eksEndpoints(
  eks: (scope: AwsScope) => Pick<EKS, 'named'>,
  now: () => number = Date.now,
): EKSEndpoints {
  const kept = new Map<string, { readonly at: number; readonly found: EKSEndpoint | undefined }>();
  const open = new Map<string, Promise<EKSEndpoint | undefined>>();

  async function describe(name: string, scope: EKSTokenScope): Promise<EKSEndpoint | undefined> {
    const at = now();
    const { clusters, denied } = await eks(scope).named([scope.clusterName]);
    if (denied[0] !== undefined) throw denied[0].error;
    kept.delete(name);
    kept.set(name, { at, found: clusters[0] });
    keepNewest(kept, MOST_KEPT);
    return clusters[0];
  }

  return async (scope, since = 0) => {
    const name = `${scopeName(scope)}${scope.clusterName}`;
    const known = kept.get(name);
    if (known !== undefined && known.at >= since && now() < known.at + KEEP_MILLISECONDS) return known.found;
    const asked = open.get(name) ?? describe(name, scope).finally(() => open.delete(name));
    open.set(name, asked);
    return await asked;
  };
}

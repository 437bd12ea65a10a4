import { DescribeClusterCommand, EKSClient } from '@aws-sdk/client-eks';
import type { EKSEndpoint } from '../../domain/discovery/clusters/eks-endpoint.ts';
import { credentialsFor, MOST_SCOPES, requestHandlerOf, scopeName } from './aws-credentials.ts';
import type { EKSOptions } from './eks.ts';
import type { EKSTokenScope } from './eks-token.ts';
import { keepNewest, newest, limitConcurrency } from '../concurrency.ts';

/**
 * Says what EKS knows of the API server of a cluster, by the account of the identity and the region; undefined when there is no such
 * cluster. What was read is kept for an hour; `since` asks for what was read after that time, in milliseconds.
 */
export type EKSEndpoints = (scope: EKSTokenScope, since?: number) => Promise<EKSEndpoint | undefined>;

/** How endpoints are read. */
interface EKSEndpointOptions extends EKSOptions {
  readonly now?: () => number;
}

/** Reads one cluster. */
export type DescribeEKSCluster = (scope: EKSTokenScope) => Promise<EKSEndpoint | undefined>;

// A cluster has its endpoint for life, and nobody else gets it afterwards.
const KEEP_MILLISECONDS = 3_600_000;
// Anybody who can write secrets can name clusters.
const MOST_KEPT = 10_000;
// AWS throttles DescribeCluster at about ten a second and account, and after a start all clusters are asked about.
const ATTEMPTS = 6;
const AT_ONCE = 5;

interface Kept {
  readonly at: number;
  readonly found: EKSEndpoint | undefined;
}

/** Makes what knows the endpoints of EKS clusters (API_DescribeCluster). */
export const eksEndpoints = (options: EKSEndpointOptions = {}): EKSEndpoints =>
  keptEndpoints(describer(options), options.now);

/** Keeps what was answered, and nothing of a question that was not: what is known counts until something newer is. */
export function keptEndpoints(describe: DescribeEKSCluster, now: () => number = Date.now): EKSEndpoints {
  const kept = new Map<string, Kept>();
  const open = new Map<string, Promise<EKSEndpoint | undefined>>();
  const read = (name: string, scope: EKSTokenScope): Promise<EKSEndpoint | undefined> => {
    const asked = open.get(name);
    if (asked !== undefined) return asked;
    const at = now();
    const found = describe(scope);
    open.set(name, found);
    const ended = (): void => void open.delete(name);
    found.then((answer) => {
      ended();
      kept.delete(name);
      kept.set(name, { at, found: answer });
      keepNewest(kept, MOST_KEPT);
    }, ended);
    return found;
  };
  return async (scope, since = 0) => {
    const name = `${scopeName(scope)}${scope.clusterName}`;
    const known = kept.get(name);
    const isKnown = known !== undefined && known.at >= since && now() < known.at + KEEP_MILLISECONDS;
    return isKnown ? known.found : await read(name, scope);
  };
}

function describer(options: EKSOptions): DescribeEKSCluster {
  const placeOf = newest<{
    readonly client: EKSClient;
    readonly inSlot: ReturnType<typeof limitConcurrency>;
  }>(MOST_SCOPES);
  return async (scope) => {
    const make = () => ({ client: clientOf(scope, options), inSlot: limitConcurrency(AT_ONCE) });
    const place = placeOf(scopeName(scope), make);
    const command = new DescribeClusterCommand({ name: scope.clusterName });
    try {
      const { cluster } = await place.inSlot(() => place.client.send(command));
      const { arn, endpoint, certificateAuthority } = cluster ?? {};
      return arn === undefined ? undefined : { arn, endpoint, caData: certificateAuthority?.data };
    } catch (error) {
      if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined;
      throw error;
    }
  };
}

const clientOf = (scope: EKSTokenScope, options: EKSOptions): EKSClient =>
  new EKSClient({
    region: scope.region,
    credentials: credentialsFor(scope, options),
    requestHandler: requestHandlerOf(options.requestTimeoutMs),
    maxAttempts: ATTEMPTS,
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
  });

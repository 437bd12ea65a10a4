import { DescribeClusterCommand, EKSClient, ListClustersCommand } from '@aws-sdk/client-eks';
import {
  credentialsFor,
  MOST_SCOPES,
  requestHandlerOf,
  scopeName,
  type AwsScope,
  type CredentialOptions,
} from './aws-credentials.ts';
import { readPages, type AwsPage } from './aws-pages.ts';
import { counting, type TellRequests } from './request-count.ts';
import { clusterOf, namesIn, tokenIn, type EKSCluster } from './eks-answers.ts';
import { inBatches, shareReading, newest } from '../concurrency.ts';

export type { EKSCluster } from './eks-answers.ts';

/** A cluster that EKS lists, or that was there before, and that it does not describe to Okra. */
export interface DeniedCluster {
  readonly name: string;
  /** The known ARNs that may be its. */
  readonly arns: readonly string[];
  /** What EKS said. */
  readonly error: Error;
}

/** What EKS says of some clusters. */
export interface NamedClusters {
  readonly clusters: readonly EKSCluster[];
  readonly denied: readonly Omit<DeniedCluster, 'arns'>[];
}

/** What EKS says of all clusters. */
interface EKSReading {
  readonly clusters: readonly EKSCluster[];
  readonly denied: readonly DeniedCluster[];
}

/** What of EKS Okra calls. Errors are those of the AWS SDK, under the names that the AWS documentation lists. */
export interface EKS {
  /**
   * Reads every cluster, page by page (API_ListClusters, API_DescribeCluster), with those whose description is denied; all of
   * them, or an error. Those who ask at the same time share one reading. `known` are ARNs of clusters that were there
   * before: a list that lacks one which EKS still describes is an error.
   */
  clusters(signal?: AbortSignal, known?: readonly string[]): Promise<EKSReading>;
  /** Describes clusters by their names, side by side; those that there are not are left out. */
  named(names: readonly string[], signal?: AbortSignal): Promise<NamedClusters>;
  /** The account that is read, as far as the credentials say it: those of a role do, keys alone do not. */
  account(): Promise<string | undefined>;
}

/** How EKS is reached. */
export interface EKSOptions extends CredentialOptions {
  /** The address of an emulator or a VPC endpoint; undefined for AWS' own. */
  readonly endpoint?: string | undefined;
  /** Who is told of requests. */
  readonly tell?: TellRequests | undefined;
}

const PAGE = 100;
// AWS throttles DescribeCluster at about ten a second and account.
const AT_ONCE = 5;

/** Makes the EKS of a region and an identity; one client per each. */
export function connectEKS(options: EKSOptions = {}): (scope: AwsScope) => EKS {
  const kept = newest<EKS>(MOST_SCOPES);
  return (scope) => kept(scopeName(scope), () => makeEKS(scope, options));
}

function makeEKS(scope: AwsScope, options: EKSOptions): EKS {
  const settings = {
    region: scope.region,
    credentials: credentialsFor(scope, options),
    requestHandler: requestHandlerOf(options.requestTimeoutMs),
    maxAttempts: 3,
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
  };
  const client = counting(new EKSClient(settings), scope.region, options.tell);
  const describeAll = async (names: readonly string[], signal?: AbortSignal): Promise<NamedClusters> => {
    const answers = await inBatches(names, AT_ONCE, (name) => describe(client, scope.region, name, signal));
    return {
      clusters: answers.flatMap((answer) => (answer.is === 'Cluster' ? [answer.cluster] : [])),
      denied: answers.flatMap((answer) => (answer.is === 'Denied' ? [answer] : [])),
    };
  };
  const everything = shareReading(async (signal) => describeAll(await namesOf(client, signal), signal));
  return {
    named: describeAll,
    account: async () => (await client.config.credentials()).accountId,
    clusters: async (signal, known = []) => {
      const listed = await everything(signal);
      const here = knownIn(scope, known, listed.clusters);
      const seen = new Set([...listed.clusters, ...listed.denied].map(({ name }) => name));
      const missing = missingOf(here, listed.clusters).filter((arn) => !seen.has(nameIn(arn)));
      const unlisted = await describeAll([...new Set(missing.map(nameIn))], signal);
      refuseGap(unlisted.clusters, missing);
      const denied = [...listed.denied, ...unlisted.denied];
      return {
        clusters: listed.clusters,
        denied: denied.map(({ name, error }) => ({
          name,
          error,
          arns: here.filter((arn) => nameIn(arn) === name),
        })),
      };
    },
  };
}

/** The name in the ARN of a cluster: `…:cluster/NAME`. */
const nameIn = (arn: string): string => arn.split('/')[1] ?? '';

/** The known ARNs of this region and account. */
function knownIn(
  { region, roleARN }: AwsScope,
  known: readonly string[],
  found: readonly EKSCluster[],
): readonly string[] {
  const account = (roleARN ?? found[0]?.arn)?.split(':')[4];
  return known.filter((arn) => {
    const [, , service, place, owner] = arn.split(':');
    return service === 'eks' && place === region && (account === undefined || owner === account);
  });
}

/** The known ARNs that were not listed. */
function missingOf(known: readonly string[], found: readonly EKSCluster[]): readonly string[] {
  const listed = new Set(found.map(({ arn }) => arn));
  return known.filter((arn) => !listed.has(arn));
}

// An empty page must not pass for clusters that are gone; and what lacks one cluster may lack others.
function refuseGap(described: readonly EKSCluster[], missing: readonly string[]): void {
  const there = described.find(({ arn, status }) => missing.includes(arn) && status !== 'DELETING');
  if (there === undefined) return;
  throw new Error(
    `Expected EKS in ${there.region} to list ${there.name}, which it still describes, got a list without it.`,
  );
}

async function namesOf(client: EKSClient, signal?: AbortSignal): Promise<readonly string[]> {
  const page = async (nextToken: string | undefined): Promise<AwsPage<string>> => {
    const command = new ListClustersCommand({
      maxResults: PAGE,
      ...(nextToken === undefined ? {} : { nextToken }),
    });
    const { clusters, nextToken: next } = await client.send(command, until(signal));
    return { items: namesIn(clusters), next: tokenIn(next) };
  };
  return await readPages({ service: 'EKS', of: 'clusters', page });
}

async function describe(
  client: EKSClient,
  region: string,
  name: string,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  try {
    const { cluster } = await client.send(new DescribeClusterCommand({ name }), until(signal));
    return { is: 'Cluster', cluster: clusterOf(cluster, region, name) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // It was deleted after it was listed.
    if (error.name === 'ResourceNotFoundException') return { is: 'Gone' };
    // A policy may allow some clusters and not others; STS, which would refuse them all, calls it AccessDenied.
    if (error.name === 'AccessDeniedException') return { is: 'Denied', name, error };
    throw error;
  }
}

/** What EKS answers about one cluster. */
type Answer =
  | { readonly is: 'Cluster'; readonly cluster: EKSCluster }
  | { readonly is: 'Gone' }
  | { readonly is: 'Denied'; readonly name: string; readonly error: Error };

const until = (signal: AbortSignal | undefined): { abortSignal?: AbortSignal } =>
  signal === undefined ? {} : { abortSignal: signal };

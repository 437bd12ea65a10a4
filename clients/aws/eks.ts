import { DescribeClusterCommand, EKSClient, ListClustersCommand } from '@aws-sdk/client-eks';
import { z } from 'zod';
import { given } from '../../domain/model/fields.ts';
import { inBatches, limitConcurrency, newest, shareReading } from '../concurrency.ts';
import {
  clientSettings,
  MOST_SCOPES,
  scopeName,
  type AwsScope,
  type ClientOptions,
} from './aws-credentials.ts';
import { readPages } from './aws-pages.ts';
import { counting } from './request-count.ts';

/** What EKS says of a cluster. */
export interface EKSCluster {
  readonly name: string;
  readonly arn: string;
  readonly region: string;
  /** `CREATING`, `ACTIVE`, `UPDATING`, `DELETING`, `FAILED` or `PENDING`. */
  readonly status: string;
  /** Undefined while the cluster is being created. */
  readonly endpoint?: string;
  /** PEM in base64; undefined while the cluster is being created. */
  readonly caData?: string;
  readonly version?: string;
  /** The VPC that it is in (API_VpcConfigResponse). */
  readonly vpcID?: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** A cluster that EKS lists, or that was there before, and that it does not describe to Okra. */
export interface DeniedCluster {
  readonly name: string;
  readonly arns: readonly string[];
  readonly error: Error;
}

/** What EKS says of some clusters. */
export interface NamedClusters {
  readonly clusters: readonly EKSCluster[];
  readonly denied: readonly Omit<DeniedCluster, 'arns'>[];
}

/** What of EKS Okra calls. Errors are those of the AWS SDK, under the names that the AWS documentation lists. */
export type EKS = ReturnType<typeof makeEKS>;

const PAGE = 100;
// AWS throttles DescribeCluster at about ten a second and account, and after a start all clusters are asked about.
const AT_ONCE = 5;
const ATTEMPTS = 6;

/** Makes the EKS of a region and an identity; one client per each. */
export function connectEKS(options: ClientOptions = {}): (scope: AwsScope) => EKS {
  const kept = newest<EKS>(MOST_SCOPES);
  return (scope) => kept(scopeName(scope), () => makeEKS(scope, options));
}

function makeEKS(scope: AwsScope, options: ClientOptions) {
  const { region } = scope;
  const settings = { ...clientSettings(scope, options), maxAttempts: ATTEMPTS };
  const client = counting(new EKSClient(settings), region, options.tell);
  const inSlot = limitConcurrency(AT_ONCE);

  async function named(names: readonly string[], signal?: AbortSignal): Promise<NamedClusters> {
    const found = await inBatches(names, AT_ONCE, async (name) => {
      try {
        const command = new DescribeClusterCommand({ name });
        const { cluster } = await inSlot(() => client.send(command, given({ abortSignal: signal })));
        return clusterIn(cluster, region, name);
      } catch (error) {
        // It was deleted after it was listed.
        if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined;
        // A policy may allow some clusters and not others; STS, which would refuse them all, calls it AccessDenied.
        if (!(error instanceof Error && error.name === 'AccessDeniedException')) throw error;
        return { name, error };
      }
    });
    const answers = found.filter((one) => one !== undefined);
    return {
      clusters: answers.flatMap((one) => ('error' in one ? [] : [one])),
      denied: answers.filter((one) => 'error' in one),
    };
  }

  const listNames = (): Promise<string[]> =>
    readPages({
      service: 'EKS',
      of: 'clusters',
      page: async (nextToken) => {
        const command = new ListClustersCommand({ maxResults: PAGE, ...given({ nextToken }) });
        const page = read(ClusterPage, await client.send(command), `the clusters in ${region}`);
        return { items: page.clusters, next: page.nextToken ?? undefined };
      },
    });
  const everything = shareReading(async () => named(await listNames()));

  return {
    /** Describes clusters by their names, side by side; those that there are not are left out. */
    named,
    /** The account that is read, as far as the credentials say it: those of a role do, keys alone do not. */
    account: async (): Promise<string | undefined> => (await client.config.credentials()).accountId,
    /** Reads every cluster, also those whose description is denied (API_ListClusters, API_DescribeCluster), once for all who ask; throws when the list lacks a `known` ARN that EKS still describes. */
    clusters: async (
      signal?: AbortSignal,
      known: readonly string[] = [],
    ): Promise<{ readonly clusters: readonly EKSCluster[]; readonly denied: readonly DeniedCluster[] }> => {
      const listed = await everything(signal);
      const here = knownIn(scope, known, listed.clusters);
      const arns = new Set(listed.clusters.map(({ arn }) => arn));
      const seen = new Set([...listed.clusters, ...listed.denied].map(({ name }) => name));
      const missing = here.filter((arn) => !arns.has(arn) && !seen.has(nameIn(arn)));
      const unlisted = await named([...new Set(missing.map(nameIn))], signal);
      refuseGap(unlisted.clusters, missing);
      const arnsOf = (name: string) => here.filter((arn) => nameIn(arn) === name);
      return {
        clusters: listed.clusters,
        denied: [...listed.denied, ...unlisted.denied].map((one) => ({ ...one, arns: arnsOf(one.name) })),
      };
    },
  };
}

// The SDK holds no answer to its types, and what answers in the place of AWS must not pass for clusters that are gone.
const text = z.string().nullish();
const ClusterPage = z.object({ clusters: z.array(z.string()), nextToken: text });
const Cluster = z.object({
  arn: z.string(),
  status: z.string(),
  endpoint: text,
  certificateAuthority: z.object({ data: text }).nullish(),
  version: text,
  tags: z.record(z.string(), z.string()).nullish(),
  resourcesVpcConfig: z.object({ vpcId: text }).nullish(),
});

function read<Schema extends z.ZodType>(schema: Schema, answer: unknown, of: string): z.output<Schema> {
  const { data, error } = schema.safeParse(answer);
  if (error === undefined) return data;
  const [{ path, message } = { path: [], message: '' }] = error.issues;
  throw new Error(`cannot read what EKS says of ${of}: ${path.join('.')}: ${message}.`);
}

function clusterIn(answer: unknown, region: string, name: string): EKSCluster {
  const cluster = read(Cluster, answer, `cluster ${name} in ${region}`);
  const { arn, status, endpoint, version, tags, certificateAuthority, resourcesVpcConfig } = cluster;
  return {
    name,
    region,
    arn,
    status,
    tags: tags ?? {},
    ...given({
      endpoint: endpoint ?? undefined,
      caData: certificateAuthority?.data ?? undefined,
      version: version ?? undefined,
      vpcID: resourcesVpcConfig?.vpcId || undefined,
    }),
  };
}

/** The name in the ARN of a cluster: `…:cluster/NAME`. */
const nameIn = (arn: string): string => arn.split('/')[1] ?? '';

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

// An empty page must not pass for clusters that are gone; and what lacks one cluster may lack others.
function refuseGap(described: readonly EKSCluster[], missing: readonly string[]): void {
  const there = described.find(({ arn, status }) => missing.includes(arn) && status !== 'DELETING');
  if (there === undefined) return;
  throw new Error(
    `the list of EKS in ${there.region} lacks cluster ${there.name}, which EKS still describes. The list counts as not read.`,
  );
}

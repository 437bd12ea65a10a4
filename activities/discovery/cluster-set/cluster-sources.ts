import { given } from '../../../domain/model/fields.ts';
import { eksPlace, type AwsScope } from '../../../clients/aws/aws-credentials.ts';
import type { DeniedCluster, EKS, EKSCluster } from '../../../clients/aws/eks.ts';
import { clusterSecretValues, configByARN } from '../../../domain/discovery/clusters/cluster-secret.ts';
import type {
  Reading,
  SourcedCluster,
  UnreadCluster,
} from '../../../domain/discovery/cluster-set/cluster-set.ts';
import { failure, reasonOf, toFailure } from '../../failure.ts';
import { providerOf, type ProviderSettings } from '../../../domain/discovery/cluster-set/source-reading.ts';
import type { Generator } from '../../../crds/cluster-set.ts';

/** What reads EKS. */
interface AwseksConnection {
  readonly eks: (scope: AwsScope) => EKS;
  /** The region of clusters whose generator names none. */
  readonly region?: string;
}

/** What a source knows of its clusters, and which places it has read. */
export type SourceReading = Omit<Reading, 'failures'>;

/** A place that clusters come from, with the settings that a generator has for it. */
interface ClusterSource<Settings> {
  /**
   * Reads every cluster there is, with its tags and how it is reached, or throws; which of them are wanted is decided
   * elsewhere. `known` are the ids of the clusters that have a secret, those of other sources among them.
   */
  read(settings: Settings, signal: AbortSignal, known: readonly string[]): Promise<SourceReading>;
}

/** The source of each provider that a generator can name; one that the schema has and that lacks here does not compile. */
export type ClusterSources = {
  readonly [Provider in keyof Generator]-?: ClusterSource<NonNullable<Generator[Provider]>>;
};

/** Makes every source of clusters. */
export const createClusterSources = (connection: AwseksConnection): ClusterSources => ({
  awseks: awseks(connection),
});

/** Reads all clusters of the provider that a generator names. */
export async function readGenerator(
  sources: ClusterSources,
  generator: Generator,
  { signal, known }: { readonly signal: AbortSignal; readonly known: readonly string[] },
): Promise<SourceReading> {
  const [provider, settings] = providerOf(generator);
  // The settings and the source of one name belong together.
  const source = (sources as Readonly<Record<string, ClusterSource<ProviderSettings>>>)[provider];
  if (source === undefined) throw new Error('there is no source for it');
  return source.read(settings, signal, known);
}

/** Makes the source of EKS clusters. */
export const awseks = ({ eks, region: usual }: AwseksConnection): ClusterSources['awseks'] => ({
  async read({ region = usual, roleARN, externalID }, signal, known) {
    if (region === undefined) {
      throw failure('InvalidObject', 'No region: set awseks.region or the environment variable AWS_REGION.');
    }
    const role = given({ roleARN, externalID });
    const client = eks({ region, ...role });
    const { clusters, denied } = await client.clusters(signal, known);
    const account = (roleARN ?? clusters[0]?.arn)?.split(':')[4] ?? (await client.account());
    return {
      clusters: clusters.map((cluster) => sourced(cluster, role)),
      places: account === undefined ? [] : [eksPlace(region, account)],
      unread: denied.map((cluster) => unread(cluster, region)),
    };
  },
});

function sourced(
  cluster: EKSCluster,
  role: { readonly roleARN?: string; readonly externalID?: string },
): SourcedCluster {
  const { arn: id, name, region, tags, status, vpcID, endpoint, caData } = cluster;
  const known = { id, name, tags, vpcID, state: stateOf(status), said: status };
  if (endpoint === undefined || caData === undefined) return known;
  const facts = { name, endpoint, caData, region, ...role };
  const { server, config } = clusterSecretValues(facts);
  return { ...known, access: { server, config, configByARN: configByARN(facts) } };
}

function unread({ name, arns, error }: DeniedCluster, region: string): UnreadCluster {
  const cause = toFailure(error);
  const message = `Cannot describe EKS cluster ${name} in ${region}: ${cause.message} Its Secret is kept, if it has one; other clusters are not affected.`;
  return { ids: arns, named: { region, name }, problem: { cluster: name, reason: reasonOf(cause), message } };
}

function stateOf(status: string): SourcedCluster['state'] {
  if (status === 'ACTIVE') return 'Active';
  return status === 'DELETING' ? 'Deleting' : 'Waiting';
}

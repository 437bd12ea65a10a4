import type { AwsScope } from '../../clients/aws-credentials.ts';
import type { EKS, EKSCluster } from '../../clients/eks.ts';
import { clusterSecretValues } from '../../domain/discovery/cluster-secret.ts';
import type { SourcedCluster } from '../../domain/discovery/cluster-set.ts';
import { failure } from '../failure.ts';
import type { ClusterSource, Generator } from './port.ts';

/** What reads EKS. */
export interface AwseksConnection {
  readonly eks: (scope: AwsScope) => EKS;
  /** The region of clusters whose generator names none. */
  readonly region?: string;
}

// A region is in one of them, so that no other begins an ARN there.
const PARTITIONS = [
  'aws',
  'aws-cn',
  'aws-us-gov',
  'aws-iso',
  'aws-iso-b',
  'aws-iso-e',
  'aws-iso-f',
  'aws-eusc',
];

/** Makes the source of EKS clusters. */
export const awseks = ({ eks, region: usual }: AwseksConnection): ClusterSource => ({
  takes: (generator) => generator.awseks !== undefined,
  async read({ awseks: { region = usual, roleARN, externalID } }, signal, known) {
    if (region === undefined) {
      throw failure(
        'InvalidObject',
        'Expected awseks.region or the environment variable AWS_REGION, got neither. Set one.',
      );
    }
    const role = {
      ...(roleARN === undefined ? {} : { roleARN }),
      ...(externalID === undefined ? {} : { externalID }),
    };
    const client = eks({ region, ...role });
    const clusters = await client.clusters(signal, known);
    const account = (roleARN ?? clusters[0]?.arn)?.split(':')[4] ?? (await client.account());
    return {
      clusters: clusters.map((cluster) => sourced(cluster, roleARN)),
      places: account === undefined ? [] : PARTITIONS.map((one) => `arn:${one}:eks:${region}:${account}:`),
    };
  },
});

function sourced(cluster: EKSCluster, roleARN: Generator['awseks']['roleARN']): SourcedCluster {
  const { arn: id, name, region, tags, status, vpcID, endpoint, caData } = cluster;
  const known = { id, name, tags, vpcID, state: stateOf(status), said: status };
  if (endpoint === undefined || caData === undefined) return known;
  const role = roleARN === undefined ? {} : { roleARN };
  const { server, config } = clusterSecretValues({ name, endpoint, caData, region, ...role });
  return { ...known, access: { server, config } };
}

function stateOf(status: string): SourcedCluster['state'] {
  if (status === 'ACTIVE') return 'Active';
  return status === 'DELETING' ? 'Deleting' : 'Waiting';
}

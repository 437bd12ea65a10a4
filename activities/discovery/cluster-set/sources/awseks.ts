import type { AwsScope } from '../../../../clients/aws/aws-credentials.ts';
import type { DeniedCluster, EKS, EKSCluster } from '../../../../clients/aws/eks.ts';
import { eksPlace } from '../../../../clients/aws/eks-place.ts';
import { clusterSecretValues, configByARN } from '../../../../domain/discovery/clusters/cluster-secret.ts';
import type { SourcedCluster, UnreadCluster } from '../../../../domain/discovery/cluster-set/cluster-set.ts';
import { failure, reasonOf, toFailure } from '../../../failure.ts';
import type { ClusterSource, SettingsOf } from './port.ts';

/** What reader EKS. */
export interface AwseksConnection {
  readonly eks: (scope: AwsScope) => EKS;
  /** The region of clusters whose generator names none. */
  readonly region?: string;
}

/** Makes the source of EKS clusters. */
export const awseks = ({ eks, region: usual }: AwseksConnection): ClusterSource<SettingsOf<'awseks'>> => ({
  async read({ region = usual, roleARN, externalID }, signal, known) {
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
  const message = `Expected EKS in ${region} to describe cluster ${name}, got: ${cause.message} A secret that it has stays; the other clusters go on.`;
  return { ids: arns, named: { region, name }, problem: { cluster: name, reason: reasonOf(cause), message } };
}

function stateOf(status: string): SourcedCluster['state'] {
  if (status === 'ACTIVE') return 'Active';
  return status === 'DELETING' ? 'Deleting' : 'Waiting';
}

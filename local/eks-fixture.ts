import { CreateClusterCommand, EKSClient } from '@aws-sdk/client-eks';

import { awsIdentity } from './components/aws.ts';

/** Where the emulator is: its address for AWS calls, and its own for what AWS has no call for. */
export interface EmulatedAws {
  readonly endpoint: string;
  readonly moto: string;
}

/** What EKS is to say of a cluster. */
export interface ClusterFacts {
  readonly endpoint?: string;
  readonly caData?: string;
  readonly status?: 'CREATING' | 'ACTIVE' | 'UPDATING' | 'DELETING' | 'FAILED';
  readonly version?: string;
  readonly vpcID?: string;
}

/** Makes a client of the emulated EKS. */
export const connectEmulatedEKS = (
  { endpoint }: EmulatedAws,
  region: string = awsIdentity.region,
): EKSClient =>
  new EKSClient({
    endpoint,
    region,
    credentials: {
      accessKeyId: awsIdentity.environment.AWS_ACCESS_KEY_ID,
      secretAccessKey: awsIdentity.environment.AWS_SECRET_ACCESS_KEY,
    },
  });

/** Creates a cluster in the emulated EKS, with tags and with the facts that are known. */
export async function createCluster(
  aws: EmulatedAws,
  cluster: ClusterFacts & { readonly name: string; readonly tags?: Readonly<Record<string, string>> },
): Promise<void> {
  const { name, tags = {}, ...facts } = cluster;
  const roleArn = `arn:aws:iam::${awsIdentity.accountId}:role/eks`;
  const eks = connectEmulatedEKS(aws);
  try {
    await eks.send(new CreateClusterCommand({ name, tags, roleArn, resourcesVpcConfig: {} }));
  } finally {
    eks.destroy();
  }
  await changeCluster(aws, name, facts);
}

/** Changes what the emulated EKS says of a cluster. */
export async function changeCluster(aws: EmulatedAws, name: string, facts: ClusterFacts): Promise<void> {
  const url = `${aws.moto}/okra-local/eks/${awsIdentity.region}/${encodeURIComponent(name)}`;
  const answer = await fetch(url, { method: 'PUT', body: JSON.stringify(facts) });
  if (!answer.ok)
    throw new Error(`Expected the emulator to know EKS cluster ${name}: ${await answer.text()}`);
}

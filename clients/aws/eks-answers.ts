import { fieldsIn, isRecord } from '../../domain/model/fields.ts';
import { partition } from '@aws-sdk/core/client';

/** How the ARNs of all EKS clusters of an account and region begin. */
export const eksPlace = (region: string, account: string): string =>
  `arn:${partition(region).name}:eks:${region}:${account}:`;

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

const isText = (value: unknown): value is string => typeof value === 'string';

/** Reads the names out of a page of clusters; the SDK holds no answer to its types. */
export function namesIn(clusters: unknown): readonly string[] {
  if (clusters === undefined || clusters === null)
    throw new Error('Expected EKS to answer a list of clusters, got an answer without one.');
  if (Array.isArray(clusters) && clusters.every(isText)) return clusters;
  throw new Error('Expected EKS to answer a list of the names of clusters, got a list of something else.');
}

/** Reads what the next page is asked for with. */
export function tokenIn(token: unknown): string | undefined {
  if (token === undefined || token === null || isText(token)) return token ?? undefined;
  throw new Error('Expected EKS to answer a list with a token for its next page, got something else.');
}

/** Reads what EKS answers about a cluster; what is not of its type must not pass for something that it is not. */
export function clusterOf(cluster: unknown, region: string, name: string): EKSCluster {
  const { arn, status, endpoint, certificateAuthority, version, tags, resourcesVpcConfig } =
    fieldsIn(cluster);
  const text = (field: string, value: unknown): string | undefined => {
    if (value === undefined || value === null || isText(value)) return value ?? undefined;
    throw new Error(
      `Expected EKS in ${region} to say the ${field} of ${name} as a text, got something else.`,
    );
  };
  const known = { arn: text('arn', arn), status: text('status', status) };
  if (known.arn === undefined || known.status === undefined) {
    throw new Error(
      `Expected EKS in ${region} to say the arn and the status of ${name}, got neither or one.`,
    );
  }
  const all = {
    endpoint: text('endpoint', endpoint),
    caData: text('certificateAuthority', fieldsIn(certificateAuthority)['data']),
    version: text('version', version),
    vpcID: text('VPC', fieldsIn(resourcesVpcConfig)['vpcId']) || undefined,
  };
  const said = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return { name, region, arn: known.arn, status: known.status, tags: tagsIn(tags, region, name), ...said };
}

function tagsIn(tags: unknown, region: string, name: string): EKSCluster['tags'] {
  if (tags === undefined || tags === null) return {};
  const found = isRecord(tags) ? Object.entries(tags) : [];
  const texts = found.filter((entry): entry is [string, string] => isText(entry[1]));
  // A cluster that lacks a tag is another cluster's twin, or nobody's.
  if (isRecord(tags) && texts.length === found.length) return Object.fromEntries(texts);
  throw new Error(`Expected EKS in ${region} to say the tags of ${name} as texts, got something else.`);
}

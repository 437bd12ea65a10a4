import type { DesiredSecret, ExistingSecret } from '../discovery/cluster-set/source-reading.ts';
import { clusterSecretValues } from '../discovery/clusters/cluster-secret.ts';
import { hasMarks, withGenerated, type Marks } from '../discovery/generated.ts';
import { canonical } from '../kubernetes/canonical.ts';
import {
  CELL_LABEL,
  CLUSTER_ID_ANNOTATION,
  CLUSTER_TAGS_ANNOTATION,
  CLUSTER_VPC_ANNOTATION,
  WRITTEN_AT_ANNOTATION,
} from '../kubernetes/labels.ts';
import { fieldsIn, textIn } from '../model/fields.ts';
import type { ObservedSecret, ResolvedCluster } from './observation.ts';
import { APPLICATIONS_ANNOTATION, askingOf, clusterSecret, type Asking } from './secrets.ts';

/** Which cluster of which Cell a secret is for, and what EKS says of it. */
export interface SecretOfCluster {
  readonly cell: string;
  readonly cluster: ResolvedCluster;
  readonly eks: {
    readonly arn: string;
    readonly region: string;
    readonly tags: Readonly<Record<string, string>>;
    readonly vpcID?: string;
  };
}

/** Since when each application finds in a secret what it asks for, in milliseconds since the epoch. */
export type WrittenAt = Readonly<Record<string, number>>;

/** The secret of a cluster, as applications ask for it. */
export function desiredSecret(
  { cell, cluster, eks }: SecretOfCluster,
  asking: Asking,
  writtenAt: WrittenAt,
): DesiredSecret {
  const { labels, annotations } = clusterSecret(cell, asking);
  const { eksName, server, certificateAuthority, secretName } = cluster;
  const { arn, region, tags, vpcID } = eks;
  const marks = withGenerated({
    labels,
    annotations: {
      ...annotations,
      [CLUSTER_ID_ANNOTATION]: arn,
      [CLUSTER_TAGS_ANNOTATION]: canonical(tags),
      ...(vpcID === undefined ? {} : { [CLUSTER_VPC_ANNOTATION]: vpcID }),
      [WRITTEN_AT_ANNOTATION]: canonical(writtenAt),
    },
  });
  const content = clusterSecretValues({
    name: eksName,
    endpoint: server,
    caData: certificateAuthority,
    region,
  });
  return { name: secretName, ...marks, content };
}

/** Whether a secret says all that it is to say. */
export const isAsWanted = (found: ExistingSecret, wanted: DesiredSecret): boolean =>
  hasMarks(found, wanted) &&
  Object.entries(wanted.content).every(([field, value]) => found.content[field] === value);

/** The marks of a secret after an application has left it to others. */
export function marksFor(found: ExistingSecret, cell: string, asking: Asking): Marks {
  const own = Object.entries(found.annotations).filter(([key]) => KEPT.has(key));
  const { labels, annotations } = clusterSecret(cell, asking);
  return withGenerated({ labels, annotations: { ...Object.fromEntries(own), ...annotations } });
}

const KEPT: ReadonlySet<string> = new Set([
  CLUSTER_ID_ANNOTATION,
  CLUSTER_TAGS_ANNOTATION,
  CLUSTER_VPC_ANNOTATION,
  WRITTEN_AT_ANNOTATION,
]);

/** Reads since when each application finds in a secret what it asks for. */
export function writtenAtOf(annotations: ExistingSecret['annotations']): WrittenAt {
  const said = fieldsIn(parsed(annotations[WRITTEN_AT_ANNOTATION]));
  return Object.fromEntries(
    Object.entries(said).flatMap(([application, at]) => (typeof at === 'number' ? [[application, at]] : [])),
  );
}

/** What a cluster secret says, as far as a Cell with applications goes by it. */
export function observedSecret(found: ExistingSecret, cell: string): ObservedSecret {
  const { name, labels, annotations, content, owner } = found;
  const asking = askingOf(annotations[APPLICATIONS_ANNOTATION]);
  const isOwn = labels[CELL_LABEL] === cell && asking !== undefined && owner === undefined;
  const { server = '', config = '' } = content;
  const { awsAuthConfig, tlsClientConfig } = fieldsIn(parsed(config));
  const certificateAuthority = textIn(fieldsIn(tlsClientConfig)['caData']) ?? '';
  const { clusterName, region } = fieldsIn(awsAuthConfig);
  const remade = clusterSecretValues({
    name: textIn(clusterName) ?? '',
    endpoint: server,
    caData: certificateAuthority,
    ...(textIn(region) === undefined ? {} : { region: textIn(region) ?? '' }),
  });
  const isNamed = annotations[CLUSTER_ID_ANNOTATION]?.endsWith(`:cluster/${remade.name}`) === true;
  return {
    name,
    ...(isNamed ? { eksName: remade.name } : {}),
    applications: isOwn ? asking : {},
    isOwn,
    server,
    certificateAuthority,
    isIntact:
      isOwn &&
      hasMarks(found, marksFor(found, cell, asking)) &&
      config === remade.config &&
      content['name'] === remade.name,
  };
}

function parsed(text = '{}'): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

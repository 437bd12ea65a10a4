import { canonical } from '../kubernetes/canonical.ts';
import {
  CELL_LABEL,
  SECRET_TYPE_CLUSTER,
  SECRET_TYPE_LABEL,
  CLUSTER_ID_ANNOTATION,
  CLUSTER_TAGS_ANNOTATION,
  CLUSTER_VPC_ANNOTATION,
  WRITTEN_AT_ANNOTATION,
} from '../kubernetes/labels.ts';
import type { ObservedSecret, Resolved, ResolvedCluster } from './observation.ts';
import type { DesiredSecret, ExistingSecret } from '../discovery/cluster-set/source-reading.ts';
import { clusterSecretValues } from '../discovery/clusters/cluster-secret.ts';
import { hasMarks, withGenerated, type Marks } from '../discovery/generated.ts';
import { fieldsIn, given, isRecord, parseJSON, textIn } from '../model/fields.ts';

interface SecretOfCluster {
  readonly cell: string;
  readonly cluster: ResolvedCluster;
  readonly eks: {
    readonly arn: string;
    readonly region: string;
    readonly tags: Readonly<Record<string, string>>;
    readonly vpcID?: string;
  };
}

/** The secret of a cluster, as applications ask for it. */
export function desiredSecret(
  { cell, cluster, eks }: SecretOfCluster,
  asking: Asking,
  writtenAt: Readonly<Record<string, number>>,
): DesiredSecret {
  const { labels, annotations } = clusterSecret(cell, asking);
  const { eksName: name, server: endpoint, certificateAuthority: caData, secretName } = cluster;
  const { arn, region, tags, vpcID } = eks;
  const marks = withGenerated({
    labels,
    annotations: {
      ...annotations,
      [CLUSTER_ID_ANNOTATION]: arn,
      [CLUSTER_TAGS_ANNOTATION]: canonical(tags),
      ...given({ [CLUSTER_VPC_ANNOTATION]: vpcID }),
      [WRITTEN_AT_ANNOTATION]: canonical(writtenAt),
    },
  });
  return { name: secretName, ...marks, content: clusterSecretValues({ name, endpoint, caData, region }) };
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

/** Reads since when each application finds in a secret what it asks for, in milliseconds since the epoch. */
export function writtenAtOf(annotations: ExistingSecret['annotations']): Readonly<Record<string, number>> {
  const said = fieldsIn(parseJSON(annotations[WRITTEN_AT_ANNOTATION] ?? ''));
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
  const { awsAuthConfig, tlsClientConfig } = fieldsIn(parseJSON(config));
  const certificateAuthority = textIn(fieldsIn(tlsClientConfig)['caData']) ?? '';
  const { clusterName, region } = fieldsIn(awsAuthConfig);
  const remade = clusterSecretValues({
    name: textIn(clusterName) ?? '',
    endpoint: server,
    caData: certificateAuthority,
    ...given({ region: textIn(region) }),
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

/** The annotation on a cluster secret of a Cell with the labels that each application has asked of it, as JSON. */
export const APPLICATIONS_ANNOTATION = 'okra.mumo.co/applications';

/** The labels that each application asks of the secret of a cluster. */
export type Asking = Readonly<Record<string, Readonly<Record<string, string>>>>;

const clusterSecret = (cell: string, asking: Asking): Marks => ({
  labels: {
    ...Object.assign({}, ...Object.values(asking)),
    [SECRET_TYPE_LABEL]: SECRET_TYPE_CLUSTER,
    [CELL_LABEL]: cell,
  },
  annotations: { [APPLICATIONS_ANNOTATION]: canonical(asking) },
});

/** Reads who asks for what off the annotation; undefined when it is none of Okra's. */
function askingOf(annotation = ''): Asking | undefined {
  const value = parseJSON(annotation);
  return isAsking(value) ? value : undefined;
}

const isAsking = (value: unknown): value is Asking =>
  isRecord(value) &&
  Object.values(value).every(
    (labels) => isRecord(labels) && Object.values(labels).every((text) => typeof text === 'string'),
  );

/** The secrets of a Cell that no application asks for any more, and a revision does not have. */
export const unusedSecrets = (
  secrets: readonly ObservedSecret[],
  { clusters }: Pick<Resolved, 'clusters'> = { clusters: [] },
): readonly ObservedSecret[] =>
  secrets.filter(
    ({ name, isOwn, applications }) =>
      isOwn &&
      Object.keys(applications).length === 0 &&
      clusters.every(({ secretName }) => secretName !== name),
  );

/** The clusters of a revision whose secret is not yet what the application asks of it. */
export const lackingSecrets = (
  application: string,
  { clusters, secretLabels }: Resolved,
  secrets: readonly ObservedSecret[],
): readonly ResolvedCluster[] =>
  clusters.filter(
    (cluster) =>
      !secrets.some(
        (one) =>
          one.isOwn &&
          one.isIntact &&
          one.name === cluster.secretName &&
          one.server === cluster.server &&
          one.certificateAuthority === cluster.certificateAuthority &&
          canonical(one.applications[application]) === canonical(secretLabels),
      ),
  );

/** The names of the secrets that ask for an application, of clusters that a revision does not have. */
export const leftSecrets = (
  application: string,
  { clusters }: Pick<Resolved, 'clusters'>,
  secrets: readonly ObservedSecret[],
): readonly string[] =>
  secrets
    .filter((one) => one.isOwn && Object.hasOwn(one.applications, application))
    .map(({ name }) => name)
    .filter((name) => !clusters.some(({ secretName }) => secretName === name));

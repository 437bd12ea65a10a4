import { canonical } from '../kubernetes/canonical.ts';
import { CELL_LABEL, SECRET_TYPE_CLUSTER, SECRET_TYPE_LABEL } from '../kubernetes/labels.ts';
import type { ObservedSecret, Resolved, ResolvedCluster } from './observation.ts';

/** The annotation on a cluster secret of a Cell with the labels that each application has asked of it, as JSON. */
export const APPLICATIONS_ANNOTATION = 'okra.mumo.co/applications';

/** The labels that each application asks of the secret of a cluster. */
export type Asking = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What the secret of a cluster is labelled and annotated with. */
export interface SecretMarks {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The marks of the secret of a cluster that these applications ask for. */
export const clusterSecret = (cell: string, asking: Asking): SecretMarks => ({
  labels: {
    ...Object.assign({}, ...Object.values(asking)),
    [SECRET_TYPE_LABEL]: SECRET_TYPE_CLUSTER,
    [CELL_LABEL]: cell,
  },
  annotations: { [APPLICATIONS_ANNOTATION]: canonical(asking) },
});

/** Reads who asks for what off the annotation; undefined when it is none of Okra's. */
export function askingOf(annotation: string | undefined): Asking | undefined {
  if (annotation === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(annotation);
    return isAsking(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isAsking = (value: unknown): value is Asking =>
  isObject(value) &&
  Object.values(value).every(
    (labels) => isObject(labels) && Object.values(labels).every((text) => typeof text === 'string'),
  );

/** What the secrets of the clusters of a revision are to say, after this application has asked. */
export const secretsFor = (
  application: string,
  { clusters, secretLabels }: Resolved,
  existing: readonly Pick<ObservedSecret, 'name' | 'applications' | 'isOwn'>[],
): readonly { readonly cluster: ResolvedCluster; readonly asking: Asking }[] =>
  clusters.map((cluster) => {
    const own = existing.find((one) => one.isOwn && one.name === cluster.secretName);
    return { cluster, asking: { ...own?.applications, [application]: secretLabels } };
  });

/** A secret of the Cell's own as it is once it was written. */
export const writtenSecret = (
  { eksName, secretName, server, certificateAuthority }: ResolvedCluster,
  asking: Asking,
): ObservedSecret => ({
  name: secretName,
  eksName,
  applications: asking,
  isOwn: true,
  server,
  certificateAuthority,
  isIntact: true,
});

/** Who still asks for a secret once an application does not. */
export function withoutApplication(asking: Asking, application: string): Asking {
  const { [application]: _gone, ...others } = asking;
  return others;
}

/** The secrets of a Cell that no application asks for any more, and a revision does not have. */
export const unusedSecrets = (
  secrets: readonly ObservedSecret[],
  { clusters }: Pick<Resolved, 'clusters'>,
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

/** Whether the secret of a cluster asks for an application. */
export const isAskedBy = (
  secrets: readonly ObservedSecret[],
  secretName: string,
  application: string,
): boolean =>
  secrets.some(({ name, applications }) => name === secretName && Object.hasOwn(applications, application));

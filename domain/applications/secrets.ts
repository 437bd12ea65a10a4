import type { DesiredSecret, ExistingSecret } from '../discovery/cluster-set/cluster-secret-marks.ts';
import { isAsDesired } from '../discovery/cluster-set/desired-secret.ts';
import { clusterSecretValues } from '../discovery/clusters/cluster-secret.ts';
import { withGenerated } from '../discovery/generated.ts';
import { canonical, compareText } from '../kubernetes/canonical.ts';
import {
  APPLICATIONS_ANNOTATION,
  CELL_LABEL,
  CLUSTER_ID_ANNOTATION,
  CLUSTER_TAGS_ANNOTATION,
  CLUSTER_VPC_ANNOTATION,
  SECRET_TYPE_CLUSTER,
  SECRET_TYPE_LABEL,
  SHARES_ANNOTATION,
} from '../kubernetes/labels.ts';
import { fieldsIn, textIn } from '../model/shape.ts';

/** What an application asks of the secret of a cluster. */
export interface Share {
  readonly labels: Readonly<Record<string, string>>;
  /** The revision that it was written for. */
  readonly revision: number;
  /** Since when it has been there as it is, in milliseconds since the epoch. */
  readonly writtenAt: number;
}

/** What the applications of a Cell ask of one secret, by their names. */
export type Shares = Readonly<Record<string, Share>>;

/** What EKS says of the cluster of a secret. */
export interface SecretCluster {
  readonly name: string;
  readonly arn: string;
  readonly region: string;
  readonly endpoint: string;
  readonly caData: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly vpcID?: string | undefined;
}

/** Whether a secret is one of a Cell's. */
export const isOfCell = (secret: Pick<ExistingSecret, 'labels' | 'annotations'>, cell: string): boolean =>
  secret.labels[CELL_LABEL] === cell && secret.annotations[SHARES_ANNOTATION] !== undefined;

/** Reads what the applications ask of a secret; what cannot be read asks for nothing. */
export function sharesOf({ annotations }: Pick<ExistingSecret, 'annotations'>): Shares {
  const said = fieldsIn(parsed(annotations[SHARES_ANNOTATION] ?? '{}'));
  return Object.fromEntries(
    Object.entries(said).map(([application, value]) => {
      const { labels, revision, writtenAt } = fieldsIn(value);
      const texts = Object.entries(fieldsIn(labels)).flatMap(([key, one]) => {
        const text = textIn(one);
        return text === undefined ? [] : [[key, text] as const];
      });
      const share = { labels: Object.fromEntries(texts), revision: Number(revision) || 0 };
      return [application, { ...share, writtenAt: Number(writtenAt) || 0 }];
    }),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Adds what an application asks for, or brings it up to date; when it has changed, it counts from now on. */
export function withShare(
  shares: Shares,
  application: string,
  { labels, revision, now, isNew }: Omit<Share, 'writtenAt'> & { readonly now: number; readonly isNew: boolean },
): Shares {
  const before = shares[application];
  const isSame = !isNew && before !== undefined && canonical(before.labels) === canonical(labels);
  return { ...shares, [application]: { labels, revision, writtenAt: isSame ? before.writtenAt : now } };
}

/** Takes away what an application asks for. */
export const withoutShare = (shares: Shares, application: string): Shares =>
  Object.fromEntries(Object.entries(shares).filter(([name]) => name !== application));

/** Says which two applications ask for different values of one label; undefined when none do. */
export function shareConflict(shares: Shares): string | undefined {
  const asked = new Map<string, readonly [value: string, application: string]>();
  for (const [application, { labels }] of Object.entries(shares)) {
    for (const [key, value] of Object.entries(labels)) {
      const [other = value, by = application] = asked.get(key) ?? [];
      if (other !== value)
        return `Expected applications that share a cluster to agree on the label ${key} of its secret, got ${other} by ${by} and ${value} by ${application}. Use labels of their own.`;
      asked.set(key, [value, application]);
    }
  }
  return undefined;
}

/** The secret of a cluster that is there for some applications. */
export function applicationSecret(
  of: { readonly cell: string; readonly name: string; readonly cluster: SecretCluster },
  shares: Shares,
): DesiredSecret {
  const { cell, name, cluster } = of;
  const { tags, arn, vpcID } = cluster;
  const labels = Object.assign({}, ...Object.values(shares).map((share) => share.labels)) as Record<
    string,
    string
  >;
  const marks = withGenerated({
    labels: { ...labels, [SECRET_TYPE_LABEL]: SECRET_TYPE_CLUSTER, [CELL_LABEL]: cell },
    annotations: {
      [CLUSTER_ID_ANNOTATION]: arn,
      [CLUSTER_TAGS_ANNOTATION]: canonical(tags),
      ...(vpcID === undefined ? {} : { [CLUSTER_VPC_ANNOTATION]: vpcID }),
      [APPLICATIONS_ANNOTATION]: Object.keys(shares).toSorted(compareText).join(','),
      [SHARES_ANNOTATION]: canonical(shares),
    },
  });
  return { name, ...marks, content: clusterSecretValues(cluster) };
}

/** Whether nobody has changed a secret since it was written, as far as that can be told. */
export function isUntouched(
  existing: ExistingSecret,
  of: { readonly cell: string; readonly cluster: SecretCluster | undefined },
): boolean {
  const { cluster } = of;
  // What EKS does not describe now cannot be compared.
  if (cluster === undefined) return true;
  const wanted = applicationSecret({ ...of, name: existing.name, cluster }, sharesOf(existing));
  return isAsDesired({ ...existing, isInherited: false }, wanted);
}

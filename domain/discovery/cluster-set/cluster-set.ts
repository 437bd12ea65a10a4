import {
  type ExistingSecret,
  type DesiredSecret,
  unreadIn,
  type Reading,
  type SourcedCluster,
  selectedBy,
} from './source-reading.ts';
import type { ClusterSetSpec } from '../../../crds/cluster-set.ts';
import { compareText, canonical } from '../../kubernetes/canonical.ts';
import {
  type Changes,
  compareGenerated,
  letGo,
  selectClaims,
  hasHeirs,
  withGenerated,
} from '../generated.ts';
import {
  CLUSTER_ID_ANNOTATION,
  CLUSTER_TAGS_ANNOTATION,
  CLUSTER_VPC_ANNOTATION,
  SECRET_TYPE_CLUSTER,
  SECRET_TYPE_LABEL,
} from '../../kubernetes/labels.ts';
import { given } from '../../model/fields.ts';
import { awaitMissing, missingProblems, type Grace, type Missed } from '../missing.ts';
import type { Problem } from '../sync-status.ts';
import { withoutEnd } from '../../text.ts';
import { renderAnnotations, renderLabels } from './template.ts';

const clusterIn = ({ name, content }: ExistingSecret): string => content['name'] ?? name;

const idIn = ({ annotations }: ExistingSecret): string | undefined => annotations[CLUSTER_ID_ANNOTATION];

function nameTaken(
  cluster: SourcedCluster,
  secret: string,
  { holder, existing }: { readonly holder?: SourcedCluster; readonly existing?: ExistingSecret },
): Problem {
  const id = (existing && idIn(existing)) ?? 'a cluster that the Secret does not name';
  const by =
    holder === undefined
      ? `${id}, which no generator finds at present. The name is free once that Secret is deleted; delete it to free the name now.`
      : `${holder.id}.`;
  return {
    cluster: cluster.name,
    object: secret,
    reason: 'NameTaken',
    message: `Secret ${secret} for ${cluster.id} is already used for ${by} Move one of them to a ClusterSet in another namespace.`,
  };
}

function unreadCluster(secret: ExistingSecret): Problem {
  return {
    cluster: clusterIn(secret),
    object: secret.name,
    reason: 'ClusterUnread',
    message: `No generator can read the account and region of ${idIn(secret) ?? 'none'}, so Secret ${secret.name} is kept. Correct the region, the role or the credentials, or delete the Secret.`,
  };
}

function foreign(cluster: SourcedCluster, { name, owner }: ExistingSecret): Problem {
  const by = owner === undefined ? 'was not created by Okra' : `belongs to ${owner.kind} ${owner.name}`;
  const advice =
    owner?.kind === 'ClusterSet' ? 'Delete that ClusterSet, which hands it over' : 'Delete that Secret';
  return {
    cluster: cluster.name,
    object: name,
    reason: owner === undefined ? 'ForeignSecret' : 'NameTaken',
    message: `Secret ${name} for cluster ${cluster.name} already exists and ${by}. ${advice}, or exclude the cluster from the ClusterSet.`,
  };
}

const missingCluster = {
  expected: (name: string) => `No generator has found the cluster of Secret ${name}`,
  stays: (name: string) => `Secret ${name} is kept`,
  advice: 'restore the cluster or its tags, or delete the Secret to remove it now.',
};

type Rivals = readonly [SourcedCluster, ...SourcedCluster[]];

/** Says which of several clusters with one name has the secret: the one that has it already, or else the first; undefined while it is another's. */
function holderOf(rivals: Rivals, own: ExistingSecret | undefined): SourcedCluster | undefined {
  if (own === undefined) return rivals[0];
  const id = idIn(own);
  // A secret that has lost whose it is gets that back, of the cluster that it says how to reach.
  return rivals.find((one) =>
    id === undefined ? [one.access?.server, one.id].includes(own.content['server']) : one.id === id,
  );
}

function desiredSecret(
  { template }: ClusterSetSpec,
  cluster: SourcedCluster,
  name: string,
):
  | { readonly ok: true; readonly secret: DesiredSecret }
  | { readonly ok: false; readonly problems: readonly Problem[] } {
  const labels = renderLabels(template?.metadata?.labels, cluster);
  const annotations = renderAnnotations(template?.metadata?.annotations, cluster);
  const messages = [...labels.problems, ...annotations.problems];
  if (messages.length > 0) {
    const problems = messages.map((message) => ({
      cluster: cluster.name,
      reason: 'InvalidTemplate',
      message,
    }));
    return { ok: false, problems };
  }
  const { server = '', config = '', configByARN = '' } = cluster.access ?? {};
  const access =
    template?.server === 'ARN' ? { server: cluster.id, config: configByARN } : { server, config };
  const marks = withGenerated({
    labels: { ...labels.values, [SECRET_TYPE_LABEL]: SECRET_TYPE_CLUSTER },
    annotations: {
      ...annotations.values,
      [CLUSTER_ID_ANNOTATION]: cluster.id,
      [CLUSTER_TAGS_ANNOTATION]: canonical(cluster.tags),
      ...given({ [CLUSTER_VPC_ANNOTATION]: cluster.vpcID }),
    },
  });
  return { ok: true, secret: { name, ...marks, content: { name: cluster.name, ...access } } };
}

/** Whether a secret says how a cluster is reached as it is to say it; what is empty need not be there. */
const hasContent = (existing: ExistingSecret, wanted: DesiredSecret): boolean =>
  Object.entries(wanted.content).every(([key, value]) => (existing.content[key] ?? '') === value);

export type { Reading, SourcedCluster, UnreadCluster } from './source-reading.ts';

/** What is to be done so that every cluster has its secret. */
export interface ClusterSetDecision extends Changes<DesiredSecret> {
  readonly problems: readonly Problem[];
  readonly names: readonly string[];
  /** The clusters that get one when they can be used, each with its state. */
  readonly waiting: readonly string[];
  /** The secrets of clusters that no generator gives any more, which stay for a while. */
  readonly missed: Missed;
  /** Whether a secret is deleted in whose place another cluster has one with the next look. */
  readonly isFreed: boolean;
}

interface ObservedClusterSet {
  readonly uid: string;
  readonly spec: ClusterSetSpec;
  readonly readings: readonly Reading[];
  readonly secrets: readonly ExistingSecret[];
  readonly grace: Grace;
}

interface Verdict {
  /** The cluster that it is of; undefined when it is of none that wants it. */
  readonly holder?: SourcedCluster;
  /** The secret as it is to be; undefined when it is to stay as it is. */
  readonly secret?: DesiredSecret;
  readonly waiting?: string;
  readonly problems: readonly Problem[];
}

/** Says which secrets to make, change and delete; nothing is deleted of what could not be read. */
export function decideClusterSet(observed: ObservedClusterSet): ClusterSetDecision {
  const { uid, spec, readings, secrets, grace } = observed;
  const failures = readings.flatMap((reading) => reading.failures);
  const unread = unreadIn(readings);
  const isComplete = failures.length === 0 && readings.length === spec.generators.length;
  const unreadIds = new Set(unread.flatMap(({ ids }) => ids));
  const places = readings.flatMap((reading) => reading.places);
  // Nobody knows the place of a secret that has lost its id.
  const isRead = (secret: ExistingSecret): boolean =>
    places.some((place) => idIn(secret)?.startsWith(place) === true);
  // The cluster of a secret may be there though nobody has read it.
  const mayBeThere = (secret: ExistingSecret): boolean =>
    !isComplete || unreadIds.has(idIn(secret) ?? '') || !isRead(secret);
  const own = secrets.filter(({ owner }) => owner?.uid === uid);
  const wanted = bySecretName(selectedBy(spec.generators, readings));
  const verdicts = new Map([...wanted].map(([name, rivals]) => [name, judge(observed, name, rivals)]));
  const unwanted = own.filter(({ name }) => verdicts.get(name)?.holder === undefined);
  const leaving = unwanted.filter((secret) => !mayBeThere(secret));
  const missed = awaitMissing(
    leaving.filter((secret) => !hasHeirs(secret)).map(({ name }) => name),
    grace,
  );
  const gone = leaving.filter((secret) => hasHeirs(secret) || !missed.isAwaited(secret.name));
  // Of the others it is said why they could not be read.
  const misplaced = unwanted.filter((secret) => isComplete && !isRead(secret) && !wanted.has(secret.name));
  const all = [...verdicts.values()];
  const kept = [
    ...own.filter((secret) => !unwanted.includes(secret)).map(({ name }) => verdicts.get(name)?.holder?.name),
    ...all.map(({ holder, secret }) => secret && holder?.name),
    ...unwanted.filter((secret) => !gone.includes(secret)).map(clusterIn),
  ];
  return {
    ...compareGenerated(
      all.flatMap(({ secret }) => secret ?? []),
      own,
      hasContent,
    ),
    ...letGo(gone),
    claim: selectClaims(
      secrets.filter((secret) => wanted.get(secret.name)?.some(({ id }) => id === idIn(secret))),
      { uid, kind: 'ClusterSet' },
    ),
    problems: [
      ...failures,
      ...unread.map(({ problem }) => problem),
      ...all.flatMap(({ problems }) => problems),
      ...missingProblems(missed, grace, missingCluster),
      ...misplaced.map(unreadCluster),
    ],
    names: [...new Set(kept.filter((name) => name !== undefined))].toSorted(compareText),
    waiting: all.flatMap(({ waiting }) => waiting ?? []),
    missed,
    isFreed: gone.some((secret) => !hasHeirs(secret) && wanted.has(secret.name)),
  };
}

function judge({ uid, spec, secrets }: ObservedClusterSet, name: string, rivals: Rivals): Verdict {
  const existing = secrets.find((secret) => secret.name === name);
  const isOwn = existing?.owner?.uid === uid;
  const holder = holderOf(rivals, isOwn ? existing : undefined);
  const problems = rivals
    .filter((one) => one !== holder)
    .map((one) => nameTaken(one, name, given({ holder, existing })));
  if (holder === undefined) return { problems };
  if (holder.state !== 'Active' || holder.access === undefined)
    return { holder, waiting: `${holder.name} is ${holder.said}`, problems };
  if (existing !== undefined && !isOwn) return { holder, problems: [...problems, foreign(holder, existing)] };
  const wanted = desiredSecret(spec, holder, name);
  return wanted.ok
    ? { holder, secret: wanted.secret, problems }
    : { holder, problems: [...problems, ...wanted.problems] };
}

/** The names that the secrets of the selected clusters have or get. */
export const secretNamesOf = (spec: ClusterSetSpec, readings: readonly Reading[]): readonly string[] => [
  ...bySecretName(selectedBy(spec.generators, readings)).keys(),
];

/** The name of a cluster's secret: that of the cluster, as far as a name may be like it. */
export const secretNameOf = (cluster: string): string =>
  withoutEnd(cluster.toLowerCase().replaceAll('_', '-'), '-');

/** The ids of the clusters that a set has a secret of. */
export const clusterIdsOf = (uid: string, secrets: readonly ExistingSecret[]): readonly string[] =>
  secrets.filter(({ owner }) => owner?.uid === uid).flatMap((secret) => idIn(secret) ?? []);

function bySecretName(clusters: readonly SourcedCluster[]): ReadonlyMap<string, Rivals> {
  const rivals = new Map<string, Rivals>();
  for (const cluster of clusters) {
    const name = secretNameOf(cluster.name);
    const others = rivals.get(name);
    rivals.set(name, others === undefined ? [cluster] : [...others, cluster]);
  }
  return rivals;
}

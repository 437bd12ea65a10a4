import {
  type ExistingSecret,
  type DesiredSecret,
  unreadIn,
  type Reading,
  type SourcedCluster,
  claimableBefore,
  selectedBy,
} from './source-reading.ts';
import type { ClusterSetSpec } from '../../../crds/cluster-set.ts';
import { compareText, canonical } from '../../kubernetes/canonical.ts';
import { selectClaims, hasHeirs, type Handover, hasMarks, withGenerated } from '../generated.ts';
import {
  CLUSTER_ID_ANNOTATION,
  CLUSTER_TAGS_ANNOTATION,
  CLUSTER_VPC_ANNOTATION,
  SECRET_TYPE_CLUSTER,
  SECRET_TYPE_LABEL,
} from '../../kubernetes/labels.ts';
import { awaitMissing, missingProblems, type Grace, type Missed } from '../missing.ts';
import type { Problem } from '../sync-status.ts';
import { withoutEnd } from '../../text.ts';
import { renderAnnotations, renderLabels } from './template.ts';
import { unreachable } from '../../unreachable.ts';

/** The name of the cluster that a secret is about. */
const clusterIn = ({ name, content }: ExistingSecret): string => content['name'] ?? name;

/** Says who has the secret that a cluster of the same name would have. */
const nameTakenBy = (cluster: SourcedCluster, holder: Holder, secret: string): Problem => ({
  cluster: cluster.name,
  object: secret,
  reason: 'NameTaken',
  message: `Secret ${secret} for ${cluster.id} is already used for ${heldBy(holder)} Move one of them to a ClusterSet in another namespace.`,
});

function heldBy(holder: Holder): string {
  switch (holder.is) {
    case 'Found':
      return `${holder.cluster.id}.`;
    case 'Unread':
      return 'a cluster that could not be read, or that the Secret does not name.';
    case 'Missing':
      return `${holder.id}, which no generator finds any more. The name is free once that Secret is deleted; delete it to free the name now.`;
    default:
      return unreachable(holder);
  }
}

/** Says that a secret stays because nobody has looked where its cluster is. */
function unreadCluster(secret: ExistingSecret): Problem {
  const { [CLUSTER_ID_ANNOTATION]: id = 'none' } = secret.annotations;
  return {
    cluster: clusterIn(secret),
    object: secret.name,
    reason: 'ClusterUnread',
    message: `No generator can read the account and region of ${id}, so Secret ${secret.name} is kept. Correct the region, the role or the credentials, or delete the Secret.`,
  };
}

/** Says whose secret has the name that a cluster's would have. */
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

/** Says that a secret stays for a while though no generator gives its cluster any more. */
const missingCluster = {
  expected: (name: string) => `No generator has found the cluster of Secret ${name}`,
  stays: (name: string) => `Secret ${name} is kept`,
  advice: 'restore the cluster or its tags, or delete the Secret to remove it now.',
};

/** The cluster that the secret of a name is of, when there are clusters that ask for it. */
type Holder =
  | { readonly is: 'Found'; readonly cluster: SourcedCluster }
  /** One that may be there, and could not be read, or which nobody knows. */
  | { readonly is: 'Unread' }
  /** One that no generator gives any more; nobody else gets the name before its secret is gone. */
  | { readonly is: 'Missing'; readonly id: string };

/** Says which of several clusters with one name has the secret: the one that has it already, or else the first. */
function holderOf(
  rivals: readonly [SourcedCluster, ...SourcedCluster[]],
  own: ExistingSecret | undefined,
  mayBeThere: (secret: ExistingSecret) => boolean,
): Holder {
  if (own === undefined) return { is: 'Found', cluster: rivals[0] };
  const id = own.annotations[CLUSTER_ID_ANNOTATION];
  // A secret that has lost whose it is gets that back, of the cluster that it says how to reach.
  const cluster = rivals.find((one) =>
    id === undefined ? [one.access?.server, one.id].includes(own.content['server']) : one.id === id,
  );
  if (cluster !== undefined) return { is: 'Found', cluster };
  return id === undefined || mayBeThere(own) ? { is: 'Unread' } : { is: 'Missing', id };
}

/** Makes the secret of a cluster by the template of a set, or says why that cannot be filled in. */
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
      ...(cluster.vpcID === undefined ? {} : { [CLUSTER_VPC_ANNOTATION]: cluster.vpcID }),
    },
  });
  return { ok: true, secret: { name, ...marks, content: { name: cluster.name, ...access } } };
}

/** Whether a secret is as it is to be. */
const isAsDesired = (existing: ExistingSecret, wanted: DesiredSecret): boolean =>
  existing.isInherited !== true &&
  hasMarks(existing, wanted) &&
  Object.entries(wanted.content).every(([key, value]) => (existing.content[key] ?? '') === value);

export type { Reading, SourcedCluster, UnreadCluster } from './source-reading.ts';

/** What is to be done so that every cluster has its secret. */
export interface ClusterSetDecision {
  readonly create: readonly DesiredSecret[];
  readonly update: readonly DesiredSecret[];
  readonly delete: readonly { readonly name: string; readonly uid: string }[];
  readonly problems: readonly Problem[];
  /** The clusters that have a secret when this is done. */
  readonly names: readonly string[];
  /** The clusters that get one when they can be used, each with its state. */
  readonly waiting: readonly string[];
  /** The secrets of clusters that no generator gives any more, which stay for a while. */
  readonly missed: Missed;
  /** Whether a secret is deleted in whose place another cluster has one with the next look. */
  readonly isFreed: boolean;
  readonly handover: Handover;
}

/** What a decision about a ClusterSet is made of. */
interface ObservedClusterSet {
  readonly uid: string;
  readonly spec: ClusterSetSpec;
  readonly readings: readonly Reading[];
  readonly secrets: readonly ExistingSecret[];
  readonly grace: Grace;
}

/** What is to become of the secret of one name. */
type Verdict =
  | { readonly do: 'Create' | 'Update'; readonly cluster: string; readonly secret: DesiredSecret }
  | { readonly do: 'Keep'; readonly cluster: string; readonly waiting?: string }
  | { readonly do: 'Leave'; readonly waiting?: string };

/** Says which secrets to make, change and delete; nothing is deleted of what could not be read. */
export function decideClusterSet(observed: ObservedClusterSet): ClusterSetDecision {
  const { uid, spec, readings, secrets } = observed;
  const failures = readings.flatMap((reading) => reading.failures);
  const unread = unreadIn(readings);
  const problems = [...failures, ...unread.map(({ problem }) => problem)];
  const isComplete = failures.length === 0 && readings.length === spec.generators.length;
  const unreadIds = new Set(unread.flatMap(({ ids }) => ids));
  // The cluster of a secret may be there though nobody has read it.
  const mayBeThere = ({ annotations }: ExistingSecret): boolean =>
    !isComplete ||
    unreadIds.has(annotations[CLUSTER_ID_ANNOTATION] ?? '') ||
    !isRead(readings, { annotations });
  const own = secrets.filter(({ owner }) => owner?.uid === uid);
  const wanted = bySecretName(selectedBy(spec.generators, readings));
  const asked = [...wanted].map(([name, rivals]): RivalClusters => {
    const existing = own.find((secret) => secret.name === name);
    return { name, rivals, holder: holderOf(rivals, existing, mayBeThere) };
  });
  const undecided = claimableBefore(spec.generators, readings);
  const verdicts = asked.map((one) => {
    const judged = judge(observed, one, undecided);
    problems.push(...judged.problems);
    return judged.verdict;
  });
  const missing = new Set(asked.flatMap(({ name, holder }) => (holder.is === 'Missing' ? [name] : [])));
  const unwanted = own.filter(({ name }) => !wanted.has(name) || missing.has(name));
  const unclaimed = unwanted.filter((secret) => !mayBeThere(secret));
  const released = unclaimed.filter(hasHeirs);
  const lost = unclaimed.filter((secret) => !hasHeirs(secret));
  const missed = awaitMissing(
    lost.map(({ name }) => name),
    observed.grace,
  );
  const gone = lost.filter(({ name }) => !missed.isAwaited(name));
  const spared = unwanted.filter(mayBeThere);
  problems.push(...missingProblems(missed, observed.grace, missingCluster));
  // Of the others it is said why they could not be read.
  if (isComplete) problems.push(...spared.filter((secret) => !isRead(readings, secret)).map(unreadCluster));
  const secretsTo = (what: 'Create' | 'Update') =>
    verdicts.flatMap((verdict) => (verdict.do === what ? [verdict.secret] : []));
  const names = verdicts.flatMap((verdict) => (verdict.do === 'Leave' ? [] : [verdict.cluster]));
  return {
    create: secretsTo('Create'),
    update: secretsTo('Update'),
    delete: gone.map(({ name, uid: secret }) => ({ name, uid: secret })),
    problems,
    names: [
      ...new Set([
        ...names,
        ...unwanted.filter((one) => ![...gone, ...released].includes(one)).map(clusterIn),
      ]),
    ].toSorted(compareText),
    waiting: verdicts.flatMap((verdict) =>
      'waiting' in verdict && verdict.waiting !== undefined ? [verdict.waiting] : [],
    ),
    missed,
    isFreed: gone.some(({ name }) => wanted.has(name)),
    handover: {
      claim: selectClaims(secretsOf(wanted, secrets), { uid, kind: 'ClusterSet' }),
      release: released.map(({ name }) => name),
    },
  };
}

/** The secrets that there are of the very clusters that are wanted. */
const secretsOf = (
  wanted: ReadonlyMap<string, readonly SourcedCluster[]>,
  secrets: readonly ExistingSecret[],
): readonly ExistingSecret[] =>
  secrets.filter(({ name, annotations }) =>
    wanted.get(name)?.some(({ id }) => id === annotations[CLUSTER_ID_ANNOTATION]),
  );

type Rivals = readonly [SourcedCluster, ...SourcedCluster[]];

/** The clusters that ask for the secret of one name, and the one that it is of. */
interface RivalClusters {
  readonly name: string;
  readonly rivals: Rivals;
  readonly holder: Holder;
}

/** Whether the place was read in which the cluster of a secret is; nobody knows the place of one that has lost its id. */
const isRead = (
  readings: readonly Reading[],
  { annotations }: Pick<ExistingSecret, 'annotations'>,
): boolean => {
  const id = annotations[CLUSTER_ID_ANNOTATION];
  return id !== undefined && readings.some(({ places }) => places.some((place) => id.startsWith(place)));
};

function judge(
  observed: ObservedClusterSet,
  { name, rivals, holder }: RivalClusters,
  undecided: ReadonlySet<string>,
): { readonly verdict: Verdict; readonly problems: readonly Problem[] } {
  const existing = observed.secrets.find((secret) => secret.name === name);
  const own = existing?.owner?.uid === observed.uid ? existing : undefined;
  const cluster = holder.is === 'Found' ? holder.cluster : undefined;
  const problems = rivals.filter((one) => one !== cluster).map((one) => nameTakenBy(one, holder, name));
  if (holder.is === 'Missing') return { verdict: { do: 'Leave' }, problems };
  const kept: Verdict =
    own === undefined ? { do: 'Leave' } : { do: 'Keep', cluster: cluster?.name ?? clusterIn(own) };
  if (cluster === undefined) return { verdict: kept, problems };
  if (cluster.state !== 'Active' || cluster.access === undefined) {
    return { verdict: { ...kept, waiting: `${cluster.name} is ${cluster.said}` }, problems };
  }
  if (existing !== undefined && own === undefined) {
    return { verdict: kept, problems: [...problems, foreign(cluster, existing)] };
  }
  const wanted = desiredSecret(observed.spec, cluster, name);
  if (!wanted.ok) return { verdict: kept, problems: [...problems, ...wanted.problems] };
  const secret = undecided.has(cluster.id) ? withLoginOf(own, wanted.secret) : wanted.secret;
  if (own !== undefined && isAsDesired(own, secret)) return { verdict: kept, problems };
  const verb = own === undefined ? 'Create' : 'Update';
  return { verdict: { do: verb, cluster: cluster.name, secret }, problems };
}

/** What a secret is to be, with the login that it has for the same cluster already. */
const withLoginOf = (own: ExistingSecret | undefined, secret: DesiredSecret): DesiredSecret => {
  const { config } = own?.content ?? {};
  const isSame =
    own?.annotations[CLUSTER_ID_ANNOTATION] === secret.annotations[CLUSTER_ID_ANNOTATION] &&
    own?.content['server'] === secret.content.server;
  return isSame && config !== undefined ? { ...secret, content: { ...secret.content, config } } : secret;
};

/** The names that the secrets of the selected clusters have or get. */
export const secretNamesOf = (spec: ClusterSetSpec, readings: readonly Reading[]): readonly string[] => [
  ...bySecretName(selectedBy(spec.generators, readings)).keys(),
];

/** The name of a cluster's secret: that of the cluster, as far as a name may be like it. */
export const secretNameOf = (cluster: string): string =>
  withoutEnd(cluster.toLowerCase().replaceAll('_', '-'), '-');

/** The ids of the clusters that a set has a secret of. */
export const clusterIdsOf = (uid: string, secrets: readonly ExistingSecret[]): readonly string[] =>
  secrets
    .filter(({ owner }) => owner?.uid === uid)
    .flatMap(({ annotations }) => annotations[CLUSTER_ID_ANNOTATION] ?? []);

function bySecretName(clusters: readonly SourcedCluster[]): ReadonlyMap<string, Rivals> {
  const rivals = new Map<string, Rivals>();
  for (const cluster of clusters) {
    const name = secretNameOf(cluster.name);
    const others = rivals.get(name);
    rivals.set(name, others === undefined ? [cluster] : [...others, cluster]);
  }
  return rivals;
}

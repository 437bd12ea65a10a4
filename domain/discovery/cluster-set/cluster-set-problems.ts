import { CLUSTER_ID_ANNOTATION } from '../../kubernetes/labels.ts';
import type { SourcedCluster, ExistingSecret } from './source-reading.ts';
import type { Problem } from '../sync-status.ts';
import { unreachable } from '../../unreachable.ts';

/** The name of the cluster that a secret is about. */
export const clusterIn = ({ name, content }: ExistingSecret): string => content['name'] ?? name;

/** Says who has the secret that a cluster of the same name would have. */
export const nameTakenBy = (cluster: SourcedCluster, holder: Holder, secret: string): Problem => ({
  cluster: cluster.name,
  object: secret,
  reason: 'NameTaken',
  message: `Expected Secret ${secret} to be free for ${cluster.id}, got ${heldBy(holder)} Let another ClusterSet in another namespace take one of them.`,
});

function heldBy(holder: Holder): string {
  switch (holder.is) {
    case 'Found':
      return `that of ${holder.cluster.id}.`;
    case 'Unread':
      return 'that of a cluster which could not be read, or which the Secret does not name.';
    case 'Missing':
      return `that of ${holder.id}, which no generator finds now. It is free when that Secret is gone; delete it if that is to be now.`;
    default:
      return unreachable(holder);
  }
}

/** Says that a secret stays because nobody has looked where its cluster is. */
export function unreadCluster(secret: ExistingSecret): Problem {
  const { [CLUSTER_ID_ANNOTATION]: id = 'none' } = secret.annotations;
  return {
    cluster: clusterIn(secret),
    object: secret.name,
    reason: 'ClusterUnread',
    message: `Expected a generator to read the account and region of ${id}, got none that does. Secret ${secret.name} stays; correct the region, the role or the credentials, or delete the Secret.`,
  };
}

/** Says whose secret has the name that a cluster's would have. */
export function foreign(cluster: SourcedCluster, { name, owner }: ExistingSecret): Problem {
  const by = owner === undefined ? 'one that Okra did not make' : `that of ${owner.kind} ${owner.name}`;
  const advice =
    owner?.kind === 'ClusterSet' ? 'Delete that ClusterSet, which hands it over' : 'Delete that Secret';
  return {
    cluster: cluster.name,
    object: name,
    reason: owner === undefined ? 'ForeignSecret' : 'NameTaken',
    message: `Expected Secret ${name} to be free for cluster ${cluster.name}, got ${by}. ${advice}, or let the ClusterSet leave the cluster out.`,
  };
}

/** Says that a secret stays for a while though no generator gives its cluster any more. */
export const missingCluster = {
  expected: (name: string) =>
    `Expected a generator to find the cluster of Secret ${name}, got none that does`,
  stays: (name: string) => `Secret ${name} stays`,
  advice: 'bring the cluster or its tags back, or delete the Secret if it is to go now.',
};

/** The cluster that the secret of a name is of, when there are clusters that ask for it. */
export type Holder =
  | { readonly is: 'Found'; readonly cluster: SourcedCluster }
  /** One that may be there, and could not be read, or which nobody knows. */
  | { readonly is: 'Unread' }
  /** One that no generator gives any more; nobody else gets the name before its secret is gone. */
  | { readonly is: 'Missing'; readonly id: string };

/** Says which of several clusters with one name has the secret: the one that has it already, or else the first. */
export function holderOf(
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

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
export function unreadCluster(secret: ExistingSecret): Problem {
  const { [CLUSTER_ID_ANNOTATION]: id = 'none' } = secret.annotations;
  return {
    cluster: clusterIn(secret),
    object: secret.name,
    reason: 'ClusterUnread',
    message: `No generator can read the account and region of ${id}, so Secret ${secret.name} is kept. Correct the region, the role or the credentials, or delete the Secret.`,
  };
}

/** Says whose secret has the name that a cluster's would have. */
export function foreign(cluster: SourcedCluster, { name, owner }: ExistingSecret): Problem {
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
export const missingCluster = {
  expected: (name: string) => `No generator has found the cluster of Secret ${name}`,
  stays: (name: string) => `Secret ${name} is kept`,
  advice: 'restore the cluster or its tags, or delete the Secret to remove it now.',
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

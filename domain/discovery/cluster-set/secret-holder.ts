import { CLUSTER_ID_ANNOTATION } from '../../kubernetes/labels.ts';
import type { ExistingSecret } from './cluster-secret-marks.ts';
import type { SourcedCluster } from './source-reading.ts';

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

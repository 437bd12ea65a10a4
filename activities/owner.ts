import type { Metadata } from '../crds/resource.ts';
import type { ObjectKey } from '../domain/ids.ts';
import { API_VERSION } from '../domain/labels.ts';

/** The owner references of an object that a Cell makes, and that goes with it. */
export const ownedByCell = (cell: {
  readonly key: ObjectKey;
  readonly uid: string;
}): NonNullable<Metadata['ownerReferences']> => [
  {
    apiVersion: API_VERSION,
    kind: 'Cell',
    name: cell.key.name,
    uid: cell.uid,
    controller: true,
    blockOwnerDeletion: true,
  },
];

import type { Metadata } from '../crds/resource.ts';
import type { ObjectKey } from '../domain/ids.ts';
import { API_VERSION } from '../domain/labels.ts';

type OwnerReferences = NonNullable<Metadata['ownerReferences']>;

/** An object of Okra's that others are made for. */
export interface Owner {
  readonly key: ObjectKey;
  readonly uid: string;
}

/** The owner references of an object that another one makes, and that goes with it; it holds up its deletion unless said otherwise. */
export const ownedBy = (kind: string, { key, uid }: Owner, blockOwnerDeletion = true): OwnerReferences => [
  { apiVersion: API_VERSION, kind, name: key.name, uid, controller: true, blockOwnerDeletion },
];

/** The owner references of an object that a Cell makes, and that goes with it. */
export const ownedByCell = (cell: Owner): OwnerReferences => ownedBy('Cell', cell);

import type { Metadata } from '../../crds/resource.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import { API_VERSION } from '../../domain/kubernetes/labels.ts';

/** Whose an object is. */
export type OwnerReferences = NonNullable<Metadata['ownerReferences']>;

/** An object of Okra's that others are made for. */
export interface ObjectOwner {
  readonly key: ObjectKey;
  readonly uid: string;
}

/** The owner references of an object that another one makes, and that goes with it; it holds up its deletion unless said otherwise. */
export const ownedBy = (
  kind: string,
  { key, uid }: ObjectOwner,
  blockOwnerDeletion = true,
): OwnerReferences => [
  { apiVersion: API_VERSION, kind, name: key.name, uid, controller: true, blockOwnerDeletion },
];

/** The owner references of an object that a Cell makes, and that goes with it. */
export const ownedByCell = (cell: ObjectOwner): OwnerReferences => ownedBy('Cell', cell);

/** The owner references of an object that a set waits for: Kubernetes leaves the object to it when the others are gone. */
export const claimFor = (
  kind: string,
  { key, uid }: ObjectOwner,
  before: OwnerReferences,
): OwnerReferences => [
  ...before.filter((one) => one.uid !== uid),
  { apiVersion: API_VERSION, kind, name: key.name, uid, controller: false, blockOwnerDeletion: false },
];

/** The owner references of an object that a set leaves to those that wait for it. */
export const releaseFrom = ({ uid }: ObjectOwner, before: OwnerReferences): OwnerReferences =>
  before.filter((one) => one.uid !== uid);

/** The owner references of an object that a set has, as the one that makes it from now on. */
export const inheritFor = (kind: string, owner: ObjectOwner, before: OwnerReferences): OwnerReferences => [
  ...ownedBy(kind, owner),
  ...releaseFrom(owner, before),
];

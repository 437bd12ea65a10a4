import type { KindRef, Metadata } from '../../crds/resource.ts';
import { given } from '../../domain/model/fields.ts';
import type { ObjectRef } from '../../domain/model/ids.ts';
import { API_VERSION, CELL_LABEL, ROLLOUT_LABEL, STEP_LABEL } from '../../domain/kubernetes/labels.ts';

/** Whose an object is. */
export type OwnerReferences = NonNullable<Metadata['ownerReferences']>;

/** The owner references of an object that another one makes, and that goes with it; it holds up its deletion unless said otherwise. */
export const ownedBy = (
  kind: string,
  { key, uid }: ObjectRef,
  blockOwnerDeletion = true,
): OwnerReferences => [
  { apiVersion: API_VERSION, kind, name: key.name, uid, controller: true, blockOwnerDeletion },
];

/** The owner references of an object that a Cell makes, and that goes with it. */
export const ownedByCell = (cell: ObjectRef): OwnerReferences => ownedBy('Cell', cell);

/** The owner references of an object that a set waits for: Kubernetes leaves the object to it when the others are gone. */
export const claimFor = (kind: string, { key, uid }: ObjectRef, before: OwnerReferences): OwnerReferences => [
  ...before.filter((one) => one.uid !== uid),
  { apiVersion: API_VERSION, kind, name: key.name, uid, controller: false, blockOwnerDeletion: false },
];

/** The owner references of an object that a set leaves to those that wait for it. */
export const releaseFrom = ({ uid }: ObjectRef, before: OwnerReferences): OwnerReferences =>
  before.filter((one) => one.uid !== uid);

/** The owner references of an object that a set has, as the one that makes it from now on. */
export const inheritFor = (kind: string, owner: ObjectRef, before: OwnerReferences): OwnerReferences => [
  ...ownedBy(kind, owner),
  ...releaseFrom(owner, before),
];

type MarksOf = { readonly [Field in 'labels' | 'annotations']?: Metadata[Field] | undefined };

interface Measuring {
  readonly cell: ObjectRef;
  readonly name: string;
  readonly rollout: string;
  readonly step?: number | string;
}

/** The labels by which an object that a Cell measures by is found again. */
export const measurementLabels = ({ cell, rollout, step }: Measuring): Readonly<Record<string, string>> => ({
  [CELL_LABEL]: cell.key.name,
  [ROLLOUT_LABEL]: rollout,
  ...(step === undefined ? {} : { [STEP_LABEL]: String(step) }),
});

/** Makes an object that a Cell measures by, and that goes with the Cell. */
export const measuringObject = <Spec extends object>(
  { apiVersion, kind }: KindRef,
  of: Measuring,
  spec: Spec,
  { labels, annotations }: MarksOf = {},
) => ({
  apiVersion,
  kind,
  metadata: {
    namespace: of.cell.key.namespace,
    name: of.name,
    labels: { ...labels, ...measurementLabels(of) },
    ...given({ annotations }),
    ownerReferences: ownedByCell(of.cell),
  },
  spec,
});

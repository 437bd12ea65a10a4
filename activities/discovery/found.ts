import type { Metadata } from '../../crds/resource.ts';
import { controllerOf } from '../../domain/kubernetes/controller.ts';
import type { Marks } from '../../domain/discovery/generated.ts';
import { API_VERSION, GENERATED_ANNOTATION } from '../../domain/kubernetes/labels.ts';
import type { OwnerReferences } from '../kubernetes/owner-references.ts';

/** Of an object that there is, what decides about those that are generated. */
export interface Found extends Marks {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Its controller, or the set that has inherited it; undefined when it has none. */
  readonly owner?: { readonly uid: string; readonly name: string; readonly kind: string };
  readonly heirs: readonly string[];
  readonly isInherited: boolean;
  readonly ownerReferences: OwnerReferences;
}

const SETS: readonly string[] = ['ClusterSet', 'AWSTargetGroupSet'];

/** Reads it off the metadata of an object. */
export function foundOf(metadata: Metadata): Found {
  const { name, uid = '', resourceVersion = '', labels = {}, annotations = {} } = metadata;
  const { ownerReferences = [] } = metadata;
  const controller = controllerOf(metadata);
  // What a set has made, and only that, is inherited by the next one.
  const heir =
    GENERATED_ANNOTATION in annotations
      ? ownerReferences.find((one) => one.apiVersion === API_VERSION && SETS.includes(one.kind))
      : undefined;
  const owner = controller ?? heir;
  return {
    name,
    uid,
    resourceVersion,
    labels,
    annotations,
    ownerReferences,
    heirs: ownerReferences.filter((one) => one !== owner).map((one) => one.uid),
    isInherited: controller === undefined && heir !== undefined,
    ...(owner === undefined ? {} : { owner: { uid: owner.uid, name: owner.name, kind: owner.kind } }),
  };
}

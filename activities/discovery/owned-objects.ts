import type { Metadata } from '../../crds/resource.ts';
import { controllerOf } from '../../domain/kubernetes/conditions.ts';
import type { Marks } from '../../domain/discovery/generated.ts';
import { API_VERSION, GENERATED_ANNOTATION } from '../../domain/kubernetes/labels.ts';
import {
  type OwnerReferences,
  claimFor,
  releaseFrom,
  type ObjectOwner,
} from '../kubernetes/owner-references.ts';
import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Handover } from '../../domain/discovery/handover.ts';
import type { Write } from '../kubernetes/writes.ts';

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
export function readOwned(metadata: Metadata): Found {
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

/** What is handed over, and by whom. */
interface HandoverDependencies {
  readonly kubernetes: KubernetesClient;
  readonly owner: ObjectOwner;
  readonly ownerKind: string;
  readonly kind: KindRef;
  readonly found: readonly Found[];
}

/** Makes the owner references of objects say which set has them, and which one is next; an object that was changed meanwhile is left to the next look. */
export function planHandover(
  { claim, release }: Handover,
  { kubernetes, owner, ownerKind, kind, found }: HandoverDependencies,
): readonly Write[] {
  const write = (names: readonly string[], change: (before: OwnerReferences) => OwnerReferences) =>
    found
      .filter(({ name }) => names.includes(name))
      .map(({ name, resourceVersion, ownerReferences }) => ({
        object: { kind: kind.kind, name },
        run: () =>
          kubernetes.patch(
            kind,
            { namespace: owner.key.namespace, name },
            { metadata: { resourceVersion, ownerReferences: change(ownerReferences) } },
          ),
      }));
  return [
    ...write(claim, (before) => claimFor(ownerKind, owner, before)),
    ...write(release, (before) => releaseFrom(owner, before)),
  ];
}

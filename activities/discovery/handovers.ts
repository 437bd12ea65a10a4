import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Handover } from '../../domain/discovery/handover.ts';
import type { Found } from './found.ts';
import {
  claimedBy,
  releasedBy,
  type ObjectOwner,
  type OwnerReferences,
} from '../kubernetes/owner-references.ts';
import type { Write } from '../kubernetes/writes.ts';

/** What is handed over, and by whom. */
export interface HandoverDependencies {
  readonly kubernetes: KubernetesClient;
  readonly owner: ObjectOwner;
  readonly ownerKind: string;
  readonly kind: KindRef;
  readonly found: readonly Found[];
}

/** Makes the owner references of objects say which set has them, and which one is next; an object that was changed meanwhile is left to the next look. */
export function handoverWrites(
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
    ...write(claim, (before) => claimedBy(ownerKind, owner, before)),
    ...write(release, (before) => releasedBy(owner, before)),
  ];
}

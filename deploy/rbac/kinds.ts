import { resources } from '../../crds/index.ts';
import type { KindRef, KindTraits } from '../../crds/kind.ts';

/** Verbs on the objects of a kind of Okra's, or on their statuses. */
export interface KindPermission {
  readonly kind: KindRef;
  readonly subresource?: 'status';
  readonly verbs: readonly string[];
}

const table: readonly (KindRef & KindTraits)[] = resources;

/** What okrad does with the objects of Okra's own kinds, as the table of kinds says. */
export const kindPermissions: readonly KindPermission[] = table.flatMap((kind) => {
  const { watched, verbs = [], isReported = false } = kind;
  const all = [...verbs, ...(watched === undefined ? [] : ['list', 'watch'])];
  return [
    ...(all.length === 0 ? [] : [{ kind, verbs: all }]),
    ...(isReported ? [{ kind, subresource: 'status' as const, verbs: ['patch'] }] : []),
  ];
});

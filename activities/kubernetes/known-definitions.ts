import { definitionName, type KindRef } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Definition } from '../../domain/kubernetes/definition.ts';
import { definitionOf } from './definition.ts';

/** Says what is known of the definition of a kind whose objects were just listed, in one namespace or in all. */
export type KnownDefinitions = (
  kind: KindRef,
  namespace: string | undefined,
  listed: readonly ListedObject[],
) => Promise<Definition>;

/** The part of an object that shows whether it is still there. */
export interface ListedObject {
  readonly metadata: { readonly uid?: string; readonly deletionTimestamp?: string | undefined };
}

interface Known {
  readonly at: number;
  readonly definition: Definition;
  /** The objects that were listed since. */
  readonly uids: Set<string>;
}

/** For how long a definition that was read counts for further lists, in milliseconds. */
const KNOWN_MS = 10_000;

/**
 * Reads definitions. One that was there to stay counts for some seconds more, as long as no list lacks an object of earlier
 * lists: a kind that loses its definition loses objects.
 */
export function knownDefinitions(
  client: Pick<KubernetesClient, 'get' | 'serves'>,
  clock: () => number = Date.now,
): KnownDefinitions {
  const known = new Map<string, Known>();
  const defined = new Set<string>();
  return async (kind, namespace, listed) => {
    const name = `${definitionName(kind)} ${namespace ?? ''}`;
    const now = clock();
    // Those that are being deleted count as gone (see `namedBy` in ../rollout/observe-cell.ts).
    const there = listed.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const uids = new Set(there.flatMap(({ metadata: { uid } }) => uid ?? []));
    const before = known.get(name);
    const isKnown = before !== undefined && now >= before.at && now - before.at <= KNOWN_MS;
    if (isKnown && [...before.uids].every((uid) => uids.has(uid))) {
      for (const uid of uids) before.uids.add(uid);
      return before.definition;
    }
    known.delete(name);
    const definition = await definitionOf(client, kind, defined.has(definitionName(kind)));
    if (definition.since !== undefined) defined.add(definitionName(kind));
    if (definition.isThere) {
      // Another list may have shown more while the definition was read.
      const read = { at: now, definition, uids: new Set([...uids, ...(known.get(name)?.uids ?? [])]) };
      known.set(name, read);
      setTimeout(() => known.get(name) === read && known.delete(name), KNOWN_MS).unref();
    }
    return definition;
  };
}

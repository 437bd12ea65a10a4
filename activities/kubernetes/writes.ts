import { given } from '../../domain/model/fields.ts';
import { mergePatch } from '../../domain/discovery/generated.ts';
import type { Problem } from '../../domain/discovery/sync-status.ts';
import { failure, toFailure } from '../failure.ts';
import type { Lifetime } from '../discovery/lifetime.ts';
import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import {
  isConflict,
  type Identified,
  type KubernetesClient,
  isNotFound,
} from '../../clients/kubernetes/kubernetes.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import type { Metadata } from '../../crds/resource.ts';
import { sameValue } from '../../domain/kubernetes/canonical.ts';

/** Deletes an object, unless it is another by now; with a version, unless it has changed. */
export async function remove(
  kubernetes: KubernetesClient,
  { kind, key }: { readonly kind: KindRef; readonly key: ObjectKey },
  uid: string,
  resourceVersion?: string,
): Promise<void> {
  try {
    await kubernetes.delete(kind, key, { uid, resourceVersion });
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}

/** An object as it was when its deletion was decided. */
type FoundToGo = Required<Pick<Metadata, 'uid' | 'resourceVersion' | 'ownerReferences'>>;

/** Deletes an object that a set has made, unless it is another by now, or someone has become one of its owners since it was found. */
export const removeAsFound = (
  kubernetes: Pick<KubernetesClient, 'get' | 'delete'>,
  { kind, key }: { readonly kind: KindRef; readonly key: ObjectKey },
  found: FoundToGo,
): Promise<void> =>
  retryOnConflict(async (attempt) => {
    // A status that was written meanwhile is no reason to stay.
    const now =
      attempt === 1 ? found : (await kubernetes.get<{ readonly metadata: Metadata }>(kind, key))?.metadata;
    const { uid, ownerReferences } = found;
    if (now?.uid !== uid || !sameValue(now.ownerReferences ?? [], ownerReferences)) return;
    await kubernetes.delete(kind, key, { uid, resourceVersion: now.resourceVersion ?? '' });
  });

/** One write of many, and what it is about in case that it fails. */
export interface Write {
  readonly object: { readonly kind: string; readonly name: string };
  readonly cluster?: string;
  readonly run: () => Promise<unknown>;
}

const AT_ONCE = 8;

/** Performs writes; one that fails is a problem, and holds no other up. Throws when the time is over. */
export async function performWrites(
  writes: readonly Write[],
  { assert }: Pick<Lifetime, 'assert'>,
): Promise<readonly Problem[]> {
  const problems: (Problem | undefined)[] = [];
  for (let begin = 0; begin < writes.length; begin += AT_ONCE) {
    // What an attempt that was given up has decided may be wrong by now.
    assert();
    problems.push(...(await Promise.all(writes.slice(begin, begin + AT_ONCE).map(perform))));
  }
  return problems.filter((one) => one !== undefined);
}

async function perform({ object: { kind, name }, cluster, run }: Write): Promise<Problem | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    const message = `cannot write ${kind} ${name}: ${toFailure(error).message} Retrying.`;
    return { ...given({ cluster }), object: name, reason: 'NotWritten', message };
  }
}

/** Finds the object that an earlier attempt has created, or creates it; undefined when it is deleted meanwhile. */
export async function createOnce<T extends Identified>(
  kubernetes: KubernetesClient,
  { kind, key }: { readonly kind: KindRef; readonly key: ObjectKey },
  build: () => Promise<T>,
): Promise<T | undefined> {
  const known = await kubernetes.get<T>(kind, key);
  if (known !== undefined) return known;
  const object = await build();
  try {
    return await kubernetes.create(object);
  } catch (error) {
    if (isConflict(error)) return kubernetes.get<T>(kind, key);
    throw error;
  }
}

/** Performs a write; refuses when someone has changed the object meanwhile, so that Okra looks at it again. */
export async function unlessChanged<T>(object: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isConflict(error)) throw failure('Unavailable', `${object} was changed meanwhile.`);
    throw error;
  }
}

/** How often something is written that something else comes before, an edit of the spec for one. */
const ATTEMPTS = 3;

/** Runs a read and write again on a conflict (`retry.RetryOnConflict` of client-go); attempts from 1. */
export async function retryOnConflict<T>(write: (attempt: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write(attempt);
    } catch (error) {
      if (!isConflict(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

type Json = Parameters<typeof mergePatch>[0];

const jsonOf = (spec: unknown): Json => JSON.parse(JSON.stringify(spec));

/** Takes out of an object what someone else has added to its spec, which a server-side apply that does not name it leaves there. */
export async function withoutOthers<T extends { readonly metadata: Metadata; readonly spec: unknown }>(
  kubernetes: Pick<KubernetesClient, 'patch'>,
  kind: KindRef,
  written: T,
  spec: object,
): Promise<T> {
  const { name, namespace = '', resourceVersion } = written.metadata;
  const others = mergePatch(jsonOf(written.spec), jsonOf(spec));
  if (Object.keys(others).length === 0) return written;
  return await kubernetes.patch<T>(
    kind,
    { namespace, name },
    { metadata: { resourceVersion }, spec: others },
  );
}

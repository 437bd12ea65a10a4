import { describe, expect, it } from 'vitest';
import { AWS_TARGET_GROUP, type KindRef } from '../../clients/kubernetes/kinds.ts';
import { KubernetesError, type DeleteOptions, type Key } from '../../clients/kubernetes/kubernetes.ts';
import { claimFor, ownedBy, type OwnerReferences } from './owner-references.ts';
import { removeAsFound } from './writes.ts';

const key = { namespace: 'shop', name: 'web' };
const setOf = (name: string) => ({ key: { namespace: 'shop', name }, uid: `uid-${name}` });
const ownerReferences = ownedBy('AWSTargetGroupSet', setOf('former'));
const found = { uid: 'u', resourceVersion: '1', ownerReferences };

interface Stored {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly ownerReferences: OwnerReferences;
}

/** An API server with one object, as it is by now. */
function having(object: Stored | undefined) {
  const stored = { object };
  const get = <T>() =>
    Promise.resolve(
      stored.object === undefined ? undefined : ({ metadata: { ...key, ...stored.object } } as T),
    );
  const remove = (_kind: KindRef, _key: Key, { uid, resourceVersion }: DeleteOptions = {}) => {
    const is = stored.object;
    if (is !== undefined && (is.uid !== uid || is.resourceVersion !== resourceVersion))
      return Promise.reject(new KubernetesError({ status: 409, reason: 'Conflict', message: 'Changed.' }));
    stored.object = undefined;
    return Promise.resolve();
  };
  return { stored, kubernetes: { get, delete: remove } };
}

const claimed = claimFor('AWSTargetGroupSet', setOf('next'), ownerReferences);

describe('an object that a set has made and does not want any more', () => {
  it.each<[string, Stored | undefined, boolean]>([
    ['goes', found, true],
    ['goes when it has another status since it was found', { ...found, resourceVersion: '2' }, true],
    ['may be gone', undefined, true],
    [
      'stays when another set has claimed it since it was found',
      { ...found, resourceVersion: '2', ownerReferences: claimed },
      false,
    ],
    ['stays when it is another of the name', { ...found, uid: 'v', resourceVersion: '2' }, false],
  ])('%s', async (_, object, isGone) => {
    const { stored, kubernetes } = having(object);
    await removeAsFound(kubernetes, { kind: AWS_TARGET_GROUP, key }, found);
    expect(stored.object === undefined).toBe(isGone);
  });
});

import { describe, expect, it } from 'vitest';
import { API_VERSION, GENERATED_ANNOTATION } from '../../domain/kubernetes/labels.ts';
import { readOwned } from './owned-objects.ts';
import { claimFor, inheritFor, ownedBy, releaseFrom } from '../kubernetes/owner-references.ts';

const set = (name: string) => ({ key: { namespace: 'shop', name }, uid: name });
const [former, latter] = [set('former'), set('latter')];
const owned = ownedBy('ClusterSet', former);
const claimed = claimFor('ClusterSet', latter, owned);
const left = releaseFrom(former, claimed);
const metadata = (ownerReferences: typeof owned, annotations: Record<string, string> = made) => ({
  namespace: 'shop',
  name: 'web1',
  resourceVersion: '1',
  annotations,
  ownerReferences,
});
const made = { [GENERATED_ANNOTATION]: ';' };

describe('an object that a set has made', () => {
  it.each([
    ['is that of who has made it', owned, { owner: 'former', heirs: [], isInherited: false }],
    [
      'stays so when another set claims it',
      claimed,
      { owner: 'former', heirs: ['latter'], isInherited: false },
    ],
    ['is that of the other when it is left', left, { owner: 'latter', heirs: [], isInherited: true }],
    [
      'is controlled by the other in the end',
      inheritFor('ClusterSet', latter, left),
      { owner: 'latter', heirs: [], isInherited: false },
    ],
    ["is nobody's without owners", [], { owner: undefined, heirs: [], isInherited: false }],
  ])('%s', (_, references, want) => {
    const { owner, heirs, isInherited } = readOwned(metadata(references));
    expect({ owner: owner?.uid, heirs, isInherited }).toEqual(want);
  });

  it('is claimed once, and without holding up the deletion of who claims it', () => {
    expect(claimFor('ClusterSet', latter, claimed)).toEqual(claimed);
    expect(claimed[1]).toMatchObject({
      apiVersion: API_VERSION,
      controller: false,
      blockOwnerDeletion: false,
    });
  });

  it('is not inherited when no set has made it', () => {
    expect(readOwned(metadata(left, {}))).toMatchObject({ isInherited: false });
    expect(readOwned(metadata(left, {})).owner).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import { isNamesake, keyInTag, ownershipOf, ownerTag } from './owner-tag.ts';

const key = { namespace: 'shop', name: 'web' };
const owner = { key, installation: 'a1b2' };

describe('the owner tag', () => {
  it('names the object and the installation', () => {
    expect(ownerTag(owner)).toBe('shop/web@a1b2');
  });

  it('fits into a tag of AWS, whatever the name, and still names the installation', () => {
    const long = { key: { namespace: 'n'.repeat(63), name: 'x'.repeat(253) }, installation: 'a1b2' };
    expect(ownerTag(long)).toMatch(/^n{63}\/x+@a1b2$/);
    expect(ownerTag(long)).toHaveLength(256);
  });

  it.each([
    ['of the object in this installation', 'shop/web@a1b2', 'Ours'],
    ['that names no installation', 'shop/web', 'Foreign'],
    ['of an object of this name in another installation', 'shop/web@c3d4', 'Foreign'],
    ['of another object in this installation', 'shop/api@a1b2', 'Foreign'],
    ['of an installation whose id begins alike', 'shop/web@a1b', 'Foreign'],
    ['that says nothing', '', 'Foreign'],
    ['that is not there', undefined, 'Nobodys'],
  ] as const)('%s: %s is %s', (_, tag, want) => {
    expect(ownershipOf(owner, tag)).toBe(want);
  });

  it.each([
    ['shop/web@a1b2', key],
    ['shop/web', key],
    ['shop', undefined],
    ['/web', undefined],
    ['a/b/c', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('names by %s the object %j', (tag, want) => {
    expect(keyInTag(tag)).toEqual(want);
  });

  it('knows a namesake in another installation', () => {
    expect(['shop/web@c3d4', 'shop/api@c3d4', 'x'].map((tag) => isNamesake(owner, tag))).toEqual([
      true,
      false,
      false,
    ]);
  });
});

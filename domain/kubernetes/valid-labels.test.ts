import { expect, it } from 'vitest';
import { validLabels } from './selector.ts';

it.each([
  ['a key and a value', { role: 'web' }],
  ['an empty value', { 'node-role.kubernetes.io/control-plane': '' }],
  ['the longest that there are', { [`${'a'.repeat(253)}/${'B'.repeat(63)}`]: 'c'.repeat(63) }],
  ['dots, dashes and underscores within', { 'a.b-c/d_e.F-1': 'x_y.Z-0' }],
])('keeps %s', (_, labels) => expect(validLabels(labels)).toEqual(labels));

it.each([
  ['a long value', { a: 'c'.repeat(64) }],
  ['a long name', { ['a'.repeat(64)]: '' }],
  ['a long prefix', { [`${'a'.repeat(254)}/a`]: '' }],
  ['a prefix in capitals', { 'A.b/c': '' }],
  ['two prefixes', { 'a/b/c': '' }],
  ['no name', { '': '', 'a/': '', '/a': '' }],
  ['other characters', { 'a b': '', a: 'ä', b: 'x\n', '-a': '', c: 'x.' }],
])('leaves out %s', (_, labels) => expect(validLabels({ ...labels, role: 'web' })).toEqual({ role: 'web' }));

it('keeps no more than any object has', () => {
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, 'v']));
  expect(Object.keys(validLabels(many))).toHaveLength(500);
});

it.each([undefined, null])('takes %s for none', (labels) => expect(validLabels(labels)).toEqual({}));

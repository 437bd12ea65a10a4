import { describe, expect, it } from 'vitest';
import { versionOf } from './version-label.ts';
import type { SelectingSpec } from './version-label.ts';
import type { Labels } from './selector.ts';

const listing = (...versionLabels: string[]): SelectingSpec => ({
  ingress: { awsApplicationLoadBalancer: { targetGroupSelector: { matchLabels: {}, versionLabels } } },
});

const table: [string, SelectingSpec, Labels, string | undefined][] = [
  ['the usual label counts by default', {}, { 'okra.mumo.co/version': '1.0.0' }, '1.0.0'],
  ['no label is no version', {}, { role: 'web' }, undefined],
  ['no labels are no version', {}, undefined, undefined],
  ['versionedBy names another label', { versionedBy: { label: 'team.io/v' } }, { 'team.io/v': '2' }, '2'],
  [
    'versionedBy puts the usual label out of use',
    { versionedBy: { label: 'team.io/v' } },
    { 'okra.mumo.co/version': '1.0.0' },
    undefined,
  ],
  ['the first listed label wins', listing('a', 'b'), { a: '1', b: '2' }, '1'],
  ['an absent label is passed over', listing('a', 'b'), { b: '2' }, '2'],
  ['an empty label is passed over', listing('a', 'b'), { a: '', b: '2' }, '2'],
  [
    'listed labels go before versionedBy',
    { ...listing('a'), versionedBy: { label: 'b' } },
    { a: '1', b: '2' },
    '1',
  ],
  ['an empty list is no list', { ...listing(), versionedBy: { label: 'b' } }, { a: '1', b: '2' }, '2'],
  ['a bad version is left as it is', {}, { 'okra.mumo.co/version': 'latest' }, 'latest'],
  [
    'a network load balancer lists its labels too',
    { ingress: { awsNetworkLoadBalancer: { targetGroupSelector: { versionLabels: ['a'] } } } },
    { a: '1' },
    '1',
  ],
];

describe('versionOf', () => {
  it.each(table)('%s', (_, spec, labels, want) => expect(versionOf(spec, labels)).toBe(want));
});

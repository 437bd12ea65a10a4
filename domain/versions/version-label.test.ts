import { describe, expect, it } from 'vitest';
import {
  labelledVersion,
  selectorOf,
  versionOf,
  type SelectingSpec,
  type VersionedGroup,
} from './version-label.ts';
import type { Labels } from '../kubernetes/selector.ts';

const listing = (...versionLabels: string[]): SelectingSpec => ({
  ingress: { awsApplicationLoadBalancer: { targetGroupSelector: { matchLabels: {}, versionLabels } } },
});

/** As the API server may have kept it. */
const listingAs = (versionLabels: unknown): SelectingSpec =>
  ({ ingress: { awsApplicationLoadBalancer: { targetGroupSelector: { versionLabels } } } }) as SelectingSpec;

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
  [
    'a text in place of a list, which no schema allows, is one label',
    listingAs('a'),
    { a: '1', 'okra.mumo.co/version': '2' },
    '1',
  ],
  ['what is neither is no list', listingAs({ length: 1 }), { 'okra.mumo.co/version': '2' }, '2'],
  ['a bad version is left as it is', {}, { 'okra.mumo.co/version': 'latest' }, 'latest'],
  [
    'a network load balancer lists its labels too',
    { ingress: { awsNetworkLoadBalancer: { targetGroupSelector: { versionLabels: ['a'] } } } },
    { a: '1' },
    '1',
  ],
  [
    'the block of a kind that is added lists its labels too',
    { ingress: { type: 'Route53', route53: { targetGroupSelector: { versionLabels: ['a'] } } } },
    { a: '1' },
    '1',
  ],
];

describe('selectorOf', () => {
  const selecting = { targetGroupSelector: { versionLabels: ['a'] } };
  it.each([
    [null, undefined],
    [{ awsApplicationLoadBalancer: { targetGroupSelector: null } }, undefined],
    [{ awsApplicationLoadBalancer: null, awsNetworkLoadBalancer: selecting }, selecting.targetGroupSelector],
  ])('takes what no schema allows for nothing: %j', (ingress, found) => {
    // As the API server may have kept it.
    const spec = { ingress } as unknown as SelectingSpec;
    expect(selectorOf(spec)).toEqual(found);
  });
});

describe('labelledVersion', () => {
  it.each(table)('%s', (_, spec, labels, want) => expect(labelledVersion(spec, labels)).toBe(want));
});

describe('versionOf', () => {
  const label = { 'okra.mumo.co/version': '1.0.0' };
  const tagged = { observedGeneration: 2, version: 'v2' };
  it.each<[string, SelectingSpec, Labels, VersionedGroup['status'], string | undefined]>([
    ['the label wins over the AWS tag', {}, label, tagged, '1.0.0'],
    ['a label that is no version wins as well', {}, { 'okra.mumo.co/version': 'latest' }, tagged, 'latest'],
    ['the AWS tag counts where no label is', {}, { role: 'web' }, tagged, 'v2'],
    ['the AWS tag counts where the label is empty', {}, { 'okra.mumo.co/version': '' }, tagged, 'v2'],
    ['the AWS tag counts where the label that is named is absent', listing('a'), label, tagged, 'v2'],
    [
      'the AWS tag of an ARN that was corrected is none',
      {},
      {},
      { ...tagged, observedGeneration: 1 },
      undefined,
    ],
    ['nothing says nothing', {}, {}, { observedGeneration: 2 }, undefined],
    ['no status says nothing', {}, {}, undefined, undefined],
  ])('%s', (_, spec, labels, status, want) =>
    expect(versionOf(spec, { metadata: { labels, generation: 2 }, status })).toBe(want),
  );
});

import { describe, expect, it } from 'vitest';
import type { AccessPolicy, AccessPolicySpec } from '../../crds/access-policy.ts';
import { API_VERSION } from '../../domain/kubernetes/labels.ts';
import { aCell, aGroup, settled, start, viewOf } from '../testing/builders.ts';
import { route } from './route.ts';

const aPolicy = (spec: AccessPolicySpec): AccessPolicy => ({
  apiVersion: API_VERSION,
  kind: 'AccessPolicy',
  metadata: { name: 'team' },
  spec,
});
const group = aGroup('web-1');
const conditions = [
  {
    type: 'Progressing',
    status: 'False' as const,
    reason: 'Settled',
    message: '',
    lastTransitionTime: '2026-11-22T00:00:00Z',
  },
];
const idle = settled(aCell('web'), [group], { conditions });
const closing = aPolicy({ namespaces: ['default'] });
const allowing = aPolicy({ namespaces: ['default'], targetGroups: ['arn:web-*'] });
const check = { do: 'CheckTargetGroups', namespace: 'default' };

describe('an AccessPolicy', () => {
  it.each([
    ['that lets a Cell use what it selects, as before', [allowing], allowing, [check]],
    ['that refuses a Cell what it selects', [closing], closing, [start('web'), check]],
  ])('%s', (_, policies, object, want) => {
    const view = viewOf({ cells: [idle], groups: [group], policies });
    expect(route({ kind: 'AccessPolicy', event: { type: 'add', object } }, view)).toEqual(want);
  });

  it('that goes wakes those that it was about, and a rollout that is under way', () => {
    const view = viewOf({ cells: [aCell('web')], groups: [group] });
    const event = { type: 'delete', object: closing } as const;
    expect(route({ kind: 'AccessPolicy', event }, view)).toEqual([start('web'), check]);
  });

  it.each([
    ['now', aPolicy({ namespaces: ['def*'] }), aPolicy({ namespaces: ['bank'] })],
    ['before', aPolicy({ namespaces: ['bank'] }), aPolicy({ namespaces: ['*'] })],
  ])('that was about others is told to those that it is about %s', (_, object, old) => {
    const view = viewOf({ groups: [group] });
    expect(route({ kind: 'AccessPolicy', event: { type: 'update', object, old } }, view)).toEqual([check]);
  });

  it('that does not say of which namespaces it is wakes all', () => {
    const object = { ...closing, spec: {} as AccessPolicySpec };
    const view = viewOf({ cells: [idle], groups: [group], policies: [object] });
    expect(route({ kind: 'AccessPolicy', event: { type: 'add', object } }, view)).toEqual([
      start('web'),
      check,
    ]);
  });

  it('of other namespaces wakes nobody', () => {
    const object = aPolicy({ namespaces: ['bank', 'default-*'] });
    const view = viewOf({ cells: [aCell('web')], groups: [group] });
    expect(route({ kind: 'AccessPolicy', event: { type: 'add', object } }, view)).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import type { Freeze } from '../../crds/freeze.ts';
import { API_VERSION } from '../../domain/kubernetes/labels.ts';
import { aCell, signal, viewOf } from '../testing/builders.ts';
import { route } from './route.ts';

const aFreeze = (...namespaces: string[]): Freeze => ({
  apiVersion: API_VERSION,
  kind: 'Freeze',
  metadata: { name: 'year-end' },
  spec: { by: 'ops', reason: 'Christmas', ...(namespaces.length === 0 ? {} : { namespaces }) },
});
const progressing = (status: 'True' | 'False') => ({
  conditions: [
    {
      type: 'Progressing',
      status,
      reason: 'ShiftingTraffic',
      message: '',
      lastTransitionTime: '2026-11-21T00:00:00Z',
    },
  ],
});
const view = viewOf({
  cells: [aCell('busy', progressing('True')), aCell('idle', progressing('False')), aCell('fresh')],
});
const concerned = [signal('cell/default/busy', 'changed'), signal('cell/default/fresh', 'changed')];

describe('a Freeze', () => {
  it.each([
    ['comes', { type: 'add', object: aFreeze() } as const],
    ['goes', { type: 'delete', object: aFreeze('default') } as const],
    ['cannot be read', { type: 'add', object: { ...aFreeze(), spec: undefined as never } } as const],
    ['is about others from now on', { type: 'update', object: aFreeze('bank'), old: aFreeze() } as const],
  ])('that %s wakes the rollouts that may be under way', (_, event) => {
    expect(route({ kind: 'Freeze', event }, view)).toEqual(concerned);
  });

  it('of other namespaces wakes nobody', () => {
    const event = { type: 'add', object: aFreeze('bank') } as const;
    expect(route({ kind: 'Freeze', event }, view)).toEqual([]);
  });
});

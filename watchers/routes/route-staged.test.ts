import { describe, expect, it } from 'vitest';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import { aSpec } from '../../domain/staged/testing/world.ts';
import { aCell, signal, viewOf } from '../testing/builders.ts';
import { route } from './route.ts';

const aPolicy = (
  name: string,
  metadata: object = {},
  stage: Parameters<typeof aSpec>[0][number] = {},
): StagedBindingPolicy => ({
  apiVersion: 'community.kubestellar.io/v1alpha1',
  kind: 'StagedBindingPolicy',
  metadata: { name, generation: 1, ...metadata },
  spec: aSpec([stage]),
});
const start = (name: string) => ({
  do: 'Start',
  kind: 'StagedBindingPolicy',
  key: { namespace: '', name },
});
const wake = (name: string) => signal(`staged-binding-policy/${name}`, 'changed');
const view = viewOf({
  staged: [
    aPolicy('web'),
    aPolicy('web-eu'),
    aPolicy('with-cell', {}, { cell: { namespace: 'default', name: 'shop' } }),
  ],
});

describe('a StagedBindingPolicy', () => {
  it.each([
    ['that comes is started', { type: 'add', object: aPolicy('web') } as const, [start('web')]],
    ['that goes looks again', { type: 'delete', object: aPolicy('web') } as const, [wake('web')]],
    [
      'whose spec is edited is started',
      { type: 'update', object: aPolicy('web', { generation: 2 }), old: aPolicy('web') } as const,
      [start('web')],
    ],
    [
      'that is being deleted is started, which may have to take away what is elsewhere',
      {
        type: 'update',
        object: aPolicy('web', { deletionTimestamp: '2026-11-22T08:00:00Z' }),
        old: aPolicy('web'),
      } as const,
      [start('web')],
    ],
    [
      'whose status is written is left alone',
      { type: 'update', object: aPolicy('web'), old: aPolicy('web') } as const,
      [],
    ],
  ])('%s', (_, event, want) => {
    expect(route({ kind: 'StagedBindingPolicy', event }, view)).toEqual(want);
  });

  it('hears of the objects of KubeStellar that bear its name', () => {
    const of = (
      kind: 'Binding' | 'BindingPolicy' | 'CombinedStatus',
      metadata: { name: string; labels?: Record<string, string> },
    ) => route({ kind, event: { type: 'add', object: { metadata } } }, view);
    expect(of('Binding', { name: 'web-dev' })).toEqual([start('web')]);
    // Both could have made it; who has not finds nothing new.
    expect(of('BindingPolicy', { name: 'web-eu-dev' })).toEqual([start('web'), start('web-eu')]);
    const labels = { 'status.kubestellar.io/binding-policy': 'web-dev' };
    expect(of('CombinedStatus', { name: 'uid.uid', labels })).toEqual([start('web')]);
    expect(of('Binding', { name: 'other' })).toEqual([]);
  });

  it.each([
    ['that KubeStellar has not taken up yet', 'add', { metadata: { name: 'web-dev', generation: 1 } }, false],
    [
      'that KubeStellar has taken up before an edit',
      'add',
      { metadata: { name: 'web-dev', generation: 2 }, status: { observedGeneration: 1 } },
      false,
    ],
    [
      'that KubeStellar has taken up',
      'add',
      { metadata: { name: 'web-dev', generation: 2 }, status: { observedGeneration: 2 } },
      true,
    ],
    ['that is gone', 'delete', { metadata: { name: 'web-dev', generation: 1 } }, true],
  ] as const)('hears of a Binding %s only when there is something to see', (_, type, object, isHeard) => {
    expect(route({ kind: 'Binding', event: { type, object } }, view)).toMatchObject(
      isHeard ? [start('web')] : [],
    );
  });

  it('hears of the Cell that a stage waits for', () => {
    const event = (name: string) => ({ type: 'delete', object: aCell(name) }) as const;
    expect(route({ kind: 'Cell', event: event('shop') }, view)).toContainEqual(wake('with-cell'));
    expect(route({ kind: 'Cell', event: event('other') }, view)).not.toContainEqual(wake('with-cell'));
  });

  it('hears of every Freeze', () => {
    const object = {
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'Freeze',
      metadata: { name: 'f' },
      spec: { by: 'ops', reason: 'x' },
    };
    expect(route({ kind: 'Freeze', event: { type: 'add', object } }, view)).toEqual(
      expect.arrayContaining([wake('web'), wake('web-eu')]),
    );
  });
});

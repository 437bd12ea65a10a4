import { describe, expect, it } from 'vitest';
import type { AWSApplicationLoadBalancerConfig } from '../crds/aws-application-load-balancer-config.ts';
import type { CellStatus } from '../crds/cell.ts';
import { aCell, aConfig, aNetworkConfig, LISTENER, settled, signal, start, viewOf } from './builders.ts';
import type { Instruction } from './instruction.ts';
import { route } from './route.ts';

const ignored = [{ do: 'Ignore', reason: expect.any(String) as string }];

const startConfig: Instruction = {
  do: 'Start',
  workflow: 'loadBalancerConfig',
  type: 'AWSApplicationLoadBalancer',
  key: { namespace: 'default', name: 'web' },
};

describe('an AWSApplicationLoadBalancerConfig', () => {
  const KIND = 'AWSApplicationLoadBalancerConfig';

  it('that is applied has its listener watched when it is seen first', () => {
    expect(route({ kind: KIND, event: { type: 'add', object: aConfig() } }, viewOf({}))).toEqual([
      { do: 'Watch', type: 'AWSApplicationLoadBalancer', listenerARN: LISTENER },
    ]);
  });

  it('that is not applied yet starts its writer', () => {
    const object = aConfig({ generation: 2 });
    expect(route({ kind: KIND, event: { type: 'update', object, old: aConfig() } }, viewOf({}))).toEqual([
      startConfig,
    ]);
  });

  it('that moves to another listener has that one watched', () => {
    const object = aConfig({ generation: 2, listenerARN: 'arn:other' });
    expect(route({ kind: KIND, event: { type: 'update', object, old: aConfig() } }, viewOf({}))).toEqual([
      startConfig,
      { do: 'Watch', type: 'AWSApplicationLoadBalancer', listenerARN: 'arn:other' },
    ]);
  });

  it('that is gone tells its writer, if there is one', () => {
    expect(route({ kind: KIND, event: { type: 'delete', object: aConfig() } }, viewOf({}))).toEqual([
      signal('load-balancer/default/web', 'changed'),
    ]);
  });

  it('that is deleted by hand has the Cell make it anew, which does nothing when the Cell is being deleted', () => {
    const event = { type: 'delete' as const, object: aConfig() };
    const told = signal('load-balancer/default/web', 'changed');
    const cell = aCell('web', { phase: 'Completed' });
    expect(route({ kind: KIND, event }, viewOf({ cells: [cell] }))).toEqual([told, start('web')]);
    const going = { ...cell, metadata: { ...cell.metadata, deletionTimestamp: '2026-11-20T00:00:00Z' } };
    expect(route({ kind: KIND, event }, viewOf({ cells: [going] }))).toEqual([told]);
  });

  it('that was deleted while nobody watched has the Cell that serves make it anew', () => {
    const cell = settled(
      aCell('web', {
        targetGroups: [{ name: 'a', arn: 'arn:a', version: '1.0.0', role: 'Stable', weight: 100 }],
      }),
      [],
      {
        targetGroups: [{ name: 'a', arn: 'arn:a', version: '1.0.0', role: 'Stable', weight: 100 }],
      },
    );
    const seen = { kind: 'Cell' as const, event: { type: 'add' as const, object: cell } };
    expect(route(seen, viewOf({ cells: [cell] }))).toEqual([start('web')]);
    expect(route(seen, viewOf({ cells: [cell], configs: [aConfig()] }))).toEqual(ignored);
  });

  it('that may take over what it may not have taken over before starts its writer', () => {
    const object = aConfig();
    const adopting = {
      ...object,
      metadata: { ...object.metadata, annotations: { 'okra.mumo.co/adopt': 'true' } },
    };
    expect(
      route({ kind: KIND, event: { type: 'update', object: adopting, old: object } }, viewOf({})),
    ).toEqual([startConfig]);
  });

  it('of a Network Load Balancer has a writer and a watch of its own', () => {
    const object = aNetworkConfig({ generation: 2 });
    const type = 'AWSNetworkLoadBalancer';
    expect(
      route({ kind: 'AWSNetworkLoadBalancerConfig', event: { type: 'add', object } }, viewOf({})),
    ).toEqual([
      { ...startConfig, type },
      { do: 'Watch', type, listenerARN: object.spec.listenerARN },
    ]);
    expect(
      route({ kind: 'AWSNetworkLoadBalancerConfig', event: { type: 'delete', object } }, viewOf({})),
    ).toEqual([signal('network-load-balancer/default/web', 'changed')]);
  });

  const degraded: CellStatus = {
    phase: 'Progressing',
    conditions: [
      {
        type: 'Degraded',
        status: 'True',
        reason: 'Conflict',
        message: '',
        lastTransitionTime: '2026-11-20T00:00:00Z',
      },
    ],
  };
  const verdicts: [string, CellStatus, AWSApplicationLoadBalancerConfig, boolean][] = [
    [
      'becomes ready under a Cell that failed',
      { phase: 'Failed' },
      aConfig({ ready: ['False', 'Conflict'] }),
      true,
    ],
    [
      'changes its reason under a Cell that failed',
      { phase: 'FailedReverting' },
      aConfig({ ready: ['True', 'Old'] }),
      true,
    ],
    ['becomes ready under a degraded Cell', degraded, aConfig({ ready: ['False', 'Conflict'] }), true],
    [
      'becomes ready under a healthy Cell',
      { phase: 'Progressing' },
      aConfig({ ready: ['False', 'Conflict'] }),
      false,
    ],
    [
      'becomes ready under a settled Cell',
      { phase: 'Completed' },
      aConfig({ ready: ['False', 'Conflict'] }),
      false,
    ],
    ['stays as it was under a Cell that failed', { phase: 'Failed' }, aConfig(), false],
  ];
  it.each(verdicts)('that %s tells the rollout when that may wait for it', (_, status, old, told) => {
    const view = viewOf({ cells: [aCell('web', status)] });
    expect(route({ kind: KIND, event: { type: 'update', object: aConfig(), old } }, view)).toEqual(
      told ? [signal('cell/default/web', 'statusReported')] : ignored,
    );
  });
});

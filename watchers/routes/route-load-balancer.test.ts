import { describe, expect, it } from 'vitest';
import type { AWSApplicationLoadBalancerConfig } from '../../crds/load-balancers/application-load-balancer.ts';
import {
  aCell,
  aConfig,
  aNetworkConfig,
  LISTENER,
  settled,
  signal,
  start,
  viewOf,
} from '../testing/builders.ts';
import type { Instruction } from '../instruction.ts';
import { route } from './route.ts';

const startConfig: Instruction = {
  do: 'Start',
  kind: 'AWSApplicationLoadBalancerConfig',
  key: { namespace: 'default', name: 'web' },
};

describe('an AWSApplicationLoadBalancerConfig', () => {
  const KIND = 'AWSApplicationLoadBalancerConfig';

  it('that is applied has its listener watched when it is seen first', () => {
    expect(route({ kind: KIND, event: { type: 'add', object: aConfig() } }, viewOf({}))).toEqual([
      { do: 'Watch', type: 'AWSApplicationLoadBalancer', place: LISTENER },
    ]);
  });

  it('of nobody that is not applied yet starts the workflow of its own', () => {
    const object = aConfig({ generation: 2, owned: false });
    const old = aConfig({ owned: false });
    expect(route({ kind: KIND, event: { type: 'update', object, old } }, viewOf({}))).toEqual([startConfig]);
  });

  const calm = settled(aCell('web'), [], {
    conditions: [
      {
        type: 'Progressing',
        status: 'False',
        reason: 'x',
        message: '',
        lastTransitionTime: '2026-11-20T00:00:00Z',
      },
    ],
  });

  it.each<[string, AWSApplicationLoadBalancerConfig, AWSApplicationLoadBalancerConfig, readonly unknown[]]>([
    ['that someone has edited by hand wakes its Cell', aConfig({ generation: 2 }), aConfig(), [start('web')]],
    ['that its Cell has written wakes nobody', aConfig({ generation: 2, sequence: 2 }), aConfig(), []],
    ['that its Cell has reported on wakes nobody', aConfig(), aConfig({ observed: 0 }), []],
  ])('%s', (_, object, old, want) => {
    expect(route({ kind: KIND, event: { type: 'update', object, old } }, viewOf({ cells: [calm] }))).toEqual(
      want,
    );
  });

  it('that is seen first and not applied wakes its Cell, unless that is at work', () => {
    const event = { type: 'add' as const, object: aConfig({ generation: 2 }) };
    const watch = { do: 'Watch', type: 'AWSApplicationLoadBalancer', place: LISTENER };
    expect(route({ kind: KIND, event }, viewOf({ cells: [calm] }))).toEqual([start('web'), watch]);
    expect(route({ kind: KIND, event }, viewOf({ cells: [aCell('web')] }))).toEqual([watch]);
    expect(route({ kind: KIND, event }, viewOf({}))).toEqual([start('web'), watch]);
  });

  it('that is being deleted wakes its Cell, though that is gone', () => {
    const { metadata, ...rest } = aConfig();
    const object = { ...rest, metadata: { ...metadata, deletionTimestamp: '2026-11-20T00:00:00Z' } };
    const event = { type: 'update' as const, object, old: aConfig() };
    expect(route({ kind: KIND, event }, viewOf({}))).toEqual([start('web')]);
  });

  it('that moves to another listener has that one watched', () => {
    const object = aConfig({ generation: 2, listenerARN: 'arn:other', owned: false });
    const old = aConfig({ owned: false });
    expect(route({ kind: KIND, event: { type: 'update', object, old } }, viewOf({}))).toEqual([
      startConfig,
      { do: 'Watch', type: 'AWSApplicationLoadBalancer', place: 'arn:other' },
    ]);
  });

  it('of nobody that is gone tells its writer, if there is one', () => {
    expect(
      route({ kind: KIND, event: { type: 'delete', object: aConfig({ owned: false }) } }, viewOf({})),
    ).toEqual([signal('load-balancer/default/web', 'changed')]);
  });

  it('that is deleted by hand has the Cell make it again, which does nothing when the Cell is being deleted', () => {
    const event = { type: 'delete' as const, object: aConfig() };
    const cell = aCell('web', { phase: 'Completed' });
    expect(route({ kind: KIND, event }, viewOf({ cells: [cell] }))).toEqual([start('web')]);
    const going = { ...cell, metadata: { ...cell.metadata, deletionTimestamp: '2026-11-20T00:00:00Z' } };
    expect(route({ kind: KIND, event }, viewOf({ cells: [going] }))).toEqual([]);
  });

  it('that was deleted while nobody watched has the Cell that serves make it again', () => {
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
    expect(route(seen, viewOf({ cells: [cell], configs: [aConfig()] }))).toEqual([]);
  });

  it('that may take over what it may not have taken over before starts its writer', () => {
    const object = aConfig({ owned: false });
    const adopting = {
      ...object,
      metadata: {
        ...object.metadata,
        annotations: { ...object.metadata.annotations, 'okra.mumo.co/adopt': 'true' },
      },
    };
    expect(
      route({ kind: KIND, event: { type: 'update', object: adopting, old: object } }, viewOf({})),
    ).toEqual([startConfig]);
  });

  it('of a Network Load Balancer has a writer and a watch of its own', () => {
    const object = aNetworkConfig({ generation: 2, owned: false });
    const type = 'AWSNetworkLoadBalancer';
    expect(
      route({ kind: 'AWSNetworkLoadBalancerConfig', event: { type: 'add', object } }, viewOf({})),
    ).toEqual([
      { ...startConfig, kind: 'AWSNetworkLoadBalancerConfig' },
      { do: 'Watch', type, place: object.spec.listenerARN },
    ]);
    expect(
      route({ kind: 'AWSNetworkLoadBalancerConfig', event: { type: 'delete', object } }, viewOf({})),
    ).toEqual([signal('network-load-balancer/default/web', 'changed')]);
  });
});

import { describe, expect, it } from 'vitest';
import type { AWSApplicationLoadBalancerConfig } from '../crds/aws-application-load-balancer-config.ts';
import type { CellStatus } from '../crds/cell.ts';
import { aCell, aConfig, LISTENER, signal, viewOf } from './builders.ts';
import type { Instruction } from './instruction.ts';
import { route } from './route.ts';

const ignored = [{ do: 'Ignore', reason: expect.any(String) as string }];

const startConfig: Instruction = {
  do: 'Start',
  workflow: 'loadBalancerConfig',
  key: { namespace: 'default', name: 'web' },
};

describe('an AWSApplicationLoadBalancerConfig', () => {
  const KIND = 'AWSApplicationLoadBalancerConfig';

  it('that is applied has its listener watched when it is seen first', () => {
    expect(route({ kind: KIND, event: { type: 'add', object: aConfig() } }, viewOf({}))).toEqual([
      { do: 'Watch', listenerARN: LISTENER },
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
      { do: 'Watch', listenerARN: 'arn:other' },
    ]);
  });

  it('that is gone tells its writer, if there is one', () => {
    expect(route({ kind: KIND, event: { type: 'delete', object: aConfig() } }, viewOf({}))).toEqual([
      signal('load-balancer/default/web', 'changed'),
    ]);
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

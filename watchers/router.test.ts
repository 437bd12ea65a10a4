import { describe, expect, it } from 'vitest';
import type { Cell } from '../crds/cell.ts';
import { noLog } from './fakes.ts';
import { createRouter } from './router.ts';
import type { Instruction } from './instruction.ts';

const cell = (name: string): Cell => ({
  apiVersion: 'okra.mumo.co/v1alpha1',
  kind: 'Cell',
  metadata: { namespace: 'default', name },
  spec: {
    ingress: { type: 'AWSApplicationLoadBalancer' },
    replicas: 1,
    minHealthyTargets: 1,
    healthTimeout: '10m',
    settle: '0s',
  },
});

function aRouter() {
  const given: Instruction[] = [];
  return { given, ...createRouter((instruction) => given.push(instruction), noLog) };
}

const start = (name: string): Instruction => ({
  do: 'Start',
  workflow: 'cellRollout',
  key: { namespace: 'default', name },
});

describe('the router', () => {
  it('routes nothing before everything is known', () => {
    const router = aRouter();
    router.take({ kind: 'Cell', event: { type: 'add', object: cell('web') } });
    expect(router.given).toEqual([]);
  });

  it('routes what is known once, and then each event', () => {
    const router = aRouter();
    router.take({ kind: 'Cell', event: { type: 'add', object: cell('web') } });
    router.replay();
    expect(router.given).toEqual([start('web')]);
    router.take({ kind: 'Cell', event: { type: 'add', object: cell('api') } });
    expect(router.given).toEqual([start('web'), start('api')]);
  });

  it('does not route what is gone by the time everything is known', () => {
    const router = aRouter();
    router.take({ kind: 'Cell', event: { type: 'add', object: cell('web') } });
    router.take({ kind: 'Cell', event: { type: 'delete', object: cell('web') } });
    router.replay();
    expect(router.given).toEqual([]);
  });

  it('is not stopped by an object of a form that no schema allows', () => {
    const router = aRouter();
    const { spec: _none, ...broken } = cell('broken');
    router.replay();
    router.take({ kind: 'Cell', event: { type: 'add', object: broken as Cell } });
    router.take({ kind: 'Cell', event: { type: 'add', object: cell('web') } });
    expect(router.given).toEqual([start('web')]);
  });
});

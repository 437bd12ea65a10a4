import { describe, expect, it, vi } from 'vitest';
import type { Cell } from '../crds/cell.ts';
import { temporalId } from '../clients/temporal/workflow-id.ts';
import { objectWorkflowId } from '../domain/model/workflow-ids.ts';
import { aCell, aConfig, aGroup, settled } from './testing/builders.ts';
import { noLog } from './testing/fakes.ts';
import type { KindEvent } from './kinds.ts';
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
  kind: 'Cell',
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

  describe('knows whether there is the object of a workflow:', () => {
    const namespace = 'n'.repeat(63);
    const configId = (name: string): string =>
      temporalId(objectWorkflowId('AWSApplicationLoadBalancerConfig', { namespace, name }));
    const long = (last: string): string => `${'o'.repeat(252)}${last}`;
    const router = aRouter();
    router.take({ kind: 'Cell', event: { type: 'add', object: cell('web') } });
    for (const name of ['web', long('a')]) {
      const object = { ...aConfig(), metadata: { namespace, name } };
      router.take({ kind: 'AWSApplicationLoadBalancerConfig', event: { type: 'add', object } });
    }

    it.each([
      ['a Cell', 'cell/default/web', true],
      ['a Cell that is gone', 'cell/default/gone', false],
      ['a Cell of another namespace', 'cell/other/web', false],
      ['a configuration', configId('web'), true],
      ['a configuration that is gone', configId('gone'), false],
      ['one whose id is too long for Temporal', configId(long('a')), true],
      ['one whose id is as long, and that is gone', configId(long('b')), false],
      [
        'one of another kind',
        temporalId(objectWorkflowId('AWSTargetGroupSet', { namespace, name: long('a') })),
        false,
      ],
      ['nothing that Okra has made', 'stray', undefined],
    ])('%s', (_, id, want) => expect(router.knows(id)).toBe(want));
  });

  it('is not stopped by an object of a form that no schema allows', () => {
    const router = aRouter();
    const { spec: _none, ...broken } = cell('broken');
    router.replay();
    router.take({ kind: 'Cell', event: { type: 'add', object: broken as Cell } });
    router.take({ kind: 'Cell', event: { type: 'add', object: cell('web') } });
    expect(router.given).toEqual([start('web')]);
  });

  describe.each([
    'AccessPolicy',
    'Freeze',
    'StagedBindingPolicy',
    'ClusterSet',
    'AWSTargetGroupSet',
  ] as const)('is not stopped by one %s of a form that its schema does not allow:', (kind) => {
    it.each([
      ['without a spec', {}],
      ['without what is required', { spec: {} }],
      ['with other types', { spec: { namespaces: 'default', stages: 'all', space: 1, generators: 1 } }],
      [
        'with lists of other types',
        { spec: { namespaces: [1], stages: [1, { cell: 1 }], targetGroups: [1] } },
      ],
    ])('%s', (_, rest) => {
      const router = aRouter();
      const object = { metadata: { name: 'odd', namespace: 'default', uid: 'u' }, ...rest };
      // The API server serves what it has stored, whatever the schema is by now.
      router.take({ kind, event: { type: 'add', object } } as unknown as KindEvent);
      router.replay();
      router.given.splice(0);
      router.take({ kind: 'Cell', event: { type: 'add', object: aCell('web') } });
      router.take({ kind: 'AWSTargetGroup', event: { type: 'add', object: aGroup('web-1') } });
      expect(router.given.filter((one) => one.do === 'Start' && one.kind === 'Cell')).toEqual([
        start('web'),
        start('web'),
      ]);
    });
  });
});

describe('a replay of many Cells in one namespace', () => {
  it('compares each with its own target groups, and not with those of all', () => {
    const router = aRouter();
    const count = 200;
    for (let index = 0; index < count; index += 1) {
      const app = `app-${index}`;
      const own = aGroup(app, { role: app });
      router.take({ kind: 'AWSTargetGroup', event: { type: 'add', object: own } });
      router.take({ kind: 'Cell', event: { type: 'add', object: settled(aCell(app), [own]) } });
    }
    const { AWSTargetGroup: groups } = router.view;
    const [found, listed] = [vi.spyOn(groups, 'under'), vi.spyOn(groups, 'list')];
    router.replay();
    expect(router.given.filter((one) => one.do === 'Start')).toEqual([]);
    const compared = [...found.mock.results, ...listed.mock.results].flatMap(
      ({ value }) => value as unknown[],
    );
    // Each Cell has one, and the namespaces are gathered once from all.
    expect(compared).toHaveLength(2 * count);
  });
});

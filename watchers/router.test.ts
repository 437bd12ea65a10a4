import { describe, expect, it, vi } from 'vitest';
import type { AccessPolicy } from '../crds/access-policy.ts';
import type { AWSTargetGroup } from '../crds/aws-target-group.ts';
import type { AWSTargetGroupBinding } from '../crds/aws-target-group-binding.ts';
import type { AWSTargetGroupSet } from '../crds/aws-target-group-set.ts';
import type { Cell } from '../crds/cell.ts';
import { temporalId } from '../clients/temporal/workflow-start.ts';
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

  describe('finds the object of a workflow:', () => {
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
    ])('%s', (_, id, want) =>
      expect(router.objectOf(id) && router.objectOf(id)?.object !== undefined).toBe(want),
    );
  });

  it('is not stopped by an object of a form that no schema allows', () => {
    const router = aRouter();
    const { spec: _none, ...broken } = cell('broken');
    router.replay();
    router.take({ kind: 'Cell', event: { type: 'add', object: broken as Cell } });
    router.take({ kind: 'Cell', event: { type: 'add', object: cell('web') } });
    expect(router.given).toEqual([start('web')]);
  });

  const clusterSelector = { matchLabels: { env: 'prod' } };
  const identity = (name: string) => ({ namespace: 'default', name, uid: name, resourceVersion: '1' });
  const set: AWSTargetGroupSet = {
    apiVersion: 'okra.mumo.co/v1alpha1',
    kind: 'AWSTargetGroupSet',
    metadata: identity('set'),
    spec: { generators: [{ awseks: { clusterSelector } }] },
  };
  const binding = {
    apiVersion: 'okra.mumo.co/v1alpha1',
    kind: 'AWSTargetGroupBinding',
    metadata: identity('binding'),
    spec: { targets: [{ name: 'a', port: 80, clusterSelector }] },
  } as unknown as AWSTargetGroupBinding;
  const secret = {
    metadata: {
      ...identity('c1'),
      labels: { 'argocd.argoproj.io/secret-type': 'cluster', env: 'prod', 'okra.mumo.co/cell': 'odd' },
    },
    data: { name: btoa('c1'), server: btoa('https://c1.example.com'), config: btoa('{}') },
  };
  const group = aGroup('web-1', { role: 'web', 'okra.mumo.co/cell': 'odd' });
  const policy: AccessPolicy = {
    apiVersion: 'okra.mumo.co/v1alpha1',
    kind: 'AccessPolicy',
    metadata: { name: 'all' },
    spec: { namespaces: ['*'] },
  };

  it('says which object cannot be read, and once', () => {
    const errors: object[] = [];
    const log = { ...noLog, debug: () => undefined, error: (of: object) => void errors.push(of) };
    const router = createRouter(() => undefined, log);
    const { spec: _none, ...broken } = cell('broken');
    router.take({ kind: 'Cell', event: { type: 'add', object: broken as Cell } });
    router.replay();
    errors.splice(0);
    for (const name of ['web-1', 'web-2'])
      router.take({ kind: 'AWSTargetGroup', event: { type: 'add', object: aGroup(name) } });
    expect(errors).toMatchObject([{ kind: 'Cell', namespace: 'default', name: 'broken' }]);
  });

  it('says which AWSTargetGroup names no ARN, and once', () => {
    const errors: object[] = [];
    const log = { ...noLog, debug: () => undefined, error: (of: object) => void errors.push(of) };
    const router = createRouter(() => undefined, log);
    const { spec: _none, ...broken } = aGroup('broken');
    router.take({ kind: 'AWSTargetGroup', event: { type: 'add', object: broken as AWSTargetGroup } });
    router.take({ kind: 'Cell', event: { type: 'add', object: aCell('web') } });
    router.replay();
    router.take({ kind: 'AWSTargetGroup', event: { type: 'add', object: aGroup('web-2') } });
    router.take({
      kind: 'AWSTargetGroup',
      event: { type: 'delete', object: { ...broken } as AWSTargetGroup },
    });
    expect(errors).toMatchObject([{ kind: 'AWSTargetGroup', namespace: 'default', name: 'broken' }]);
  });

  it('starts the other Cells of a target group, although one of them cannot be compared with what it selects', () => {
    const selecting = (name: string, status: object = {}): Cell => {
      const { spec, ...rest } = aCell(name);
      const targetGroupSelector = { matchLabels: { env: 'prod' } };
      const ingress = { ...spec.ingress, awsApplicationLoadBalancer: { targetGroupSelector } };
      return { ...rest, status, spec: { ...spec, ingress } as unknown as Cell['spec'] };
    };
    const router = aRouter();
    for (const object of [selecting('odd', { blockedVersions: 7 }), selecting('web')])
      router.take({ kind: 'Cell', event: { type: 'add', object } });
    router.replay();
    router.given.splice(0);
    const object = aGroup('web-2', { role: 'web', env: 'prod' });
    router.take({ kind: 'AWSTargetGroup', event: { type: 'add', object } });
    expect(router.given.filter(({ do: what }) => what === 'Start')).toEqual([start('web')]);
  });

  it('starts a Cell that says in no possible way what it selects, so that its status says so', () => {
    const { spec, ...rest } = aCell('odd');
    const targetGroupSelector = { matchLabels: { env: 'prod' }, versionLabels: 'version' };
    const ingress = { ...spec.ingress, awsApplicationLoadBalancer: { targetGroupSelector } };
    const router = aRouter();
    router.take({ kind: 'AWSTargetGroup', event: { type: 'add', object: aGroup('web', { env: 'prod' }) } });
    const object = { ...rest, spec: { ...spec, ingress } as unknown as Cell['spec'] };
    router.take({ kind: 'Cell', event: { type: 'add', object } });
    router.replay();
    expect(router.given).toContainEqual(start('odd'));
  });

  it('starts a Cell, although one of the target groups that it selects names no ARN', () => {
    const { spec: _none, ...broken } = aGroup('broken');
    const router = aRouter();
    router.take({ kind: 'AWSTargetGroup', event: { type: 'add', object: broken as AWSTargetGroup } });
    router.take({ kind: 'Cell', event: { type: 'add', object: aCell('web') } });
    router.replay();
    expect(router.given).toContainEqual(start('web'));
    router.given.splice(0);
    router.take({ kind: 'AWSTargetGroup', event: { type: 'add', object: aGroup('web-2') } });
    expect(router.given).toContainEqual(start('web'));
  });

  describe.each([
    'AccessPolicy',
    'Freeze',
    'StagedBindingPolicy',
    'ClusterSet',
    'AWSTargetGroupSet',
    'AWSTargetGroupBinding',
    'AWSApplicationLoadBalancerConfig',
    'AWSNetworkLoadBalancerConfig',
    'Cell',
  ] as const)('is not stopped by one %s of a form that its schema does not allow:', (kind) => {
    it.each([
      ['without a spec', {}],
      ['with none', { spec: null }],
      ['without what is required', { spec: {} }],
      [
        'with other types',
        {
          spec: {
            namespaces: 'default',
            stages: 'all',
            space: 1,
            generators: 1,
            targets: 1,
            applications: 1,
            ingress: 1,
          },
          status: { conditions: 1 },
        },
      ],
      [
        'with lists of other types',
        {
          spec: {
            namespaces: [1],
            stages: [1, { cell: 1 }],
            targetGroups: [1],
            generators: [null],
            targets: [null],
            applications: [null],
          },
          status: { conditions: [null], targets: [null], targetGroups: [null] },
        },
      ],
    ])('%s', (_, rest) => {
      const router = aRouter();
      const object = { metadata: { name: 'odd', namespace: 'default', uid: 'u' }, ...rest };
      // The API server serves what it has stored, whatever the schema is by now.
      router.take({ kind, event: { type: 'add', object } } as unknown as KindEvent);
      router.replay();
      router.given.splice(0);
      router.take({ kind: 'Cell', event: { type: 'add', object: aCell('web') } });
      router.take({ kind: 'AWSTargetGroup', event: { type: 'add', object: group } });
      const told = (name: string): unknown[] =>
        router.given.filter((one) => one.do === 'Start' && one.key.name === name);
      expect(told('web')).toEqual([start('web'), start('web')]);
      expect(router.given).toContainEqual({ do: 'CheckTargetGroups', namespace: 'default' });
      router.take({ kind: 'AWSTargetGroupSet', event: { type: 'add', object: set } });
      router.take({ kind: 'AWSTargetGroupBinding', event: { type: 'add', object: binding } });
      router.given.splice(0);
      router.take({ kind: 'Secret', event: { type: 'add', object: secret } });
      expect(told('set')).toHaveLength(1);
      expect(told('binding')).toHaveLength(1);
      router.given.splice(0);
      router.take({ kind: 'AccessPolicy', event: { type: 'add', object: policy } });
      expect(told('web')).toEqual([start('web')]);
      expect(told('set')).toHaveLength(1);
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
    const compared = [...found.mock.results, ...listed.mock.results].flatMap(({ value }) => [
      ...(value as Iterable<unknown>),
    ]);
    // Each Cell has one, and the namespaces are gathered once from all.
    expect(compared).toHaveLength(2 * count);
  });
});

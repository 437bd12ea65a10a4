import { describe, expect, it } from 'vitest';
import { digest } from '../clients/digest.ts';
import type { AWSApplicationLoadBalancerConfig } from '../crds/aws-application-load-balancer-config.ts';
import type { AWSTargetGroup } from '../crds/aws-target-group.ts';
import type { Cell, CellStatus } from '../crds/cell.ts';
import { API_VERSION } from '../domain/labels.ts';
import { watchedInput } from '../domain/watched.ts';
import type { Instruction } from './instruction.ts';
import { route } from './route.ts';
import type { AnalysisRun, KindEvent } from './route.ts';
import { createStore } from './store.ts';
import type { View } from './store.ts';

const LISTENER = 'arn:aws:elasticloadbalancing:eu-central-1:000000000000:listener/app/a/1/2';

function aGroup(name: string, labels: Record<string, string> = { role: 'web' }): AWSTargetGroup {
  return {
    apiVersion: API_VERSION,
    kind: 'AWSTargetGroup',
    metadata: { namespace: 'default', name, labels },
    spec: { arn: `arn:${name}` },
  };
}

function aCell(name: string, status?: CellStatus): Cell {
  return {
    apiVersion: API_VERSION,
    kind: 'Cell',
    metadata: { namespace: 'default', name, generation: 1 },
    spec: {
      ingress: {
        type: 'AWSApplicationLoadBalancer',
        awsApplicationLoadBalancer: {
          listenerARN: LISTENER,
          listener: { rule: { priority: 10, hosts: ['example.com'] } },
          targetGroupSelector: { matchLabels: { role: name } },
        },
      },
      replicas: 1,
      minHealthyTargets: 1,
      healthTimeout: '10m',
    },
    ...(status === undefined ? {} : { status }),
  };
}

/** The Cell as a rollout leaves it that has looked at these groups. */
function settled(cell: Cell, groups: AWSTargetGroup[], status: CellStatus = {}): Cell {
  const withStatus = { ...cell, status: { phase: 'Completed' as const, ...status } };
  return {
    ...withStatus,
    status: { ...withStatus.status, observedHash: digest(watchedInput(withStatus, groups)) },
  };
}

function viewOf(of: {
  cells?: Cell[];
  groups?: AWSTargetGroup[];
  configs?: AWSApplicationLoadBalancerConfig[];
}): View {
  const cells = createStore<Cell>();
  const groups = createStore<AWSTargetGroup>();
  const configs = createStore<AWSApplicationLoadBalancerConfig>();
  of.cells?.forEach((object) => cells.apply({ type: 'add', object }));
  of.groups?.forEach((object) => groups.apply({ type: 'add', object }));
  of.configs?.forEach((object) => configs.apply({ type: 'add', object }));
  return { cells, groups, configs };
}

const start = (name: string): Instruction => ({
  do: 'Start',
  workflow: 'cellRollout',
  key: { namespace: 'default', name },
});
const signal = (
  workflowId: string,
  name: 'changed' | 'analysisFinished' | 'statusReported',
): Instruction => ({
  do: 'Signal',
  workflowId,
  signal: name,
});
const ignored = [{ do: 'Ignore', reason: expect.any(String) as string }];

describe('a Cell', () => {
  const groups = [aGroup('web1')];
  const web = settled(aCell('web'), groups);

  it('that is new starts its rollout', () => {
    expect(route({ kind: 'Cell', event: { type: 'add', object: aCell('web') } }, viewOf({ groups }))).toEqual(
      [start('web')],
    );
  });

  it('that is settled and unchanged starts nothing when it is seen first', () => {
    const happened: KindEvent = { kind: 'Cell', event: { type: 'add', object: web } };
    expect(route(happened, viewOf({ groups }))).toEqual([{ do: 'Ignore', reason: 'unchanged' }]);
  });

  it('whose target group went while nobody looked starts its rollout', () => {
    expect(route({ kind: 'Cell', event: { type: 'add', object: web } }, viewOf({}))).toEqual([start('web')]);
  });

  it('whose spec changed starts its rollout', () => {
    const object = { ...web, spec: { ...web.spec, replicas: 2 } };
    expect(route({ kind: 'Cell', event: { type: 'update', object, old: web } }, viewOf({ groups }))).toEqual([
      start('web'),
    ]);
  });

  it('whose status alone changed starts nothing', () => {
    const object = settled(web, groups, { phase: 'Progressing', canaryWeight: 20 });
    expect(route({ kind: 'Cell', event: { type: 'update', object, old: web } }, viewOf({ groups }))).toEqual(
      ignored,
    );
  });

  it('from which somebody removed a blocked version starts its rollout', () => {
    const blocked = settled(aCell('web'), groups, {
      blockedVersions: [{ version: '1.1.0', cause: 'x', time: '2026-11-20T00:00:00Z' }],
    });
    const object = { ...blocked, status: { ...blocked.status, blockedVersions: [] } };
    const happened: KindEvent = { kind: 'Cell', event: { type: 'update', object, old: blocked } };
    expect(route(happened, viewOf({ groups }))).toEqual([start('web')]);
  });

  it.each(['Pending', 'Progressing', 'Paused', 'Reverting', 'FailedReverting', 'Failed'] as const)(
    'in phase %s is taken up again when it is seen first, and only then',
    (phase) => {
      const object = settled(aCell('web'), groups, { phase });
      expect(route({ kind: 'Cell', event: { type: 'add', object } }, viewOf({ groups }))).toEqual([
        start('web'),
      ]);
      const update: KindEvent = { kind: 'Cell', event: { type: 'update', object, old: web } };
      expect(route(update, viewOf({ groups }))).toEqual(ignored);
    },
  );

  it.each(['Waiting', 'Completed', 'Reverted'] as const)('in phase %s is left alone', (phase) => {
    const object = settled(aCell('web'), groups, { phase });
    expect(route({ kind: 'Cell', event: { type: 'add', object } }, viewOf({ groups }))).toEqual(ignored);
  });

  it('that is gone tells its rollout, if there is one', () => {
    expect(route({ kind: 'Cell', event: { type: 'delete', object: web } }, viewOf({}))).toEqual([
      signal('cell/default/web', 'changed'),
    ]);
  });
});

describe('an AWSTargetGroup', () => {
  const web1 = aGroup('web1');
  const web = settled(aCell('web'), [web1]);
  const api = settled(aCell('api'), [web1]);
  const elsewhere = { ...aCell('web'), metadata: { ...aCell('web').metadata, namespace: 'other' } };

  it('that is new reaches the Cells of its namespace that select it, and only those', () => {
    const web2 = aGroup('web2');
    const view = viewOf({ cells: [web, api, elsewhere], groups: [web1, web2] });
    expect(route({ kind: 'AWSTargetGroup', event: { type: 'add', object: web2 } }, view)).toEqual([
      start('web'),
    ]);
  });

  it('whose version changed reaches its Cell', () => {
    const object = aGroup('web1', { role: 'web', 'okra.mumo.co/version': '2.0.0' });
    const view = viewOf({ cells: [web, api], groups: [object] });
    expect(route({ kind: 'AWSTargetGroup', event: { type: 'update', object, old: web1 } }, view)).toEqual([
      start('web'),
    ]);
  });

  it('that changes sides reaches the Cell it leaves and the one it joins', () => {
    const object = aGroup('web1', { role: 'api' });
    const view = viewOf({ cells: [web, api], groups: [object] });
    expect(route({ kind: 'AWSTargetGroup', event: { type: 'update', object, old: web1 } }, view)).toEqual([
      start('web'),
      start('api'),
    ]);
  });

  it('that is gone reaches its Cell', () => {
    const view = viewOf({ cells: [web, api] });
    expect(route({ kind: 'AWSTargetGroup', event: { type: 'delete', object: web1 } }, view)).toEqual([
      start('web'),
    ]);
  });

  it('whose label is of no meaning reaches nobody', () => {
    const object = aGroup('web1', { role: 'web', colour: 'blue' });
    const view = viewOf({ cells: [web], groups: [object] });
    expect(route({ kind: 'AWSTargetGroup', event: { type: 'update', object, old: web1 } }, view)).toEqual([
      { do: 'Ignore', reason: 'unchanged' },
    ]);
  });

  it('that nobody selects reaches nobody', () => {
    const object = aGroup('db1', { role: 'db' });
    const view = viewOf({ cells: [web, api], groups: [web1, object] });
    expect(route({ kind: 'AWSTargetGroup', event: { type: 'add', object } }, view)).toEqual([
      { do: 'Ignore', reason: 'no Cell selects it' },
    ]);
  });
});

function aConfig(
  of: { generation?: number; observed?: number; listenerARN?: string; ready?: [string, string] } = {},
): AWSApplicationLoadBalancerConfig {
  const { generation = 1, observed = 1, listenerARN = LISTENER, ready = ['True', 'Applied'] } = of;
  const [status, reason] = ready;
  return {
    apiVersion: API_VERSION,
    kind: 'AWSApplicationLoadBalancerConfig',
    metadata: {
      namespace: 'default',
      name: 'web',
      generation,
      ownerReferences: [{ apiVersion: API_VERSION, kind: 'Cell', name: 'web', uid: 'u', controller: true }],
    },
    spec: {
      listenerARN,
      listener: { rule: { priority: 10, hosts: ['example.com'], forward: { targetGroups: [] } } },
    },
    status: {
      observedGeneration: observed,
      conditions: [
        {
          type: 'Ready',
          status: status === 'True' ? 'True' : 'False',
          reason,
          message: '',
          lastTransitionTime: '2026-11-20T00:00:00Z',
        },
      ],
    },
  };
}

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

describe('an AnalysisRun', () => {
  const aRun = (phase?: string, cell = 'web'): AnalysisRun => ({
    metadata: { namespace: 'default', name: 'web-1', labels: { 'okra.mumo.co/cell': cell } },
    ...(phase === undefined ? {} : { status: { phase: phase as 'Running' } }),
  });
  const told = [signal('cell/default/web', 'analysisFinished')];
  const view = (phase: CellStatus['phase']) => viewOf({ cells: [aCell('web', { phase })] });

  it.each(['Successful', 'Failed', 'Error', 'Inconclusive'])('that ends %s tells the rollout', (phase) => {
    const happened: KindEvent = {
      kind: 'AnalysisRun',
      event: { type: 'update', object: aRun(phase), old: aRun('Running') },
    };
    expect(route(happened, view('Progressing'))).toEqual(told);
    expect(route(happened, viewOf({}))).toEqual(told);
  });

  it.each([undefined, 'Pending', 'Running'])('in phase %s tells nobody', (phase) => {
    const happened: KindEvent = { kind: 'AnalysisRun', event: { type: 'add', object: aRun(phase) } };
    expect(route(happened, view('Progressing'))).toEqual(ignored);
  });

  it('that had ended before tells nobody', () => {
    const event = { type: 'update', object: aRun('Failed'), old: aRun('Failed') } as const;
    expect(route({ kind: 'AnalysisRun', event }, view('Progressing'))).toEqual(ignored);
  });

  it('that is gone tells the rollout, whatever its phase was', () => {
    const happened: KindEvent = { kind: 'AnalysisRun', event: { type: 'delete', object: aRun('Running') } };
    expect(route(happened, view('Progressing'))).toEqual(told);
  });

  it('of a settled Cell tells nobody', () => {
    const happened: KindEvent = { kind: 'AnalysisRun', event: { type: 'add', object: aRun('Failed') } };
    expect(route(happened, view('Completed'))).toEqual(ignored);
  });

  it('that names no Cell tells nobody', () => {
    const happened: KindEvent = { kind: 'AnalysisRun', event: { type: 'add', object: aRun('Failed', '') } };
    expect(route(happened, viewOf({}))).toEqual(ignored);
  });
});

describe('an analysis template', () => {
  const lacking = aCell('web', { phase: 'Failed', reason: 'AnalysisTemplateNotFound' });
  const other = { ...lacking, metadata: { ...lacking.metadata, namespace: 'other' } };
  const view = viewOf({ cells: [lacking, other, aCell('api', { phase: 'Progressing' })] });

  it('reaches the Cells of its namespace that lack one', () => {
    const object = { metadata: { namespace: 'default', name: 'success-rate' } };
    expect(route({ kind: 'AnalysisTemplate', event: { type: 'add', object } }, view)).toEqual([
      signal('cell/default/web', 'changed'),
    ]);
  });

  it('of the whole cluster reaches the Cells of every namespace that lack one', () => {
    const object = { metadata: { name: 'success-rate' } };
    expect(route({ kind: 'ClusterAnalysisTemplate', event: { type: 'add', object } }, view)).toEqual([
      signal('cell/default/web', 'changed'),
      signal('cell/other/web', 'changed'),
    ]);
  });

  it('that is gone reaches nobody', () => {
    const object = { metadata: { namespace: 'default', name: 'success-rate' } };
    expect(route({ kind: 'AnalysisTemplate', event: { type: 'delete', object } }, view)).toEqual(ignored);
  });
});

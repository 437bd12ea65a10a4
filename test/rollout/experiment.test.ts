import { describe, expect, it } from 'vitest';
import { EXPERIMENT } from '../../clients/kubernetes/kinds.ts';
import { onStage } from '../support/stage/on-stage.ts';
import type { Stage } from '../support/stage/stage.ts';
import { until } from '../support/until.ts';

interface Experiment {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { kind: string; name: string }[];
  };
  readonly spec: { readonly terminate?: boolean };
  readonly status?: { readonly phase?: string };
}

const containers = [{ name: 'wy', image: 'mumoshu/wy:latest', args: ['repeat', 'get'] }];

/** The ReplicaSet of the example, at 0 replicas. */
const replicaSet = (name: string): object => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name, labels: { app: name } },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers } },
  },
});

describe('an experiment', () => {
  let stage: Stage;
  let priority = 0;
  onStage(
    {
      totals: [20],
      prepare: async (opened) => {
        await opened.apply(
          opened.analysisTemplate('success-rate-dd', [{ name: 'service-name' }, { name: 'cluster-version' }]),
        );
        await opened.apply(replicaSet('pods'));
      },
    },
    (opened, free) => {
      stage = opened;
      priority = free;
    },
  );

  /** A step that runs pods until its analysis is decided, however long that takes. */
  const experiment = (specRef: string) => ({
    scaleDownDelaySeconds: 0,
    templates: [{ name: 'wy', specRef, replicas: 1 }],
    analyses: [
      {
        name: 'success-rate-dd',
        templateName: 'success-rate-dd',
        requiredForCompletion: true,
        args: [
          { name: 'service-name', value: 'wy-serve' },
          { name: 'cluster-version', valueFrom: { fieldRef: { fieldPath: 'status.desiredVersion' } } },
        ],
      },
    ],
  });

  /** A Cell that serves 1.0.0, and then sees 2.0.0. */
  async function rollOut(name: string, step: object): Promise<void> {
    const spec = { updateStrategy: { type: 'Canary', canary: { steps: [{ setWeight: 20 }, step] } } };
    await stage.targetGroups('1.0.0', [`${name}a`], { role: name });
    await stage.apply(stage.cell(name, { priority, role: name, spec }));
    await stage.untilPhase(name, 'Completed', '1.0.0');
    await stage.mark();
    await stage.targetGroups('2.0.0', [`${name}b`], { role: name });
  }
  const experimentsOf = (cell: string): Promise<Experiment[]> =>
    stage.kubernetes.list<Experiment>(EXPERIMENT, {
      namespace: stage.namespace,
      labelSelector: `okra.mumo.co/cell=${cell}`,
    });
  const untilRunning = (cell: string): Promise<Experiment> =>
    until(`the Experiment of ${cell} to run`, async () =>
      (await experimentsOf(cell)).find((one) => one.status?.phase === 'Running'),
    );
  /** The phases of the pods that a ReplicaSet owns. */
  const podsOf = async (owner: string): Promise<readonly string[]> => {
    const { items } = JSON.parse(await stage.kubectl('get', 'pods', '-o', 'json')) as {
      items: { metadata: { ownerReferences?: { name: string }[] }; status: { phase: string } }[];
    };
    return items
      .filter((pod) => pod.metadata.ownerReferences?.some(({ name }) => name === owner) === true)
      .map((pod) => pod.status.phase);
  };

  it('A-C33 waits for its ReplicaSet, runs pods of its own from it, and goes on when it is successful', async () => {
    stage.metrics.rate = undefined;
    await rollOut('c33', { experiment: experiment('wy') });
    const held = await stage.untilStatus(
      'c33',
      'without a ReplicaSet',
      (status) => status.reason === 'ReplicaSetNotFound',
    );
    expect(held.message).toContain(`Expected ReplicaSet wy in namespace ${stage.namespace}, got none.`);
    expect(held.conditions).toContainEqual(
      expect.objectContaining({ type: 'Degraded', status: 'True', reason: 'ReplicaSetNotFound' }),
    );
    expect(await experimentsOf('c33')).toEqual([]);

    await stage.apply(replicaSet('wy'));
    const running = await untilRunning('c33');
    const { name } = running.metadata;
    expect(name).toMatch(/^c33-1-experiment-/);
    expect(running.metadata.ownerReferences?.[0]).toMatchObject({ kind: 'Cell', name: 'c33' });
    expect(running.metadata.labels).toMatchObject({ 'okra.mumo.co/step-index': '1' });
    expect(running.spec).toMatchObject({
      templates: [
        {
          name: 'wy',
          replicas: 1,
          selector: { matchLabels: { app: 'wy' } },
          template: { metadata: { labels: { app: 'wy' } }, spec: { containers } },
        },
      ],
      analyses: [
        {
          name: 'success-rate-dd',
          templateName: 'success-rate-dd',
          args: [
            { name: 'service-name', value: 'wy-serve' },
            { name: 'cluster-version', value: '2.0.0' },
          ],
        },
      ],
    });
    await until('a pod of its own to run', async () => (await podsOf(`${name}-wy`))[0] === 'Running');
    expect(await podsOf('wy')).toEqual([]);
    await stage.untilStatus('c33', `waiting for ${name}`, (status) => status.experiment?.name === name);
    stage.metrics.rate = 1;
    await stage.untilPhase('c33', 'Completed', '2.0.0');
    expect((await experimentsOf('c33'))[0]?.status?.phase).toBe('Successful');
    expect(await stage.kubectl('get', 'replicaset', 'wy', '-o', 'jsonpath={.spec.replicas}')).toBe('0');
  });

  it('A-C33 takes everything back when it fails, and its pods go', async () => {
    stage.metrics.rate = 0.5;
    await rollOut('c33f', { experiment: experiment('pods') });
    const reverted = await stage.untilPhase('c33f', 'Reverted', '1.0.0');
    expect(reverted.message).toMatch(/Experiment c33f-1-experiment-\S+ ended as Failed/);
    expect((await stage.writes()).slice(-2)).toEqual([
      { c33fa: 80, c33fb: 20 },
      { c33fa: 100, c33fb: 0 },
    ]);
    const [failed] = await experimentsOf('c33f');
    await until('the pods to go', async () => (await podsOf(`${failed?.metadata.name}-wy`)).length === 0);
  });

  it.each([
    ['promote', 'Completed', '2.0.0'],
    ['abort', 'Reverted', '1.0.0'],
  ] as const)('is ended by %s', async (request, phase, version) => {
    const name = `c33${request.slice(0, 1)}`;
    stage.metrics.rate = undefined;
    await rollOut(name, { experiment: experiment('pods') });
    await untilRunning(name);
    await stage.signal(name, request);
    await stage.untilPhase(name, phase, version);
    expect((await experimentsOf(name))[0]?.spec.terminate).toBe(true);
  });

  it('can be a Job, which really runs', async () => {
    await stage.apply({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AnalysisTemplate',
      metadata: { name: 'smoke-test' },
      spec: {
        args: [{ name: 'version' }],
        metrics: [
          {
            name: 'smoke-test',
            provider: {
              job: {
                spec: {
                  backoffLimit: 0,
                  template: {
                    spec: {
                      restartPolicy: 'Never',
                      containers: [{ name: 'test', image: 'smoke-test:{{args.version}}' }],
                    },
                  },
                },
              },
            },
          },
        ],
      },
    });
    await rollOut('job', {
      analysis: {
        templates: [{ templateName: 'smoke-test' }],
        args: [{ name: 'version', valueFrom: { fieldRef: { fieldPath: 'status.desiredVersion' } } }],
      },
    });
    await stage.untilPhase('job', 'Completed', '2.0.0');
    const { items } = JSON.parse(await stage.kubectl('get', 'jobs', '-o', 'json')) as {
      items: {
        spec: { template: { spec: { containers: { image: string }[] } } };
        status: { succeeded?: number };
      }[];
    };
    expect(items.map(({ status }) => status.succeeded)).toEqual([1]);
    expect(items[0]?.spec.template.spec.containers[0]?.image).toBe('smoke-test:2.0.0');
  });
});

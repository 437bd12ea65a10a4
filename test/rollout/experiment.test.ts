import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXPERIMENT, JOB, NAMESPACE, POD, REPLICA_SET } from '../../clients/kubernetes/kinds.ts';
import { jobPhase, jobVerdict, type Job } from '../../domain/rollout/measure/job.ts';
import { gettingStarted } from '../support/samples/getting-started.ts';
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
  readonly status?: { readonly phase?: string; readonly availableAt?: string };
}

interface Pod {
  readonly metadata: { readonly ownerReferences?: readonly { readonly name: string }[] };
  readonly status: { readonly phase: string };
}

interface SmokeTest {
  readonly spec: { template: { spec: { containers: readonly { image: string }[] } } };
  readonly status: { readonly succeeded?: number };
}

const { cellWithExperiment, replicaSet } = gettingStarted();
const [measuring] = cellWithExperiment.spec.updateStrategy?.canary?.steps ?? [];
const experiment = measuring?.experiment ?? { templates: [] };

/** The ReplicaSet of the getting-started guide under another name, so that its pods are told from those of others. */
const pods = { ...replicaSet, metadata: { ...replicaSet.metadata, name: 'pods' } };

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
        await opened.apply(pods);
      },
    },
    (opened, free) => {
      stage = opened;
      priority = free;
    },
  );

  /** The step of the getting-started guide, but for its 5 minutes: it ends when its analysis is decided. */
  const decided = (specRef: string) => ({
    ...experiment,
    scaleDownDelaySeconds: 0,
    templates: experiment.templates.map((template) => ({ ...template, specRef })),
    analyses: experiment.analyses?.map((analysis) => ({ ...analysis, requiredForCompletion: true })),
  });

  /** A Cell that serves 1.0.0, and then sees 2.0.0. */
  async function rollOut(name: string, step: object, canary: object = {}): Promise<void> {
    const spec = {
      updateStrategy: { type: 'Canary', canary: { steps: [{ setWeight: 20 }, step], ...canary } },
    };
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
    const { kubernetes, namespace } = stage;
    const all = await kubernetes.list<Pod>(POD, { namespace });
    return all
      .filter((pod) => pod.metadata.ownerReferences?.some(({ name }) => name === owner) === true)
      .map((pod) => pod.status.phase);
  };

  it('A-C33 waits for its ReplicaSet, runs pods of its own from it, and continues when it is successful', async () => {
    stage.metrics.rate = undefined;
    await rollOut('c33', { experiment: decided('wy') });
    const held = await stage.untilStatus(
      'c33',
      'without a ReplicaSet',
      (status) => status.reason === 'ReplicaSetNotFound',
    );
    expect(held.message).toContain(`ReplicaSet wy not found in namespace ${stage.namespace}.`);
    expect(held.conditions).toContainEqual(
      expect.objectContaining({ type: 'Degraded', status: 'True', reason: 'ReplicaSetNotFound' }),
    );
    expect(await experimentsOf('c33')).toEqual([]);

    await stage.apply(replicaSet);
    const running = await untilRunning('c33');
    const { name } = running.metadata;
    expect(name).toMatch(/^c33-1-experiment-/);
    expect(running.metadata.ownerReferences?.[0]).toMatchObject({ kind: 'Cell', name: 'c33' });
    expect(running.metadata.labels).toMatchObject({ 'okra.mumo.co/step-index': '1' });
    const { selector, template } = replicaSet.spec;
    const { labels } = template.metadata;
    expect(running.spec).toMatchObject({
      duration: '5m',
      templates: [
        { name: 'wy', replicas: 1, selector, template: { metadata: { labels }, spec: template.spec } },
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
    const key = { namespace: stage.namespace, name: 'wy' };
    expect(await stage.kubernetes.get(REPLICA_SET, key)).toMatchObject({ spec: { replicas: 0 } });
  });

  it('A-C33 takes everything back when it fails, and its pods go', async () => {
    stage.metrics.rate = 0.5;
    await rollOut('c33f', { experiment: decided('pods') });
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
  ] as const)('A-C33 that lasts for as long as it says is ended by %s', async (request, phase, version) => {
    const name = `c33${request.slice(0, 1)}`;
    stage.metrics.rate = undefined;
    await stage.apply(replicaSet);
    await rollOut(name, { experiment });
    await untilRunning(name);
    await stage.signal(name, request);
    await stage.untilPhase(name, phase, version);
    expect((await experimentsOf(name))[0]?.spec.terminate).toBe(true);
  });

  it('A-C33 that lasts for as long as it says ends by itself, and the rollout continues', async () => {
    await stage.apply(replicaSet);
    await rollOut('c33d', { experiment: { ...experiment, duration: '3s', scaleDownDelaySeconds: 0 } });
    await stage.untilPhase('c33d', 'Completed', '2.0.0');
    const [ended] = await experimentsOf('c33d');
    expect(ended).toMatchObject({ spec: { duration: '3s' }, status: { phase: 'Successful' } });
    expect(ended?.spec.terminate).toBeUndefined();
    const { availableAt = '' } = ended?.status ?? {};
    const done = (await stage.status('c33d')).history?.[0]?.endedAt ?? '';
    expect(Date.parse(done) - Date.parse(availableAt)).toBeGreaterThanOrEqual(3_000);
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
    const jobs = await stage.kubernetes.list<SmokeTest>(JOB, { namespace: stage.namespace });
    expect(jobs.map(({ status }) => status.succeeded)).toEqual([1]);
    expect(jobs[0]?.spec.template.spec.containers[0]?.image).toBe('smoke-test:2.0.0');
  });

  describe('gives way to a step that is a job, which', () => {
    let folder = '';
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'okra-job-test-'));
      const enforced = { 'pod-security.kubernetes.io/enforce': 'restricted' };
      await stage.label(NAMESPACE, stage.namespace, enforced);
    });
    afterAll(() => rm(folder, { recursive: true }));

    /** A job that runs a script, which may write into a file. */
    const job = (name: string, script: string, more: object = {}) => {
      const env = [{ name: 'FILE', value: join(folder, name) }];
      const command = ['/bin/sh', '-c'];
      return { job: { template: { spec: { image: 'a', command, args: [script], env } }, ...more } };
    };
    const written = (name: string): Promise<string> => readFile(join(folder, name), 'utf8').catch(() => '');
    const jobOf = async (cell: string): Promise<Job & { readonly metadata: { readonly name: string } }> => {
      const [first, ...others] = await stage.kubernetes.list<Job & { metadata: { name: string } }>(JOB, {
        namespace: stage.namespace,
        labelSelector: `okra.mumo.co/cell=${cell}`,
      });
      if (first === undefined || others.length > 0) throw new Error(`Expected one Job of ${cell}.`);
      return first;
    };

    it('really runs, once, with no rights', async () => {
      await rollOut('jok', job('jok', 'echo "$OKRA_VERSION" >> "$FILE"'));
      await stage.untilPhase('jok', 'Completed', '2.0.0');
      expect(await written('jok')).toBe('2.0.0\n');
      expect(jobPhase(await jobOf('jok'))).toBe('Successful');
    });

    it('takes everything back by one write when its program fails', async () => {
      await rollOut('jno', job('jno', 'echo no; exit 3'));
      const { blockedVersions } = await stage.untilPhase('jno', 'Reverted', '1.0.0');
      const cause = expect.stringMatching(
        /^Job jno-job-1-\S+ ended as Failed. BackoffLimitExceeded/,
      ) as string;
      expect(blockedVersions).toMatchObject([{ version: '2.0.0', cause }]);
      expect((await stage.writes()).slice(-2)).toEqual([
        { jnoa: 80, jnob: 20 },
        { jnoa: 100, jnob: 0 },
      ]);
    });

    it('is stopped by an abort, and stays to be looked at', async () => {
      await rollOut('jab', job('jab', 'echo >> "$FILE"; exec sleep 300'));
      await until('the program to run', async () => (await written('jab')) !== '');
      await stage.untilStatus('jab', 'running', (status) => status.job?.name !== undefined);
      await stage.signal('jab', 'abort');
      await stage.untilPhase('jab', 'Reverted', '1.0.0');
      await until(
        'its pod to go',
        async () => (await podsOf((await jobOf('jab')).metadata.name)).length === 0,
      );
      expect(jobVerdict('it', await jobOf('jab'))).toEqual({
        name: 'it',
        phase: 'Failed',
        message: 'It was ended.',
      });
    });

    it('holds when its program fails and onFailure says so, and runs again when someone retries', async () => {
      await rollOut('jho', job('jho', 'test -e "$FILE"'), { onFailure: 'Hold' });
      const held = await stage.untilStatus('jho', 'held', ({ reason }) => reason === 'JobFailed');
      expect(held).toMatchObject({ phase: 'Paused', canaryWeight: 20, blockedVersions: [] });
      await writeFile(join(folder, 'jho'), '');
      await stage.signal('jho', 'retry');
      await stage.untilPhase('jho', 'Completed', '2.0.0');
    });
  });
});

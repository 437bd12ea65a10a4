import { describe, expect, it } from 'vitest';
import type { ExperimentStep } from '../../../crds/cell.ts';
import { buildExperiment, experimentVerdict, hasEnded, type ReplicaSet } from './experiment.ts';

const cell = { status: { desiredVersion: '2.0.0' } };
const containers = [{ name: 'wy', image: 'mumoshu/wy:latest' }];
const wy: ReplicaSet = {
  spec: {
    selector: { matchLabels: { app: 'wy' } },
    template: { metadata: { labels: { app: 'wy' } }, spec: { containers } },
  },
};
const template = (more: Partial<ExperimentStep['templates'][number]> = {}) => ({
  name: 'wy',
  specRef: 'wy',
  replicas: 1,
  ...more,
});
const build = (step: Partial<ExperimentStep>, replicaSet: ReplicaSet = wy) =>
  buildExperiment({ templates: [template()], ...step }, [replicaSet], cell);
const templatesOf = (step: Partial<ExperimentStep>, replicaSet?: ReplicaSet): unknown => {
  const built = build(step, replicaSet);
  return built.ok ? built.spec['templates'] : built.problem;
};

describe('an Experiment', () => {
  it('A-C33 is what the step and the ReplicaSet say', () => {
    const built = build({
      duration: '5m',
      analyses: [
        {
          name: 'success-rate-dd',
          templateName: 'success-rate-dd',
          args: [
            { name: 'service-name', value: 'wy-serve' },
            { name: 'cluster-version', valueFrom: { fieldRef: { fieldPath: 'status.desiredVersion' } } },
          ],
        },
      ],
    });
    expect(built).toEqual({
      ok: true,
      spec: {
        duration: '5m',
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
      },
    });
  });

  it.each([
    [30, '30s'],
    ['30', '30s'],
    ['1h30m', '1h30m'],
  ])('that lasts %j is told so with a unit', (duration, want) =>
    expect(build({ duration })).toMatchObject({ ok: true, spec: { duration: want } }),
  );

  it('hands its settings on', () => {
    const settings = {
      progressDeadlineSeconds: 60,
      scaleDownDelaySeconds: 0,
      dryRun: [{ metricName: 'rate' }],
      measurementRetention: [{ metricName: 'rate', limit: 5 }],
      analysisRunMetadata: { labels: { team: 'web' } },
    };
    expect(build(settings)).toMatchObject({ ok: true, spec: settings });
  });

  it('leaves out what tells the ReplicaSets of a Deployment apart', () => {
    const hashed: ReplicaSet = {
      spec: {
        minReadySeconds: 5,
        selector: {
          matchLabels: { app: 'wy', 'pod-template-hash': 'x' },
          matchExpressions: [{ key: 'pod-template-hash', operator: 'Exists' }],
        },
        template: { metadata: { labels: { app: 'wy', 'pod-template-hash': 'x' } }, spec: { containers } },
      },
    };
    expect(templatesOf({}, hashed)).toEqual([
      {
        name: 'wy',
        replicas: 1,
        minReadySeconds: 5,
        selector: { matchLabels: { app: 'wy' }, matchExpressions: [] },
        template: { metadata: { labels: { app: 'wy' } }, spec: { containers } },
      },
    ]);
  });

  it('adds labels to the pods and to what selects them, and annotations to the pods', () => {
    const metadata = { labels: { variant: 'b' }, annotations: { why: 'experiment' } };
    expect(templatesOf({ templates: [template({ metadata })] })).toMatchObject([
      {
        selector: { matchLabels: { app: 'wy', variant: 'b' } },
        template: { metadata: { labels: { app: 'wy', variant: 'b' }, annotations: { why: 'experiment' } } },
      },
    ]);
  });

  it.each<[string, Partial<ExperimentStep>, ReplicaSet, string]>([
    [
      'a selector that does not select its pods',
      { templates: [template({ selector: { matchLabels: { app: 'other' } } })] },
      wy,
      'The selector of template wy does not select the pods of ReplicaSet wy',
    ],
    [
      'pods that are ready later than they may',
      { progressDeadlineSeconds: 5 },
      { spec: { ...wy.spec, minReadySeconds: 10 } },
      '(10) must be at most progressDeadlineSeconds (5). Raise progressDeadlineSeconds.',
    ],
    [
      'an argument by a field that is not there',
      {
        analyses: [
          {
            name: 'a',
            templateName: 'a',
            args: [{ name: 'v', valueFrom: { fieldRef: { fieldPath: 'status.nope' } } }],
          },
        ],
      },
      wy,
      'invalid fieldPath status.nope',
    ],
  ])('cannot have %s', (_, step, replicaSet, problem) =>
    expect(build(step, replicaSet)).toEqual({
      ok: false,
      problem: expect.stringContaining(problem) as string,
    }),
  );

  it.each([
    ['nothing yet', undefined, 'Pending', false],
    ['that it runs', { phase: 'Running' }, 'Running', false],
    ['that it has failed', { phase: 'Failed', message: 'x' }, 'Failed', true],
    [
      'that its spec is refused',
      { conditions: [{ type: 'InvalidSpec', status: 'True', message: 'x' }] },
      'Error',
      true,
    ],
  ] as const)('of which Argo Rollouts says %s', (_, status, phase, ended) => {
    expect(experimentVerdict('e', status)).toMatchObject({ name: 'e', phase });
    expect(hasEnded(status)).toBe(ended);
  });
});

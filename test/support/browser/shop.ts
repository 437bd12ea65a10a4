import type { CellSpec, CellStatus } from '../../../crds/cell.ts';
import { statusIn, type WeightHistory } from '../../../clients/temporal/weight-history.ts';
import type { FakeObject } from '../../../cli/okractl/testing/shell.ts';
import { aCell, arnOf, aTargetGroup } from '../../../cli/okractl/testing/objects.ts';
import { SOURCE_ANNOTATION } from '../../../domain/kubernetes/labels.ts';

const MINUTE = 60_000;

interface ShopObject extends FakeObject {
  readonly metadata: FakeObject['metadata'] & {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly generation?: number;
  };
  readonly spec?: object;
  readonly status?: object;
}

/** The objects of a shop in the middle of its day. */
export function shop(now: number): readonly ShopObject[] {
  const ago = (minutes: number): string => new Date(now - minutes * MINUTE).toISOString();
  const cell = (name: string, status: CellStatus, spec: Partial<CellSpec> = {}): ShopObject => ({
    ...aCell(status, spec),
    metadata: { name, namespace: 'shop' },
  });
  const groups = (name: string, ...all: readonly (readonly [string, number])[]) =>
    all.map(([version, weight], at) => ({
      name: `${name}-${at === 0 ? 'blue' : 'green'}`,
      arn: arnOf(`${name}-${at === 0 ? 'blue' : 'green'}`),
      version,
      role: at === 0 ? ('Stable' as const) : ('Canary' as const),
      weight,
      healthyTargets: at === 0 ? 3 : 2,
      targets: 3,
    }));
  const rollout = (minutes: number, step: number) => ({
    id: 'r1',
    startedAt: ago(minutes),
    stepStartedAt: ago(step),
    stable: { version: '1.8.2', targetGroups: [] },
    canary: { version: '1.9.0', targetGroups: [] },
    workflowId: 'cell/shop/web',
    runId: '0123-4567',
  });
  const config = (
    name: string,
    weights: readonly number[],
    seen: { readonly observedGeneration: number },
  ): ShopObject => ({
    apiVersion: 'okra.mumo.co/v1alpha1',
    kind: 'AWSApplicationLoadBalancerConfig',
    metadata: { name, namespace: 'shop', generation: 2 },
    spec: {
      listenerARN: 'arn',
      listener: {
        rule: {
          priority: 10,
          hosts: ['example.com'],
          forward: {
            targetGroups: groups(name, ['', weights[0] ?? 0], ['', weights[1] ?? 0]).map(
              ({ name: of, arn, weight }) => ({ name: of, arn, weight }),
            ),
          },
        },
      },
    },
    status: seen,
  });
  const group = (name: string, version: string, cluster: string): ShopObject => ({
    ...aTargetGroup(name, version),
    metadata: {
      name,
      namespace: 'shop',
      labels: { 'okra.mumo.co/version': version },
      annotations: { [SOURCE_ANNOTATION]: `${cluster}/kube-system/${name}` },
    },
    status: {
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'Known',
          message: 'AWS knows it, and the Cells that select it can use it.',
          lastTransitionTime: ago(5000),
        },
      ],
    },
  });
  const steps: NonNullable<NonNullable<CellSpec['updateStrategy']>['canary']>['steps'] = [
    { setWeight: 5 },
    { pause: { duration: '10m' } },
    { setWeight: 20 },
    { pause: {} },
    { setWeight: 50 },
    { analysis: { templates: [{ templateName: 'errors' }] } },
    { pause: { duration: '30m' } },
  ];
  return [
    cell(
      'web',
      {
        phase: 'Paused',
        reason: 'WaitingForResume',
        message: 'Waiting for resume or promote.',
        stableVersion: '1.8.2',
        desiredVersion: '1.9.0',
        canaryWeight: 20,
        currentStepIndex: 3,
        step: '4/7',
        targetGroups: groups('web', ['1.8.2', 80], ['1.9.0', 20]),
        rollout: rollout(26, 8),
        requests: [
          { action: 'pause', by: 'bob@example.com', reason: 'lunch', time: ago(21) },
          { action: 'resume', by: 'bob@example.com', reason: '', time: ago(17) },
          { action: 'promote', by: 'ann@example.com', reason: 'the probe is fixed', time: ago(9) },
        ],
        backgroundAnalysisRun: { name: 'web-bg-errors', phase: 'Running', message: '' },
        history: [
          {
            version: '1.8.2',
            from: '1.8.1',
            outcome: 'Completed',
            message: '1.8.2 serves all traffic.',
            startedAt: ago(3000),
            endedAt: ago(2960),
          },
        ],
        lastSyncTime: ago(8),
      },
      { updateStrategy: { type: 'Canary', canary: { steps } } },
    ),
    cell('search', {
      phase: 'Progressing',
      reason: 'Advance',
      message: 'Setting the weight of 7.1.0 to 50.',
      stableVersion: '7.0.3',
      desiredVersion: '7.1.0',
      currentStepIndex: 2,
      step: '3/3',
      targetGroups: groups('search', ['7.0.3', 75], ['7.1.0', 25]),
      rollout: rollout(12, 0.2),
      lastSyncTime: ago(0.2),
    }),
    config('web', [80, 20], { observedGeneration: 2 }),
    config('search', [50, 50], { observedGeneration: 1 }),
    cell('checkout', {
      phase: 'Reverted',
      reason: 'AnalysisFailed',
      message: 'Check errors ended as Failed: 7.2 is above max 1. All traffic is back on 3.1.0.',
      stableVersion: '3.1.0',
      desiredVersion: '3.1.0',
      canaryWeight: 0,
      targetGroups: groups('checkout', ['3.1.0', 100]),
      blockedVersions: [{ version: '3.2.0', cause: 'Check errors ended as Failed.', time: ago(42) }],
      conditions: [
        { type: 'Degraded', status: 'True', reason: 'Failed', message: '', lastTransitionTime: ago(42) },
      ],
      lastSyncTime: ago(42),
    }),
    cell('api', {
      phase: 'Completed',
      reason: 'Settled',
      message: '3.2.0 serves all traffic.',
      stableVersion: '3.2.0',
      desiredVersion: '3.2.0',
      targetGroups: groups('api', ['3.2.0', 100]),
      lastSyncTime: ago(4000),
    }),
    {
      apiVersion: 'community.kubestellar.io/v1alpha1',
      kind: 'StagedBindingPolicy',
      metadata: { name: 'nginx' },
      spec: { stages: [{ name: 'dev' }, { name: 'test' }, { name: 'prod' }] },
      status: {
        phase: 'Paused',
        reason: 'WaitingForApproval',
        message: 'Stage test is fulfilled. Send promote to begin stage prod.',
        activeStage: 'test',
        stages: [
          { name: 'dev', phase: 'Passed', since: ago(95) },
          { name: 'test', phase: 'Fulfilled', since: ago(14), objects: 3, fulfilled: 3 },
        ],
        lastSyncTime: ago(14),
      },
    },
    group('web-blue', '1.8.2', 'eu-blue'),
    group('api-blue', '3.2.0', 'eu-blue'),
    group('web-green', '1.9.0', 'eu-green'),
    group('search-green', '7.1.0', 'eu-green'),
    {
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'Freeze',
      metadata: { name: 'night-of-the-sale' },
      spec: {
        by: 'ops@example.com',
        reason: 'no releases while the sale begins',
        until: new Date(now + 118 * MINUTE).toISOString(),
      },
    },
    {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AnalysisRun',
      metadata: { name: 'web-bg-errors', namespace: 'shop' },
      spec: { metrics: [{ name: 'errors', successCondition: 'result[0] < 0.01' }] },
      status: {
        metricResults: [
          {
            name: 'errors',
            phase: 'Running',
            measurements: [
              { value: '[0.0019]', phase: 'Successful', finishedAt: ago(22) },
              { value: '[0.0140]', phase: 'Failed', finishedAt: ago(12) },
              { value: '[0.0021]', phase: 'Successful', finishedAt: ago(3) },
              { value: '[0.0034]', phase: 'Successful', finishedAt: ago(1) },
            ],
          },
        ],
      },
    },
  ];
}

/** How the weights of its Cell `web` went. */
export function weightsOfWeb(now: number): WeightHistory {
  const at = (minutes: number): number => now - minutes * MINUTE;
  const weights = (blue: number, green: number) => [
    { name: 'web-blue', weight: blue },
    { name: 'web-green', weight: green },
  ];
  const run = (phase: string) => ({ name: 'web-bg-errors', phase, message: '' });
  const stands = (minutes: number, status: Partial<CellStatus>) => ({
    at: at(minutes),
    status: statusIn({ backgroundAnalysisRun: run('Running'), ...status }),
  });
  return {
    versions: { 'web-blue': '1.8.2', 'web-green': '1.9.0' },
    told: [
      stands(26, { step: '1/7', reason: 'ShiftingTraffic' }),
      stands(25.3, { step: '2/7', reason: 'WaitingForPause' }),
      stands(21, { step: '2/7', reason: 'WaitingForResume', message: 'Paused by bob@example.com: lunch.' }),
      stands(17, { step: '2/7', reason: 'WaitingForPause' }),
      stands(9, {
        step: '3/7',
        reason: 'WaitingForHealth',
        message: 'web-green has 1 of 3 healthy targets.',
      }),
      stands(8.5, { step: '3/7', reason: 'ShiftingTraffic' }),
      stands(8, { step: '4/7', reason: 'WaitingForResume', message: 'Waiting for resume or promote.' }),
      { at: at(26), served: [{ name: 'web-blue', weight: 100 }] },
      { at: at(25.5), asked: weights(95, 5) },
      { at: at(25.4), served: weights(95, 5) },
      { at: at(9), asked: weights(80, 20) },
      { at: at(8), served: weights(80, 20) },
    ].toSorted((a, b) => a.at - b.at),
  };
}

import type { CellSpec, CellStatus } from '../../../crds/cell.ts';
import type { FakeObject } from './shell.ts';
import { aRolloutStatus } from '../../../domain/testing/builders.ts';

const LISTENER =
  'arn:aws:elasticloadbalancing:ap-northeast-1:111122223333:listener/app/web/0123456789abcdef/0123456789abcdef';

/** A Cell `default/web` with canary steps. */
export const aCell = (
  status: CellStatus = {},
  spec: Partial<CellSpec> = {},
): FakeObject & { readonly spec: CellSpec; readonly status: CellStatus } => ({
  apiVersion: 'okra.mumo.co/v1alpha1',
  kind: 'Cell',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    ingress: {
      type: 'AWSApplicationLoadBalancer',
      awsApplicationLoadBalancer: {
        listenerARN: LISTENER,
        listener: { rule: { priority: 10, hosts: ['example.com'], forward: {} } },
        targetGroupSelector: { matchLabels: { role: 'web' } },
      },
    },
    replicas: 1,
    minHealthyTargets: 1,
    healthTimeout: '10m',
    updateStrategy: {
      type: 'Canary',
      canary: { steps: [{ setWeight: 20 }, { pause: {} }, { setWeight: 50 }] },
    },
    ...spec,
  },
  status,
});

/** The ARN of the target group of a name. */
export const arnOf = (name: string): string =>
  `arn:aws:elasticloadbalancing:ap-northeast-1:111122223333:targetgroup/${name}/0123456789abcdef`;

/** An AWSTargetGroup of a version that Cell `web` selects. */
export const aTargetGroup = (name: string, version: string): FakeObject & { readonly spec: object } => ({
  apiVersion: 'okra.mumo.co/v1alpha1',
  kind: 'AWSTargetGroup',
  metadata: {
    name,
    namespace: 'default',
    labels: { role: 'web', 'okra.mumo.co/version': version },
  },
  spec: { arn: arnOf(name) },
});

/** The status of a rollout that waits for a person at its second step. */
export const paused: CellStatus = {
  phase: 'Paused',
  reason: 'WaitingForResume',
  message: 'Waiting for resume or promote.',
  desiredVersion: '2.0.0',
  stableVersion: '1.0.0',
  canaryWeight: 20,
  currentStepIndex: 1,
  step: '2/3',
  targetGroups: [
    {
      name: 'web-a',
      arn: arnOf('web-a'),
      version: '1.0.0',
      role: 'Stable',
      weight: 80,
      healthyTargets: 2,
      targets: 3,
    },
    { name: 'web-b', arn: arnOf('web-b'), version: '2.0.0', role: 'Canary', weight: 20 },
  ],
  rollout: aRolloutStatus({
    startedAt: '2026-11-22T09:55:00Z',
    stepStartedAt: '2026-11-22T09:58:00Z',
    runId: '0123-4567',
  }),
  requests: [{ action: 'resume', by: 'ann', reason: 'looks fine', time: '2026-11-22T09:56:00.123Z' }],
};

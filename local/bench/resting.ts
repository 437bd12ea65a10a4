import { AWS_TARGET_GROUP, CELL } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { digest } from '../../clients/digest.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { Cell } from '../../crds/cell.ts';
import { objectWorkflowId } from '../../domain/model/workflow-ids.ts';
import { watchedInput } from '../../domain/versions/watched.ts';
import { forEach, upTo } from './each.ts';

/** The namespace of the Cells at rest. */
export const RESTING = 'resting';
/** The ids of their workflows begin so. */
export const RESTING_WORKFLOWS = objectWorkflowId('Cell', { namespace: RESTING, name: '' });
/** Calls to ELBv2 that are for them mention one of these. */
export const RESTING_ARNS = ['/app/resting/', ':targetgroup/group-'] as const;
const CELLS_OF_A_GROUP = 100;
const LISTENER =
  'arn:aws:elasticloadbalancing:us-east-1:123456789012:listener/app/resting/0123456789abcdef/0123456789abcdef';
const apiVersion = 'okra.mumo.co/v1alpha1';

/** Makes Cells as they are when they have been looked at and wait for a second target group, as quickly as an API server writes them. */
export async function restingCells(management: KubernetesClient, count: number): Promise<void> {
  await management.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: RESTING } });
  const groups: AWSTargetGroup[] = [];
  await forEach(upTo(Math.ceil(count / CELLS_OF_A_GROUP)), async (index) => {
    groups[index] = await management.create<AWSTargetGroup>(groupNamed(`group-${index}`));
  });
  await forEach(upTo(count), async (index) => {
    const group = groups[Math.floor(index / CELLS_OF_A_GROUP)];
    if (group === undefined) throw new Error('Expected a target group, got none.');
    const cell = await management.create<Cell>(cellNamed(`cell-${index}`, group.metadata.name));
    const key = { namespace: RESTING, name: cell.metadata.name };
    const status = { ...waiting, observedHash: digest(watchedInput(cell, [group])) };
    await management.patch(CELL, key, { status }, { subresource: 'status' });
  });
}

/** Changes Cells at rest, each a little. */
export async function changeCells(management: KubernetesClient, count: number): Promise<void> {
  await forEach(upTo(count), async (index) => {
    const key = { namespace: RESTING, name: `cell-${index}` };
    await management.patch(CELL, key, { spec: { replicas: 1 } });
  });
}

/** How many of the Cells have been looked at since they were changed. */
export async function lookedAt(management: KubernetesClient): Promise<number> {
  const [cells, groups] = await Promise.all([
    management.list<Cell>(CELL, { namespace: RESTING }),
    management.list<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace: RESTING }),
  ]);
  const byName = new Map(groups.map((group) => [group.metadata.name, group]));
  return cells.filter((cell) => {
    const [, number = ''] = cell.metadata.name.split('-');
    const group = byName.get(`group-${Math.floor(Number(number) / CELLS_OF_A_GROUP)}`);
    const selected = group === undefined ? [] : [group];
    return cell.spec.replicas === 1 && cell.status?.observedHash === digest(watchedInput(cell, selected));
  }).length;
}

const at = '2026-01-01T00:00:00Z';
const waiting = {
  phase: 'Waiting',
  reason: 'WaitingForTargetGroups',
  message: 'Waiting for a version with 2 target groups. 1.0.0 has 1.',
  lastSyncTime: at,
  conditions: (['Ready', 'Progressing', 'Degraded'] as const).map((type) => ({
    type,
    status: 'False',
    reason: 'WaitingForTargetGroups',
    message: 'Waiting for a version with 2 target groups. 1.0.0 has 1.',
    lastTransitionTime: at,
  })),
};

const groupNamed = (name: string): AWSTargetGroup => ({
  apiVersion,
  kind: 'AWSTargetGroup',
  metadata: { namespace: RESTING, name, labels: { group: name, 'okra.mumo.co/version': '1.0.0' } },
  spec: { arn: `arn:aws:elasticloadbalancing:us-east-1:123456789012:targetgroup/${name}/0123456789abcdef` },
});

const cellNamed = (name: string, group: string): Cell => ({
  apiVersion,
  kind: 'Cell',
  metadata: { namespace: RESTING, name },
  spec: {
    ingress: {
      type: 'AWSApplicationLoadBalancer',
      awsApplicationLoadBalancer: {
        listenerARN: LISTENER,
        listener: { rule: { hosts: [`${name}.example.com`], priority: 10, forward: {} } },
        targetGroupSelector: { matchLabels: { group } },
      },
    },
    replicas: 2,
    minHealthyTargets: 1,
    healthTimeout: '10m',
    updateStrategy: { type: 'Canary', canary: { steps: [{ setWeight: 20 }, { setWeight: 50 }] } },
  },
});

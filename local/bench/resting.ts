import { CELL } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { digest } from '../../clients/digest.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { Cell } from '../../crds/cell.ts';
import { objectWorkflowId } from '../../domain/model/workflow-ids.ts';
import { watchedInput } from '../../domain/versions/watched.ts';
import { createTargetGroup, elbv2Of } from '../aws-fixture.ts';
import { forEach, upTo } from './each.ts';
import type { Ground } from './world.ts';

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

/** Makes Cells as they are when they have been looked at and wait for a second target group, as quickly as an API server writes them; answers with the target groups that they select. */
export async function restingCells(
  { stack, management }: Pick<Ground, 'stack' | 'management'>,
  count: number,
): Promise<readonly AWSTargetGroup[]> {
  const elbv2 = elbv2Of(stack);
  await management.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: RESTING } });
  const groups: AWSTargetGroup[] = [];
  await forEach(upTo(Math.ceil(count / CELLS_OF_A_GROUP)), async (index) => {
    const name = `group-${index}`;
    const { arn } = await createTargetGroup(elbv2, name);
    groups[index] = await management.create<AWSTargetGroup>(groupNamed(name, arn));
  });
  elbv2.destroy();
  await forEach(upTo(count), async (index) => {
    const group = groupOf(index, groups);
    const cell = await management.create<Cell>(cellNamed(`cell-${index}`, group.metadata.name));
    const key = { namespace: RESTING, name: cell.metadata.name };
    const status = { ...waiting, observedHash: digest(watchedInput(cell, [group])) };
    await management.patch(CELL, key, { status }, { subresource: 'status' });
  });
  return groups;
}

/** Changes Cells at rest, each a little; answers with the hash that their status has when they have been looked at, by name. */
export async function changeCells(
  management: KubernetesClient,
  count: number,
  groups: readonly AWSTargetGroup[],
): Promise<ReadonlyMap<string, string>> {
  const hashes = new Map<string, string>();
  await forEach(upTo(count), async (index) => {
    const key = { namespace: RESTING, name: `cell-${index}` };
    const cell = await management.patch<Cell>(CELL, key, { spec: { healthTimeout: '11m' } });
    hashes.set(key.name, digest(watchedInput(cell, [groupOf(index, groups)])));
  });
  return hashes;
}

function groupOf(index: number, groups: readonly AWSTargetGroup[]): AWSTargetGroup {
  const group = groups[Math.floor(index / CELLS_OF_A_GROUP)];
  if (group === undefined) throw new Error('Expected a target group, got none.');
  return group;
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

const groupNamed = (name: string, arn: string): AWSTargetGroup => ({
  apiVersion,
  kind: 'AWSTargetGroup',
  metadata: { namespace: RESTING, name, labels: { group: name, 'okra.mumo.co/version': '1.0.0' } },
  spec: { arn },
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

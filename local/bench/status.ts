import { AWS_TARGET_GROUP_SET } from '../../clients/kubernetes/kinds.ts';
import type { AWSTargetGroupSet, AWSTargetGroupSetStatus } from '../../crds/aws-target-group-set.ts';
import { waitFor } from '../wait.ts';
import { SET } from './objects.ts';
import type { World } from './world.ts';

/** Waits until the status of the AWSTargetGroupSet says something. */
export async function untilStatus(
  { management, signal }: Pick<World, 'management' | 'signal'>,
  what: string,
  holds: (status: AWSTargetGroupSetStatus) => boolean,
): Promise<void> {
  const patience = { what: `the status ${what}`, timeoutMillis: 120_000, intervalMillis: 20, signal };
  await waitFor(patience, async () => {
    const set = await management.get<AWSTargetGroupSet>(AWS_TARGET_GROUP_SET, SET);
    return holds(set?.status ?? {}) ? true : undefined;
  });
}

/** Whether all clusters could be read, and all objects be written. */
export const isSynced = ({ phase }: AWSTargetGroupSetStatus): boolean => phase === 'Synced';

import { continueAsNew } from '@temporalio/workflow';
import { syncs } from './activities.ts';
import { entity, type SyncInput } from './entity.ts';

/** Keeps an AWSTargetGroup for each TargetGroupBinding that an AWSTargetGroupSet finds, for as long as the set exists. */
export async function targetGroupSet(input: SyncInput): Promise<void> {
  const { key, intervalSeconds } = input;
  await entity({
    intervalSeconds,
    sync: (last) => syncs('Sync the AWSTargetGroups').syncTargetGroupSet(key, last),
    renew: (seconds) => continueAsNew<typeof targetGroupSet>({ ...input, intervalSeconds: seconds }),
  });
}

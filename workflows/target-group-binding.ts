import { continueAsNew } from '@temporalio/workflow';
import { syncs } from './activities.ts';
import { entity, type SyncInput } from './entity.ts';

/** Keeps the targets of an AWSTargetGroupBinding registered, for as long as the binding exists. */
export async function targetGroupBinding(input: SyncInput): Promise<void> {
  const { key, intervalSeconds } = input;
  await entity({
    intervalSeconds,
    sync: (last) => syncs('Sync the targets').syncTargetGroupBinding(key, last),
    renew: (seconds) => continueAsNew<typeof targetGroupBinding>({ ...input, intervalSeconds: seconds }),
  });
}

import { continueAsNew } from '@temporalio/workflow';
import { syncs } from './activities.ts';
import { entity, type SyncInput } from './entity.ts';

/** Keeps an Argo CD cluster secret for each cluster that a ClusterSet finds, for as long as the set exists. */
export async function clusterSet(input: SyncInput): Promise<void> {
  const { key, intervalSeconds } = input;
  await entity({
    intervalSeconds,
    sync: () => syncs('Sync the cluster secrets').syncClusterSet(key),
    renew: (seconds) => continueAsNew<typeof clusterSet>({ ...input, intervalSeconds: seconds }),
  });
}

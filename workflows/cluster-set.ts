import { continueAsNew } from '@temporalio/workflow';
import type { ObjectKey } from '../domain/ids.ts';
import { syncs } from './activities.ts';
import { entity } from './entity.ts';

/** Which ClusterSet to sync, and how often. */
export interface ClusterSetInput {
  readonly key: ObjectKey;
  readonly intervalSeconds: number;
}

/** Keeps an Argo CD cluster secret for each cluster that a ClusterSet finds, for as long as the set exists. */
export async function clusterSet(input: ClusterSetInput): Promise<void> {
  const { key, intervalSeconds } = input;
  await entity({
    intervalSeconds,
    sync: () => syncs('Sync the cluster secrets').syncClusterSet(key),
    renew: () => continueAsNew<typeof clusterSet>(input),
  });
}

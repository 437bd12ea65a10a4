import { workflowInfo } from '@temporalio/workflow';
import { sync } from './activities.ts';
import { entity, type SyncInput } from './entity.ts';
import { goOn } from './renewal.ts';

/**
 * Keeps what an object asks for the same as what there is, for as long as the object exists: the workflow of every kind
 * that is synced. The type of the workflow says by which activity; the contract of activities has one for each kind.
 */
export async function synced(input: SyncInput): Promise<void> {
  const { key, intervalSeconds, before } = input;
  const { workflowType } = workflowInfo();
  const activity = `sync${workflowType.charAt(0).toUpperCase()}${workflowType.slice(1)}`;
  const words = workflowType.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  await entity({
    intervalSeconds,
    before,
    sync: (...failed) => sync(activity, `Sync the ${words}`, [key, ...failed]),
    renew: (next) => goOn<typeof synced>({ key, ...next }),
  });
}

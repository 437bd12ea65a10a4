import { continueAsNew } from '@temporalio/workflow';
import type { CheckRun, Synced } from '../activities/contract.ts';
import { checks } from './activities.ts';
import { entity, type SyncInput } from './entity.ts';

/** Measures what a Check asks for, sample by sample, until it has come to a verdict or is gone. */
export async function check(input: SyncInput): Promise<void> {
  const { key, intervalSeconds } = input;
  let ticket: CheckRun['ticket'];
  await entity({
    intervalSeconds,
    sync: async (): Promise<Synced> => {
      const { ticket: next, ...synced } = await checks('Look at the Check').runCheck(key, ticket);
      ticket = next;
      return synced;
    },
    renew: (seconds) => continueAsNew<typeof check>({ ...input, intervalSeconds: seconds }),
  });
}

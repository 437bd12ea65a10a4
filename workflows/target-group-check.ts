import { sleep } from '@temporalio/workflow';
import type { FailedBefore } from '../domain/model/pace.ts';
import { checks } from './activities.ts';
import { entity } from './entity.ts';
import { goOn } from './renewal.ts';

/** Of which namespace to check the AWSTargetGroups, and how often. */
export interface TargetGroupCheckInput {
  readonly namespace: string;
  readonly intervalSeconds: number;
  readonly before?: FailedBefore;
}

// What makes hundreds of them at a time has AWS asked about all of them once a second, and not hundreds of times.
const SPACING_MILLISECONDS = 1000;

/** Says in the conditions of a namespace's AWSTargetGroups what AWS knows of them, for as long as there are any. */
export async function targetGroupCheck(input: TargetGroupCheckInput): Promise<void> {
  const { namespace, intervalSeconds, before } = input;
  let begun = 0;
  await entity({
    intervalSeconds,
    before,
    sync: async (...failed) => {
      const early = begun + SPACING_MILLISECONDS - Date.now();
      if (early > 0) await sleep(early, { summary: 'Until the next check' });
      begun = Date.now();
      return checks('Check the AWSTargetGroups').checkTargetGroups(namespace, ...failed);
    },
    renew: (next) => goOn<typeof targetGroupCheck>({ namespace, ...next }),
  });
}

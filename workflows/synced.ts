import { sleep, workflowInfo } from '@temporalio/workflow';
import type { CheckRun, Synced } from '../activities/contract.ts';
import type { FailedBefore } from '../domain/model/pace.ts';
import type { ObjectKey } from '../domain/model/ids.ts';
import { checks, samples, sync } from './activities.ts';
import { entity } from './entity.ts';
import { goOn } from './renewal.ts';

interface SyncInput {
  readonly key: ObjectKey;
  readonly intervalSeconds: number;
  readonly before?: FailedBefore;
}

/** Keeps an object and what there is the same: the workflow of every kind that is synced, whose type names the activity. */
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

const INTERVAL_SECONDS = 60;

/** Measures what a Check asks for, sample by sample, until it has come to a verdict or is gone. */
export async function check(input: { readonly key: ObjectKey }): Promise<void> {
  let throttled: CheckRun['throttled'];
  await entity({
    intervalSeconds: INTERVAL_SECONDS,
    sync: async (): Promise<Synced> => {
      const run = await samples('Look at the Check').runCheck(input.key, throttled);
      ({ throttled } = run);
      return run;
    },
    renew: () => goOn<typeof check>(input),
  });
}

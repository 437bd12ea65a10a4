import { continueAsNew } from '@temporalio/workflow';
import { syncs } from './activities.ts';
import { entity } from './entity.ts';

/** Of which namespace to check the AWSTargetGroups, and how often. */
export interface TargetGroupCheckInput {
  readonly namespace: string;
  readonly intervalSeconds: number;
}

/** Says in the conditions of a namespace's AWSTargetGroups what AWS knows of them, for as long as there are any. */
export async function targetGroupCheck(input: TargetGroupCheckInput): Promise<void> {
  const { namespace, intervalSeconds } = input;
  await entity({
    intervalSeconds,
    sync: () => syncs('Check the AWSTargetGroups').checkTargetGroups(namespace),
    renew: () => continueAsNew<typeof targetGroupCheck>(input),
  });
}

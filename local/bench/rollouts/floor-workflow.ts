import { proxyActivities } from '@temporalio/workflow';

const { nothing } = proxyActivities<{ nothing(): Promise<void> }>({ startToCloseTimeout: '10s' });

/** Performs activities that do nothing, one after another: the least that a workflow of as many steps can take. */
export async function floor(count: number): Promise<void> {
  for (let done = 0; done < count; done += 1) await nothing();
}

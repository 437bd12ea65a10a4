import { continueAsNew, setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import type { LoadBalancerType } from '../domain/load-balancer.ts';
import { elbv2Reads } from './activities.ts';

/** Which listener to watch, and how often. */
export interface DriftWatchInput {
  readonly type: LoadBalancerType;
  readonly listenerARN: string;
  /** The time between two looks, in seconds; each is jittered by up to a tenth. */
  readonly intervalSeconds: number;
}

/** Looks at a listener once per interval, for as long as an object names it, and wakes the writers of what differs. */
export async function driftWatch(input: DriftWatchInput): Promise<void> {
  const { type, listenerARN, intervalSeconds } = input;
  for (;;) {
    const jittered = intervalSeconds * (0.95 + Math.random() / 10);
    await sleep(jittered * 1000, { summary: 'Until the next look at the listener' });
    const compare = elbv2Reads('Compare the listener with what the objects say');
    const found = await compare.findDrift({ type, listenerARN });
    if (found.watched === 0) return;
    for (const { key, difference, isOwnedByCell } of found.drifted) {
      await elbv2Reads(difference).wakeWriter({ type, key, isOwnedByCell });
    }
    setCurrentDetails(`${found.watched} objects watched, ${found.drifted.length} differed at the last look.`);
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof driftWatch>(input);
  }
}

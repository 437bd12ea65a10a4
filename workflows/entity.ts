import { setCurrentDetails, setHandler, sleep } from '@temporalio/workflow';
import type { Synced } from '../activities/contract.ts';
import type { FailedBefore } from '../domain/model/pace.ts';
import { failureOf } from './failure.ts';
import { changed } from './messages.ts';
import { isDue, waitUntil } from './renewal.ts';

interface Entity {
  /** The longest time between two syncs, in seconds, until a sync says otherwise; each is jittered by up to a tenth. */
  readonly intervalSeconds: number;
  /** Over how many seconds the syncs are spread of those that are woken together; 0: they sync at once. */
  readonly spreadSeconds?: number;
  readonly before?: FailedBefore | undefined;
  /** Makes a sync, and is told when the ones before have failed. */
  readonly sync: (...before: FailedBefore[]) => Promise<Synced>;
  readonly renew: (next: Renewed) => Promise<never>;
}

interface Renewed {
  readonly intervalSeconds: number;
  readonly before?: FailedBefore;
}

/** Syncs at once, then whenever the object has changed and once per interval, until the object is gone. */
export async function entity({
  intervalSeconds: first,
  spreadSeconds = 0,
  before,
  sync,
  renew,
}: Entity): Promise<void> {
  let wakes = 0;
  let intervalSeconds = first;
  let failed: readonly FailedBefore[] = before === undefined ? [] : [before];
  setHandler(changed, () => void (wakes += 1), { description: 'Looks at the object again.' });
  for (let woken = true; ;) {
    if (woken && spreadSeconds > 0) {
      await sleep(Math.random() * spreadSeconds * 1000, { summary: 'Not all at once' });
    }
    const seen = wakes;
    let synced: Synced;
    try {
      synced = await sync(...failed);
      failed = [];
    } catch (error) {
      synced = { isPresent: true, message: failureOf(error).message };
      failed = [failed[0] ?? { failingSince: Date.now() }];
    }
    // The interval may be set otherwise since this run was started.
    intervalSeconds = synced.intervalSeconds ?? intervalSeconds;
    const { isPresent, message, againInSeconds = intervalSeconds } = synced;
    setCurrentDetails(message);
    if (!isPresent && wakes === seen) return;
    // The next run syncs at once, which is what a wake asks for; under one wake after the other this must not wait.
    if (isDue()) await renew({ intervalSeconds, ...(failed[0] && { before: failed[0] }) });
    const jittered = Math.min(intervalSeconds, againInSeconds) * (0.95 + Math.random() / 10);
    woken = await waitUntil(() => wakes !== seen || isDue(), jittered * 1000, 'Until the next sync');
  }
}

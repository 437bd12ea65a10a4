import type { DriftFinding, DriftRequest, Synced, WatchedPlace } from '../activities/contract.ts';
import type { FailedBefore } from '../domain/model/pace.ts';
import { elbv2Reads } from './activities.ts';
import { entity } from './entity.ts';
import { goOn } from './renewal.ts';

/** Which place to watch, and how often, until the first look says otherwise. */
export interface DriftWatchInput extends WatchedPlace {
  /** The time between two looks, in seconds; each is jittered by up to a tenth. */
  readonly intervalSeconds: number;
  readonly before?: FailedBefore;
  /** The target groups that carried traffic without a healthy target at the last look. */
  readonly unhealthy?: readonly string[];
}

/** How soon a look follows while traffic is split, in seconds: a canary without healthy targets is reverted within a minute. */
const SPLIT_SECONDS = 30;

// The watches over all places are woken together, whenever okrad is started.
const SPREAD_SECONDS = 10;

const LONGEST_SUMMARY = 200;

/** Looks at a place once per interval, for as long as an object names it, and wakes the writers of what differs. */
export async function driftWatch(input: DriftWatchInput): Promise<void> {
  const { type, place, intervalSeconds, before } = input;
  let unhealthy = input.unhealthy ?? [];
  await entity({
    intervalSeconds,
    spreadSeconds: Math.min(SPREAD_SECONDS, intervalSeconds),
    before,
    sync: async (...failed) => {
      const { finding, synced } = await compare({ type, place, unhealthy }, failed);
      ({ unhealthy } = finding);
      return synced;
    },
    renew: (next) => goOn<typeof driftWatch>({ type, place, unhealthy, ...next }),
  });
}

async function compare(
  request: DriftRequest,
  failed: readonly FailedBefore[],
): Promise<{ readonly finding: DriftFinding; readonly synced: Synced }> {
  const look = elbv2Reads('Compare the listener with what the objects say');
  const finding = await look.findDrift(request, ...failed);
  const { watched, unread = 0, drifted, changed, isSplit, intervalSeconds } = finding;
  for (const { key, difference, isOwnedByCell } of drifted) {
    const wake = elbv2Reads(difference.slice(0, LONGEST_SUMMARY));
    await wake.wakeWriter({ type: request.type, key, isOwnedByCell });
  }
  for (const key of changed) {
    const wake = elbv2Reads('The health of its targets has changed');
    await wake.wakeWriter({ type: request.type, key, isOwnedByCell: true, forTargets: true });
  }
  const hidden = unread === 0 ? '' : ` Okra may not read ${unread} of the namespaces that it watches.`;
  const synced = {
    ...(intervalSeconds === undefined ? {} : { intervalSeconds }),
    ...(isSplit ? { againInSeconds: SPLIT_SECONDS } : {}),
    isPresent: watched + unread > 0,
    message: `${watched} objects watched, ${drifted.length} differed at the last look.${hidden}`,
  };
  return { finding, synced };
}

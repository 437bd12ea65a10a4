import type { Synced, WatchedPlace } from '../activities/contract.ts';
import type { FailedBefore } from '../domain/model/failed-before.ts';
import { elbv2Reads } from './activities.ts';
import { entity } from './entity.ts';
import { goOn } from './renewal.ts';

/** Which place to watch, and how often, until the first look says otherwise. */
export interface DriftWatchInput extends WatchedPlace {
  /** The time between two looks, in seconds; each is jittered by up to a tenth. */
  readonly intervalSeconds: number;
  readonly before?: FailedBefore;
}

// The watches over all places are woken together, whenever okrad is started.
const SPREAD_SECONDS = 10;

const LONGEST_SUMMARY = 200;

/** Looks at a place once per interval, for as long as an object names it, and wakes the writers of what differs. */
export async function driftWatch(input: DriftWatchInput): Promise<void> {
  const { type, place, intervalSeconds, before } = input;
  await entity({
    intervalSeconds,
    spreadSeconds: Math.min(SPREAD_SECONDS, intervalSeconds),
    before,
    sync: (_, ...failed) => compare({ type, place }, failed),
    renew: (next) => goOn<typeof driftWatch>({ type, place, ...next }),
  });
}

async function compare(place: WatchedPlace, failed: readonly FailedBefore[]): Promise<Synced> {
  const look = elbv2Reads('Compare the listener with what the objects say');
  const { watched, unread = 0, drifted, ...rest } = await look.findDrift(place, ...failed);
  for (const { key, difference, isOwnedByCell } of drifted) {
    const wake = elbv2Reads(difference.slice(0, LONGEST_SUMMARY));
    await wake.wakeWriter({ type: place.type, key, isOwnedByCell });
  }
  return {
    ...rest,
    isPresent: watched + unread > 0,
    message: `${watched} objects watched, ${drifted.length} differed at the last look.${unreadIn(unread)}`,
  };
}

const unreadIn = (namespaces: number): string =>
  namespaces === 0 ? '' : ` Okra may not read ${namespaces} of the namespaces that it watches.`;

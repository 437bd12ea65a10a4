import type { Attempt } from './attempt.ts';
import { claimed, ownerIfShown } from '../owner.ts';
import { readIfInTime } from '../read-in-time.ts';

/** Another object has taken over the rule that the status names; it may be taken over again once it has been read. */
export class Lost extends Error {
  override readonly name = 'Lost';
}

/**
 * Keeps the rule that the status names from being written when another object has taken it over since: throws a `Conflict`,
 * or `Lost`. A rule whose tags someone has removed, or that reads do not show yet, is still what the status says.
 */
export async function refuseLost(
  { request, desired, elbv2, owner, writing }: Attempt,
  ruleARN: string,
): Promise<void> {
  const { urgent, adopt } = request;
  const read = (inTime: AbortSignal): Promise<string | undefined> => ownerIfShown(elbv2, ruleARN, inTime);
  const tag = await readIfInTime({ urgent, signal: writing.signal }, read, undefined);
  if (tag === undefined) return;
  const claim = { owner: await owner(), adopt, what: `priority ${desired.priority} of the listener` };
  if (claimed(claim, ruleARN, tag) === 'TakeOver') {
    throw new Lost(
      `Expected to read rule ${desired.priority} before Okra takes it over from ${tag}, got no answer in time. Okra tries again.`,
    );
  }
}

import type { ELBv2 } from '../../clients/elbv2.ts';
import { formatKey, ownerTag, type ObjectKey } from '../../domain/ids.ts';
import { OWNER_TAG } from '../../domain/labels.ts';
import { failure } from '../failure.ts';

/** Somebody who wants to own a rule or a listener. */
export interface Claim {
  readonly key: ObjectKey;
  readonly adopt: boolean;
  /** What is claimed, for people: `priority 10 of the listener`. */
  readonly what: string;
  /** Whether it may be taken over without being asked for when nobody owns it. */
  readonly isOurs?: boolean;
}

/** Who owns a rule or a listener, as its tag says. */
export async function ownerOf(elbv2: ELBv2, arn: string, signal: AbortSignal): Promise<string | undefined> {
  return (await elbv2.tagsOf(arn, signal))[OWNER_TAG];
}

/** Whether somebody has to take a rule or a listener over before writing to it; throws a `Conflict` when that is not allowed. */
export function hasToTakeOver(
  { key, adopt, what, isOurs = false }: Claim,
  arn: string,
  owner?: string,
): boolean {
  if (owner === ownerTag(key)) return false;
  if (adopt || (owner === undefined && isOurs)) return true;
  const whose = owner === undefined ? 'one that Okra did not set up' : `one that belongs to ${owner}`;
  throw failure(
    'Conflict',
    `Expected ${what} to be free or to belong to ${formatKey(key)}, got ${whose} (${arn}). Choose another, or set the annotation okra.mumo.co/adopt to "true" on the Cell, or on a configuration of your own, to take it over.`,
  );
}

/** Takes a rule or a listener over. */
export const takeOver = (elbv2: ELBv2, arn: string, key: ObjectKey): Promise<void> =>
  elbv2.tag(arn, { [OWNER_TAG]: ownerTag(key) });

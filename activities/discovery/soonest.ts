import { isFailureType, isPermanent } from '../../domain/failures.ts';
import type { Problem } from '../../domain/discovery/sync-status.ts';
import { FAILED_AGAIN_SECONDS } from './clusters/reader.ts';

/** Soon, when trying again can help by itself. */
export const soonest = (problems: readonly Problem[]): number | undefined =>
  problems.some(({ reason }) => isFailureType(reason) && !isPermanent(reason))
    ? FAILED_AGAIN_SECONDS
    : undefined;

/** When to look again, as an answer says it. */
export const againIn = ({
  againInSeconds,
}: {
  readonly againInSeconds?: number | undefined;
}): {
  readonly againInSeconds?: number;
} => (againInSeconds === undefined ? {} : { againInSeconds });

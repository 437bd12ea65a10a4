import type { Rule } from '@aws-sdk/client-elastic-load-balancing-v2';
import { reasonOf } from '../../failure.ts';
import type { Attempt, KnownRule } from './attempt.ts';
import { claimed, ownerIfShown, ownerOf, takeOver } from '../owner.ts';
import { readIfInTime } from '../read-in-time.ts';
import { isAnothers } from '../../../domain/load-balancers/owner-tag.ts';
import { circleOf } from './rule-circle.ts';
import { fromRule } from './rule-conversion.ts';
import { reads } from './rule-stickiness.ts';
import { refuseUnsayable } from './rule-takeover.ts';

/** Finds the rule that is ours: by listener and priority, or by its ARN when only its priority has changed. */
export async function find(attempt: Attempt): Promise<KnownRule | undefined> {
  const { request, desired, elbv2, writing } = attempt;
  const rules = await elbv2.rulesOf(request.forwarding.listenerARN, writing.signal);
  const own = rules.filter((rule) => rule.IsDefault !== true);
  const there = own.find((rule) => rule.Priority === String(desired.priority));
  const named = own.find((rule) => rule.RuleArn === request.observed?.ruleARN);
  // What another object has taken over stays where it is, and ours is made at its new place.
  const moved = named === there || (await isLeft(attempt, named)) ? named : undefined;
  const alongside = await circleOf(attempt, own, { there, moved });
  const rule = alongside === undefined ? (there ?? moved) : moved;
  if (rule === undefined) return undefined;
  try {
    await claimRule(attempt, rule);
  } catch (error) {
    if (!request.urgent || moved === undefined || moved === rule || !isConflict(error)) throw error;
    // Traffic is taken back where it is.
    await claimRule(attempt, moved);
    return { ...(await knownRule(attempt, moved)), isDisplaced: true };
  }
  return { ...(await knownRule(attempt, rule)), ...(alongside === undefined ? {} : { alongside }) };
}

/** Whether a rule that the status names was left to its object by all others. */
async function isLeft({ owner, elbv2, writing }: Attempt, rule: Rule | undefined): Promise<boolean> {
  if (rule === undefined) return true;
  const [{ key }, tag] = await Promise.all([owner(), ownerOf(elbv2, rule.RuleArn ?? '', writing.signal)]);
  return !isAnothers({ key }, tag);
}

/** Someone else's by now is a rule that may be taken over, as soon as it was looked at. */
export class Lost extends Error {
  override readonly name = 'Lost';
}

/**
 * Keeps the rule that the status names from being written when someone else has taken it over since: throws a `Conflict`,
 * or `Lost`. One whose tags someone has taken off, or that reads do not show yet, is still what the status says.
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
      `Expected an answer on what rule ${desired.priority} does before it is taken over from ${tag}, got none in time. It is tried again.`,
    );
  }
}

const isConflict = (error: unknown): boolean => error instanceof Error && reasonOf(error) === 'Conflict';

async function claimRule(attempt: Attempt, rule: Rule): Promise<void> {
  const { request, desired, elbv2, writing } = attempt;
  const ruleARN = rule.RuleArn ?? '';
  const isThere = rule.Priority === String(desired.priority);
  const what = isThere ? `priority ${desired.priority} of the listener` : 'the rule that the status names';
  const [owner, tag] = await Promise.all([attempt.owner(), ownerOf(elbv2, ruleARN, writing.signal)]);
  // The status names what was ours, and nobody else's has come to its place.
  const claim = claimed({ owner, adopt: request.adopt, what, isOurs: !isThere }, ruleARN, tag);
  if (claim === 'Ours') return;
  if (claim === 'TakeOver') refuseUnsayable(rule, desired);
  await writing.permit();
  await takeOver(elbv2, ruleARN, owner);
}

/** A rule that was read, in Okra's words. */
export async function knownRule(attempt: Attempt, rule: Rule): Promise<KnownRule> {
  return { ruleARN: rule.RuleArn ?? '', ...(await reads(attempt, fromRule(rule, attempt.desired))) };
}

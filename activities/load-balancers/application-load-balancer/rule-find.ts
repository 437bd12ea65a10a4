import type { Rule } from '@aws-sdk/client-elastic-load-balancing-v2';
import { formatKey } from '../../../domain/model/ids.ts';
import { failure } from '../../failure.ts';
import type { Attempt, KnownRule } from './attempt.ts';
import { claimed, ownerOf, refuseManaged, takeOver } from '../owner.ts';
import { isOfAnother, isOwn, keyInTag, ownershipOf } from '../../../domain/load-balancers/owner-tag.ts';
import { fromRule } from './rule-conversion.ts';
import { reads } from './rule-stickiness.ts';
import { refuseUnsayable } from './rule-takeover.ts';

/**
 * Finds the rule that is ours: by listener and priority, or by its ARN when only its priority has changed. What takes traffic
 * back prefers the one that the status names, wherever it is.
 */
export async function find(attempt: Attempt): Promise<KnownRule | undefined> {
  const { request, desired, elbv2, writing } = attempt;
  const { listenerARN } = request.forwarding;
  const isFirst = request.observed?.listenerARN !== listenerARN;
  const [rules, tags] = await Promise.all([
    elbv2.rulesOf(listenerARN, writing.signal),
    isFirst ? elbv2.tagsOf(listenerARN, writing.signal) : {},
  ]);
  refuseManaged(listenerARN, tags);
  const own = rules.filter((rule) => rule.IsDefault !== true);
  const there = own.find((rule) => rule.Priority === String(desired.priority));
  const named = own.find((rule) => rule.RuleArn === request.observed?.ruleARN);
  // A rule that another object has taken over stays where it is; ours is created at its new place.
  const moved = named === there || (await isStillOurs(attempt, named)) ? named : undefined;
  const rule = request.urgent ? (moved ?? there) : (there ?? moved);
  if (rule === undefined) return undefined;
  if (moved !== undefined && rule !== moved) await refuseInUse(attempt, rule);
  await claimRule(attempt, rule);
  return await knownRule(attempt, rule);
}

/** Whether no other object has taken over the rule that the status names. */
async function isStillOurs({ owner, elbv2, writing }: Attempt, rule: Rule | undefined): Promise<boolean> {
  if (rule === undefined) return true;
  const [{ key }, tag] = await Promise.all([owner(), ownerOf(elbv2, rule.RuleArn ?? '', writing.signal)]);
  return !isOfAnother({ key }, tag);
}

/** Keeps an object that has a rule from taking over the rule of another object by a change of priority, even where it may adopt: throws a `Conflict`. */
async function refuseInUse(attempt: Attempt, { RuleArn = '', Priority }: Rule): Promise<void> {
  const { request, elbv2, owner, asks, writing } = attempt;
  const tag = await ownerOf(elbv2, RuleArn, writing.signal);
  const key = keyInTag(tag);
  if (key === undefined || formatKey(key) === formatKey(request.key)) return;
  const { installation } = await owner();
  if (!isOwn(ownershipOf({ key, installation }, tag))) return;
  const other = await asks({ type: 'AWSApplicationLoadBalancer', key }, writing.signal);
  const observed = other?.status.observed;
  // Only what its own status names is surely the rule that the object speaks of.
  if (observed?.type !== 'AWSApplicationLoadBalancer' || observed.ruleARN !== RuleArn) return;
  throw failure(
    'Conflict',
    `cannot give ${formatKey(request.key)} priority ${Priority} of the listener: ${tag} serves by it (${RuleArn}). Choose another priority. To swap two priorities, move the other rule to a free priority first, and edit both afterwards.`,
  );
}

async function claimRule(attempt: Attempt, rule: Rule): Promise<void> {
  const { request, desired, elbv2, writing } = attempt;
  const ruleARN = rule.RuleArn ?? '';
  const isThere = rule.Priority === String(desired.priority);
  const what = isThere ? `priority ${desired.priority} of the listener` : 'the rule that the status names';
  const [owner, tag] = await Promise.all([attempt.owner(), ownerOf(elbv2, ruleARN, writing.signal)]);
  // What the status names was ours, and someone has only taken its tags off.
  const isTold = ruleARN === request.observed?.ruleARN;
  const claim = claimed({ owner, adopt: request.adopt, what, isOurs: !isThere || isTold }, ruleARN, tag);
  if (claim === 'Ours') return;
  if (claim === 'TakeOver' && !(isTold && tag === undefined)) refuseUnsayable(rule, desired);
  await writing.permit();
  await takeOver(elbv2, ruleARN, owner);
}

/** A rule that was read, in Okra's words. */
export async function knownRule(attempt: Attempt, rule: Rule): Promise<KnownRule> {
  return { ruleARN: rule.RuleArn ?? '', ...(await reads(attempt, fromRule(rule, attempt.desired))) };
}

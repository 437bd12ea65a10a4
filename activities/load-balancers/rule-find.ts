import type { Rule } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { Attempt, KnownRule } from './attempt.ts';
import { hasToTakeOver, ownerOf, takeOver } from './owner.ts';
import { fromRule } from './rule-conversion.ts';
import { reads } from './rule-stickiness.ts';
import { refuseUnsayable } from './rule-takeover.ts';

/** Finds the rule that is ours: by listener and priority, or by its ARN when only its priority has changed. */
export async function find(attempt: Attempt): Promise<KnownRule | undefined> {
  const { request, wanted, elbv2, writing } = attempt;
  const rules = await elbv2.rulesOf(request.forwarding.listenerARN, writing.signal);
  const own = rules.filter((rule) => rule.IsDefault !== true);
  const there = own.find((rule) => rule.Priority === String(wanted.priority));
  const moved = own.find((rule) => rule.RuleArn === request.served?.ruleARN);
  if (there !== undefined) await claim(attempt, there);
  const rule = there ?? moved;
  return rule === undefined ? undefined : knownRule(attempt, rule);
}

async function claim({ request, wanted, elbv2, writing }: Attempt, rule: Rule): Promise<void> {
  const { key, adopt } = request;
  const ruleARN = rule.RuleArn ?? '';
  const what = `priority ${wanted.priority} of the listener`;
  const owner = await ownerOf(elbv2, ruleARN, writing.signal);
  if (!hasToTakeOver({ key, adopt, what }, ruleARN, owner)) return;
  refuseUnsayable(rule, wanted);
  await writing.permit();
  await takeOver(elbv2, ruleARN, key);
}

/** A rule that was read, in Okra's words. */
export async function knownRule(attempt: Attempt, rule: Rule): Promise<KnownRule> {
  return { ruleARN: rule.RuleArn ?? '', ...(await reads(attempt, fromRule(rule, attempt.wanted))) };
}

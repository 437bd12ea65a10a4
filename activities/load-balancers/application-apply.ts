import type { Rule } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { Carried } from '../../crds/carried.ts';
import { remembered } from '../../domain/carried.ts';
import type { Served } from '../../domain/load-balancer.ts';
import {
  describeDifference,
  differenceOf,
  type PresentRule,
  type RuleDifference,
} from '../../domain/rule-difference.ts';
import { awsErrorType } from '../failure.ts';
import type { Attempt, KnownRule } from './attempt.ts';
import { hasToTakeOver, ownerOf, takeOver } from './owner.ts';
import { readBack } from './read-back.ts';
import { readInTime } from './read-in-time.ts';
import { fromRule } from './rule-conversion.ts';
import { ruleOf, servedBy } from './rule-forwarding.ts';
import { keepTargets, reads, refuseUnweighable, releaseTargets } from './rule-stickiness.ts';
import { refuseUnsayable } from './rule-takeover.ts';
import { createRule, toCarry, writeRule } from './rule-write.ts';

/** Makes a listener rule what is asked for, and answers with what was read back. */
export async function applyListenerRule(attempt: Attempt): Promise<Served<'AWSApplicationLoadBalancer'>> {
  const { request, wanted } = attempt;
  const { served, verify } = request;
  refuseUnweighable(attempt);
  const { listenerARN } = request.forwarding;
  const had = served?.carried ?? {};
  const usable = served?.ruleARN !== undefined && !verify && served.listenerARN === listenerARN;
  const told =
    served?.ruleARN === undefined || served.listenerARN !== listenerARN ? undefined : knownBy(served);
  const known = usable
    ? told
    : await readInTime(request, attempt.writing, (writing) => find({ ...attempt, writing }), told);
  if (known === undefined) {
    const ruleARN = await createRule(attempt);
    await keepTargets(attempt, undefined);
    const { rule, carried } = await shown(attempt, ruleARN, had);
    return servedBy(listenerARN, ruleARN, rule, carried);
  }
  const { ruleARN } = known;
  const carrying = toCarry(attempt, ruleARN, known.carried);
  // What nobody could read is written, whatever the status says.
  const isUnread = known === told && !usable;
  const difference = isUnread ? WEIGHTS_ALONE : differenceOf({ rule: wanted, carried: carrying }, known);
  if (difference === undefined) {
    // The names are those of the request; the load balancer knows none.
    const rule = { ...known.rule, forward: wanted.forward };
    return servedBy(listenerARN, ruleARN, rule, remembered(had, known.carried));
  }
  let carries: Carried;
  try {
    // ELBv2 wants the rule to keep clients for as long as one of its groups does.
    await releaseTargets(attempt, known);
    carries = await writeRule(attempt, known, difference);
  } catch (error) {
    if (!usable || awsErrorType(error) !== 'RuleNotFound') throw error;
    // Somebody has deleted the rule since its status was written.
    return applyListenerRule({ ...attempt, request: { ...request, verify: true } });
  }
  await keepTargets(attempt, known);
  const { rule, carried } = await shown(attempt, ruleARN, carries);
  return servedBy(listenerARN, ruleARN, rule, remembered(had, carried));
}

/** What the status says of a rule. */
const knownBy = (served: Served<'AWSApplicationLoadBalancer'>): KnownRule => ({
  ruleARN: served.ruleARN ?? '',
  rule: ruleOf(served),
  carried: served.carried ?? {},
  unsaid: [],
});

/** Taking traffic back without a look changes the weights, and nothing else. */
const WEIGHTS_ALONE: RuleDifference = {
  priority: false,
  conditions: false,
  forward: true,
  actions: false,
  targets: false,
};

/** Finds the rule that is ours: by listener and priority, or by its ARN when only its priority has changed. */
async function find(attempt: Attempt): Promise<KnownRule | undefined> {
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

async function knownRule(attempt: Attempt, rule: Rule): Promise<KnownRule> {
  return { ruleARN: rule.RuleArn ?? '', ...(await reads(attempt, fromRule(rule, attempt.wanted))) };
}

/** Reads a rule back until it shows what was written, and that it goes on doing what it was told to. */
function shown(attempt: Attempt, ruleARN: string, carried: Carried): Promise<PresentRule> {
  const { wanted, elbv2, writing } = attempt;
  return readBack(`the rule (${ruleARN})`, async () => {
    const rule = await elbv2.rule(ruleARN, writing.signal);
    if (rule === undefined) return { ok: false, got: 'no rule at all.' };
    const value = await knownRule(attempt, rule);
    const difference = differenceOf({ rule: wanted, carried }, value);
    return difference === undefined
      ? { ok: true, value }
      : { ok: false, got: `another. ${describeDifference(difference)}` };
  });
}

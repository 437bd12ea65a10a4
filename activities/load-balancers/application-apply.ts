import type { Rule } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { ELBv2 } from '../../clients/elbv2.ts';
import type { ListenerRule } from '../../crds/listener-rule.ts';
import { ownerTag } from '../../domain/ids.ts';
import { OWNER_TAG } from '../../domain/labels.ts';
import type { Served } from '../../domain/load-balancer.ts';
import { describeDifference, differenceOf, type RuleDifference } from '../../domain/rule-difference.ts';
import type { ApplyRequest } from '../contract.ts';
import { awsErrorType } from '../failure.ts';
import { hasToTakeOver, ownerOf, takeOver } from './owner.ts';
import type { Writing } from './port.ts';
import { readBack } from './read-back.ts';
import { toConditions } from './rule-conditions.ts';
import { fromRule, toActions } from './rule-conversion.ts';
import { ruleOf, servedBy } from './rule-forwarding.ts';
import { keepTargets, reads, releaseTargets, type KnownRule } from './rule-stickiness.ts';

/** One attempt to make a listener rule what is wanted. */
export interface Attempt {
  readonly request: ApplyRequest<'AWSApplicationLoadBalancer'>;
  readonly wanted: ListenerRule;
  readonly elbv2: ELBv2;
  readonly writing: Writing;
}

/** Makes a listener rule what is asked for, and answers with what was read back. */
export async function applyListenerRule(attempt: Attempt): Promise<Served<'AWSApplicationLoadBalancer'>> {
  const { request, wanted } = attempt;
  const { served, verify } = request;
  const { listenerARN } = request.forwarding;
  const usable = served?.ruleARN !== undefined && !verify && served.listenerARN === listenerARN;
  const known = usable ? { ruleARN: served.ruleARN ?? '', rule: ruleOf(served) } : await find(attempt);
  if (known === undefined) {
    const ruleARN = await create(attempt);
    await keepTargets(attempt, undefined);
    return servedBy(listenerARN, ruleARN, await shown(attempt, ruleARN));
  }
  const difference = differenceOf(wanted, known.rule);
  if (difference === undefined) {
    // The names are those of the request; the load balancer knows none.
    return servedBy(listenerARN, known.ruleARN, { ...known.rule, forward: wanted.forward });
  }
  try {
    // ELBv2 wants the rule to keep clients for as long as one of its groups does.
    await releaseTargets(attempt, known);
    await write(attempt, known.ruleARN, difference);
  } catch (error) {
    if (!usable || awsErrorType(error) !== 'RuleNotFound') throw error;
    // Somebody has deleted the rule since its status was written.
    return applyListenerRule({ ...attempt, request: { ...request, verify: true } });
  }
  await keepTargets(attempt, known);
  return servedBy(listenerARN, known.ruleARN, await shown(attempt, known.ruleARN));
}

/** Finds the rule that is ours: by listener and priority, or by its ARN when only its priority has changed. */
async function find(attempt: Attempt): Promise<KnownRule | undefined> {
  const { request, wanted, elbv2, writing } = attempt;
  const rules = await elbv2.rulesOf(request.forwarding.listenerARN, writing.signal);
  const own = rules.filter((rule) => rule.IsDefault !== true);
  const there = own.find((rule) => rule.Priority === String(wanted.priority));
  const moved = own.find((rule) => rule.RuleArn === request.served?.ruleARN);
  if (there !== undefined) await claim(attempt, there.RuleArn ?? '');
  const rule = there ?? moved;
  return rule === undefined ? undefined : knownRule(attempt, rule);
}

async function claim({ request, wanted, elbv2, writing }: Attempt, ruleARN: string): Promise<void> {
  const { key, adopt } = request;
  const what = `priority ${wanted.priority} of the listener`;
  const owner = await ownerOf(elbv2, ruleARN, writing.signal);
  if (!hasToTakeOver({ key, adopt, what }, ruleARN, owner)) return;
  await writing.permit();
  await takeOver(elbv2, ruleARN, key);
}

async function knownRule(attempt: Attempt, rule: Rule): Promise<KnownRule> {
  return { ruleARN: rule.RuleArn ?? '', ...(await reads(attempt, fromRule(rule, attempt.wanted))) };
}

async function create({ request, wanted, elbv2, writing }: Attempt): Promise<string> {
  await writing.permit();
  const rule = await elbv2.createRule({
    ListenerArn: request.forwarding.listenerARN,
    Priority: wanted.priority,
    Conditions: toConditions(wanted),
    Actions: toActions(wanted),
    Tags: [{ Key: OWNER_TAG, Value: ownerTag(request.key) }],
  });
  return rule.RuleArn ?? '';
}

async function write(
  { wanted, elbv2, writing }: Attempt,
  ruleARN: string,
  difference: RuleDifference,
): Promise<void> {
  if (difference.priority) {
    await writing.permit();
    await elbv2.setPriority(ruleARN, wanted.priority);
  }
  if (!difference.conditions && !difference.forward) return;
  await writing.permit();
  await elbv2.modifyRule({
    RuleArn: ruleARN,
    ...(difference.conditions ? { Conditions: toConditions(wanted) } : {}),
    ...(difference.forward ? { Actions: toActions(wanted) } : {}),
  });
}

function shown(attempt: Attempt, ruleARN: string): Promise<ListenerRule> {
  const { wanted, elbv2, writing } = attempt;
  return readBack(`the rule (${ruleARN})`, async () => {
    const rule = await elbv2.rule(ruleARN, writing.signal);
    if (rule === undefined) return { ok: false, got: 'no rule at all.' };
    const { rule: value } = await knownRule(attempt, rule);
    const difference = differenceOf(wanted, value);
    return difference === undefined
      ? { ok: true, value }
      : { ok: false, got: `another. ${describeDifference(difference)}` };
  });
}

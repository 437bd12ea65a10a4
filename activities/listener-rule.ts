import { Context } from '@temporalio/activity';
import type { Rule } from '@aws-sdk/client-elastic-load-balancing-v2';
import { quotaOf, type ELBv2 } from '../clients/elbv2.ts';
import type { WriteBudget } from '../clients/write-budget.ts';
import { formatKey, ownerTag } from '../domain/ids.ts';
import { OWNER_TAG } from '../domain/labels.ts';
import { describeDifference, differenceOf, type RuleDifference } from '../domain/rule-difference.ts';
import { beating } from './beat.ts';
import type { AppliedRule, ApplyRuleRequest, ListenerRuleActivities } from './contract.ts';
import { awsErrorType, failure } from './failure.ts';
import { fromRule, toActions, toConditions } from './rule-conversion.ts';

/** What the writer of listener rules is made of. */
export interface ListenerRuleDependencies {
  readonly elbv2: (arn: string) => ELBv2;
  readonly budget: WriteBudget;
}

/** How often a rule is read back until it shows what was written, and the first wait between, in milliseconds. */
const READ_BACK = { attempts: 6, firstWaitMs: 100 } as const;

interface Attempt {
  readonly request: ApplyRuleRequest;
  readonly elbv2: ELBv2;
  /** Waits for a write of the budget; throws when this attempt may not write any more. */
  readonly permit: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** Makes the activity that makes a listener rule what is wanted. */
export function listenerRuleActivities({ elbv2, budget }: ListenerRuleDependencies): ListenerRuleActivities {
  return {
    applyRule: (request) =>
      beating(async (signal) => {
        const permit = async (): Promise<void> => {
          await budget.take(quotaOf(request.listenerARN), request.urgent, signal);
          signal.throwIfAborted();
          refuseWhenLate();
        };
        return applyRule({ request, elbv2: elbv2(request.listenerARN), permit, signal });
      }),
  };
}

/** Keeps a process that was stopped for long from writing when somebody else has taken over. */
function refuseWhenLate(): void {
  const { currentAttemptScheduledTimestampMs, startToCloseTimeoutMs } = Context.current().info;
  if (Date.now() > currentAttemptScheduledTimestampMs + startToCloseTimeoutMs) {
    throw failure(
      'Superseded',
      'Expected to write in time, got here too late; another attempt has taken over.',
    );
  }
}

async function applyRule(attempt: Attempt): Promise<AppliedRule> {
  const { request } = attempt;
  const { served } = request;
  const usable = served !== undefined && !request.verify && served.listenerARN === request.listenerARN;
  const known = usable ? served : await find(attempt);
  if (known === undefined) return readBack(attempt, await create(attempt));
  const difference = differenceOf(request.rule, known.rule);
  if (difference === undefined) return { ...known, rule: { ...known.rule, forward: request.rule.forward } };
  try {
    await write(attempt, known.ruleARN, difference);
  } catch (error) {
    if (!usable || awsErrorType(error) !== 'RuleNotFound') throw error;
    // Somebody has deleted the rule since its status was written.
    return applyRule({ ...attempt, request: { ...request, verify: true } });
  }
  return readBack(attempt, known.ruleARN);
}

/** Finds the rule that is ours: by listener and priority, or by its ARN when only its priority has changed. */
async function find(attempt: Attempt): Promise<AppliedRule | undefined> {
  const { request, elbv2, signal } = attempt;
  const rules = (await elbv2.rulesOf(request.listenerARN, signal)).filter((rule) => rule.IsDefault !== true);
  const there = rules.find((rule) => rule.Priority === String(request.rule.priority));
  const moved = rules.find((rule) => rule.RuleArn === request.served?.ruleARN);
  if (there !== undefined) {
    await claim(attempt, there);
    return appliedFrom(attempt, there);
  }
  return moved === undefined ? undefined : appliedFrom(attempt, moved);
}

async function claim({ request, elbv2, permit, signal }: Attempt, rule: Rule): Promise<void> {
  const arn = rule.RuleArn ?? '';
  const owner = (await elbv2.tagsOf(arn, signal))[OWNER_TAG];
  if (owner === ownerTag(request.key)) return;
  if (!request.adopt) {
    const whose = owner === undefined ? 'one that Okra did not create' : `one that belongs to ${owner}`;
    throw failure(
      'Conflict',
      `Expected priority ${request.rule.priority} of the listener to be free or to belong to ${formatKey(request.key)}, got ${whose} (${arn}). Choose another priority, or set the annotation okra.mumo.co/adopt to "true" to take it over.`,
    );
  }
  await permit();
  await elbv2.tag(arn, { [OWNER_TAG]: ownerTag(request.key) });
}

async function create({ request, elbv2, permit }: Attempt): Promise<string> {
  await permit();
  const rule = await elbv2.createRule({
    ListenerArn: request.listenerARN,
    Priority: request.rule.priority,
    Conditions: toConditions(request.rule),
    Actions: toActions(request.rule),
    Tags: [{ Key: OWNER_TAG, Value: ownerTag(request.key) }],
  });
  return rule.RuleArn ?? '';
}

async function write(
  { request, elbv2, permit }: Attempt,
  ruleARN: string,
  difference: RuleDifference,
): Promise<void> {
  if (difference.priority) {
    await permit();
    await elbv2.setPriority(ruleARN, request.rule.priority);
  }
  if (!difference.conditions && !difference.forward) return;
  await permit();
  await elbv2.modifyRule({
    RuleArn: ruleARN,
    ...(difference.conditions ? { Conditions: toConditions(request.rule) } : {}),
    ...(difference.forward ? { Actions: toActions(request.rule) } : {}),
  });
}

/** Reads until ELBv2 shows what was written; a read may be older than the write before it. */
async function readBack(attempt: Attempt, ruleARN: string): Promise<AppliedRule> {
  const { request, elbv2, signal } = attempt;
  let difference: RuleDifference | undefined;
  for (let count = 0; count < READ_BACK.attempts; count += 1) {
    if (count > 0) await Context.current().sleep(READ_BACK.firstWaitMs * 2 ** (count - 1));
    const rule = await elbv2.rule(ruleARN, signal);
    const applied = rule === undefined ? undefined : appliedFrom(attempt, rule);
    difference = applied === undefined ? undefined : differenceOf(request.rule, applied.rule);
    if (applied !== undefined && difference === undefined) return applied;
  }
  const got = difference === undefined ? 'no rule at all' : `another. ${describeDifference(difference)}`;
  throw failure('NotServed', `Expected ELBv2 to serve the rule that was written (${ruleARN}), got ${got}`);
}

const appliedFrom = ({ request }: Attempt, rule: Rule): AppliedRule => ({
  listenerARN: request.listenerARN,
  ruleARN: rule.RuleArn ?? '',
  rule: fromRule(rule, request.rule),
});

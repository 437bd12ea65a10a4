import type { Rule } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { Carried } from '../../../crds/listener-rule.ts';
import { remembered } from '../../../domain/load-balancers/application-load-balancer/carried.ts';
import type { ObservedForwarding } from '../../../domain/load-balancers/load-balancer.ts';
import {
  describeDifference,
  differenceOf,
  type PresentRule,
  type RuleDifference,
} from '../../../domain/load-balancers/application-load-balancer/rule-difference.ts';
import { awsErrorType, failure } from '../../failure.ts';
import type { Attempt, KnownRule } from './attempt.ts';
import { isShownWithout, lookUntilShown, readBack, type Look } from '../read-back.ts';
import { readInTime } from '../read-in-time.ts';
import { isRuleOf } from './rule-arn.ts';
import { find, knownRule } from './rule-find.ts';
import { servedBy } from './rule-forwarding.ts';
import { Lost, refuseLost } from './rule-lost.ts';
import { keepTargets, refuseUnweighable, releaseTargets } from './rule-stickiness.ts';
import { createRule, toCarry, writeRule, type WrittenRule } from './rule-write.ts';

type Application = ObservedForwarding<'AWSApplicationLoadBalancer'>;

/** A rule that is there, and by what it is known. */
interface Present {
  readonly known: KnownRule;
  /** `Unread`: nobody could read it. `Unseen`: reads do not show it. Its weights are written, whatever the status says. */
  readonly by: 'Status' | 'Look' | 'Unread' | 'Unseen';
}

/** Makes a listener rule what is asked for, and answers with what was read back. */
export async function applyListenerRule(attempt: Attempt): Promise<Application> {
  refuseUnweighable(attempt);
  const present = await presentRule(attempt);
  if (present === undefined) return await create(attempt);
  if (!attempt.request.urgent) return await change(attempt, present);
  // Traffic is taken back where the rule is: another may have the place that is asked for.
  const { priority } = present.known.rule;
  return await change({ ...attempt, desired: { ...attempt.desired, priority } }, present);
}

async function presentRule(attempt: Attempt): Promise<Present | undefined> {
  const { request, desired, writing } = attempt;
  const told = toldBy(attempt);
  // At another priority there may be someone else's rule, and the one that the status names may be someone else's by now.
  const isHere = told !== undefined && (request.urgent || told.rule.priority === desired.priority);
  const here = isHere ? told : undefined;
  if (here !== undefined && !request.verify) return { known: here, by: 'Status' };
  const known = await readInTime(request, writing, (bounded) => find({ ...attempt, writing: bounded }), here);
  if (known === undefined) return undefined;
  return { known, by: known === here ? 'Unread' : 'Look' };
}

async function create(attempt: Attempt): Promise<Application> {
  let answer: Rule;
  try {
    answer = await createRule(attempt);
  } catch (error) {
    if (isPriorityInUse(error)) return await takeUp(attempt);
    throw error;
  }
  await keepTargets(attempt, undefined);
  const { RuleArn: ruleARN = '' } = answer;
  const carried = attempt.request.observed?.carried ?? {};
  const { rule, carried: does } = await shown(attempt, ruleARN, { carried, answer });
  return servedBy(attempt.request.forwarding.listenerARN, ruleARN, rule, does);
}

/** Goes on with the rule that nobody has seen, and that is in the way of another: it may have been created minutes ago. */
async function takeUp(attempt: Attempt): Promise<Application> {
  const seen = await lookUntilShown<KnownRule>(async () => {
    const value = await find(attempt);
    return value === undefined ? { is: 'Missing' } : { is: 'Shown', value };
  });
  if (seen.is === 'Shown') return await change(attempt, { known: seen.value, by: 'Look' });
  const told = toldBy(attempt);
  if (told?.rule.priority !== attempt.desired.priority) throw unseen(attempt);
  try {
    return await change(attempt, { known: told, by: 'Unseen' });
  } catch (error) {
    // Then it is not the one that the status names.
    throw awsErrorType(error) === 'RuleNotFound' ? unseen(attempt) : error;
  }
}

async function change(attempt: Attempt, { known, by }: Present): Promise<Application> {
  const { request, desired } = attempt;
  const { listenerARN } = request.forwarding;
  const had = request.observed?.carried ?? {};
  const { ruleARN } = known;
  const carrying = toCarry(attempt, ruleARN, known.carried);
  const found = differenceOf({ rule: desired, carried: carrying }, known);
  const difference = toWrite(request, by, found);
  const unchanged = async (): Promise<Application> => {
    await keepTargets(attempt, known);
    // The names are those of the request; the load balancer knows none.
    const rule = { ...known.rule, forward: desired.forward };
    return servedBy(listenerARN, ruleARN, rule, remembered(had, known.carried));
  };
  if (difference === undefined) return await unchanged();
  const isTold = by === 'Status' || by === 'Unread';
  let written: WrittenRule;
  try {
    if (isTold && difference.targets) await refuseLost(attempt, ruleARN);
    // ELBv2 wants the rule to keep clients for as long as one of its groups does.
    await releaseTargets(attempt, known);
    written = await writeRule(attempt, known, difference, isTold);
  } catch (error) {
    if (isPriorityInUse(error)) throw unseen(attempt);
    const isShown = by === 'Look' && found === undefined;
    const again = lookAt(attempt, ruleARN, carrying);
    if (isShown && (await isShownWithout(error, again.look, attempt.writing))) return await unchanged();
    if (by !== 'Status' || !(error instanceof Lost || mayBeGone(error))) throw error;
    // Someone may have deleted the rule since its status was written, or taken it over.
    return await applyListenerRule({ ...attempt, request: { ...request, verify: true } });
  }
  await keepTargets(attempt, known);
  const { rule, carried } = await shown(attempt, ruleARN, written);
  return servedBy(listenerARN, ruleARN, rule, remembered(had, carried));
}

/** Where a policy asks for the tags of a rule, AWS denies what is asked of one that is gone, since that has none. */
const mayBeGone = (error: unknown): boolean =>
  ['RuleNotFound', 'AccessDenied'].includes(awsErrorType(error) ?? '');

const isPriorityInUse = (error: unknown): boolean =>
  error instanceof Error && error.name.startsWith('PriorityInUse');

const unseen = ({ request, desired }: Attempt): Error =>
  failure(
    'NotServed',
    `Expected ELBv2 to show the rule that has priority ${desired.priority} of ${request.forwarding.listenerARN}, as it refuses to give it to another, got none there. It may show a new rule minutes late; it is looked for again.`,
  );

/** What the status says of the rule, when it is one of the listener that is asked for. */
function toldBy({ request: { observed, forwarding } }: Attempt): KnownRule | undefined {
  const { listenerARN } = forwarding;
  if (observed?.ruleARN === undefined || observed.listenerARN !== listenerARN) return undefined;
  return isRuleOf(listenerARN, observed.ruleARN) ? knownBy(observed) : undefined;
}

/** What the status says of a rule. */
const knownBy = (served: ObservedForwarding<'AWSApplicationLoadBalancer'>): KnownRule => ({
  ruleARN: served.ruleARN ?? '',
  rule: served.listener.rule,
  carried: served.carried ?? {},
  unsaid: [],
});

/** What is written of what differs; what undoes a write that nobody has confirmed also what a read shows the same, as it may be older than that write. */
function toWrite(
  { undoes }: Attempt['request'],
  by: Present['by'],
  found: RuleDifference | undefined,
): RuleDifference | undefined {
  if (by === 'Unread') return WEIGHTS_ALONE;
  const isInAnyCase = by === 'Unseen' || undoes;
  return isInAnyCase ? { ...(found ?? WEIGHTS_ALONE), forward: true } : found;
}

/** Taking traffic back without a look changes the weights, and nothing else. */
const WEIGHTS_ALONE: RuleDifference = {
  priority: false,
  conditions: false,
  forward: true,
  actions: false,
  targets: false,
};

/** Looks whether a rule is what is wanted, and goes on doing what it was told to. */
function lookAt(attempt: Attempt, ruleARN: string, carried: Carried) {
  const { desired, elbv2, writing } = attempt;
  const compare = async (rule: Rule): Promise<Look<PresentRule>> => {
    const value = await knownRule(attempt, rule);
    const difference = differenceOf({ rule: desired, carried }, value);
    return difference === undefined
      ? { is: 'Shown', value }
      : { is: 'Another', got: `another. ${describeDifference(difference)}` };
  };
  const look = async (): Promise<Look<PresentRule>> => {
    const rule = await elbv2.rule(ruleARN, writing.signal);
    return rule === undefined ? { is: 'Missing' } : await compare(rule);
  };
  return { compare, look };
}

/** Reads a rule back until it shows what was written. */
function shown(attempt: Attempt, ruleARN: string, { carried, answer }: WrittenRule): Promise<PresentRule> {
  const { compare, look } = lookAt(attempt, ruleARN, carried);
  return readBack(`the rule (${ruleARN})`, look, answer === undefined ? undefined : () => compare(answer));
}

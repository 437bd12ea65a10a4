import type { Rule } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { Carried } from '../../../crds/listener-rule.ts';
import type { ObservedForwarding } from '../../../domain/load-balancers/load-balancer.ts';
import {
  describeDifference,
  differenceOf,
  mergeCarried,
  type PresentRule,
  type RulePart,
} from '../../../domain/load-balancers/application-load-balancer/rule-difference.ts';
import { unreachable } from '../../../domain/unreachable.ts';
import { awsErrorType, failure } from '../../failure.ts';
import type { Attempt, KnownRule, RuleToWrite } from './attempt.ts';
import { isShownWithout, lookUntilShown, readBack, type Look, readInTime } from '../reads.ts';
import { isRuleOf, servedBy } from './rule-conversion.ts';
import { findRule, knownRule } from './rule-find.ts';
import { keepTargets, refuseUnweighable, releaseTargets } from './target-stickiness.ts';
import {
  createRule,
  isByStatus,
  TakenOver,
  refuseTakenOver,
  toCarry,
  writeRule,
  type WrittenRule,
} from './rule-write.ts';

type Application = ObservedForwarding<'AWSApplicationLoadBalancer'>;

/** What an attempt knows of its rule. Each state leads to a later one of this list, but for `Reported`, which may have to be read. */
type State =
  /** The rule has to be read; `reported` is what the status says of it, to go by where no read answers in time. */
  | { readonly is: 'Unread'; readonly reported: KnownRule | undefined }
  | { readonly is: 'Absent' }
  /** ELBv2 refuses to create a rule at the priority, and reads have shown none there. */
  | { readonly is: 'InUse' }
  | RuleToWrite
  | { readonly is: 'Served'; readonly forwarding: Application };

/** Makes a listener rule what is asked for, and answers with what was read back. */
export async function applyListenerRule(asked: Attempt): Promise<Application> {
  refuseUnweighable(asked);
  let state = beginWith(asked);
  const attempt = state.is === 'Reported' ? whereItIs(asked, state.rule) : asked;
  while (state.is !== 'Served') state = await advance(attempt, state);
  return state.forwarding;
}

function beginWith(attempt: Attempt): State {
  const { request, desired } = attempt;
  const reported = reportedRule(attempt);
  // At another priority there may be another object's rule, and the one that the status names may be that object's now.
  const isHere = reported !== undefined && (request.urgent || reported.rule.priority === desired.priority);
  return isHere && request.trusts === 'Status'
    ? { is: 'Reported', rule: reported }
    : { is: 'Unread', reported: isHere ? reported : undefined };
}

function advance(attempt: Attempt, state: Exclude<State, { is: 'Served' }>): Promise<State> {
  switch (state.is) {
    case 'Unread':
      return readRule(attempt, state.reported);
    case 'Absent':
      return create(attempt);
    case 'InUse':
      return awaitRuleInUse(attempt);
    case 'Read':
    case 'Reported':
    case 'Unanswered':
    case 'Unshown':
      return update(attempt, state);
    default:
      return unreachable(state);
  }
}

function readRule(attempt: Attempt, reported: KnownRule | undefined): Promise<State> {
  const { request, writing } = attempt;
  const read = async (bounded: Attempt['writing']): Promise<State> => {
    const rule = await findRule({ ...attempt, writing: bounded });
    return rule === undefined ? { is: 'Absent' } : { is: 'Read', rule };
  };
  return readInTime(request, writing, read, reported && { is: 'Unanswered', rule: reported });
}

async function create(attempt: Attempt): Promise<State> {
  let answer: Rule;
  try {
    answer = await createRule(attempt);
  } catch (error) {
    if (isPriorityInUse(error)) return { is: 'InUse' };
    throw error;
  }
  await keepTargets(attempt, undefined);
  const { RuleArn: ruleARN = '' } = answer;
  const carried = attempt.request.observed?.carried ?? {};
  const { rule, carried: does } = await awaitShown(attempt, ruleARN, { carried, answer });
  return served(attempt, ruleARN, rule, does);
}

/** Waits for the rule that has the priority, which may have been created minutes ago; else takes the one that the status names. */
async function awaitRuleInUse(attempt: Attempt): Promise<State> {
  const seen = await lookUntilShown<KnownRule>(async () => {
    const value = await findRule(attempt);
    return value === undefined ? { is: 'Missing' } : { is: 'Shown', value };
  });
  if (seen.is === 'Shown') return { is: 'Read', rule: seen.value };
  const reported = reportedRule(attempt);
  if (reported?.rule.priority !== attempt.desired.priority) throw notShown(attempt);
  return { is: 'Unshown', rule: reported };
}

async function update(asked: Attempt, state: RuleToWrite): Promise<State> {
  const { rule: known } = state;
  const { ruleARN } = known;
  const attempt = whereItIs(asked, known);
  const { request, desired } = attempt;
  const had = request.observed?.carried ?? {};
  const carrying = toCarry(attempt, ruleARN, known.carried);
  const differs = differenceOf({ rule: desired, carried: carrying }, known);
  const unchanged = async (): Promise<State> => {
    await keepTargets(attempt, known);
    // The names are those of the request; the load balancer knows none.
    const rule = { ...known.rule, forward: desired.forward };
    return served(attempt, ruleARN, rule, mergeCarried(had, known.carried));
  };
  const parts = toWrite(request, state, differs);
  if (parts.length === 0) return await unchanged();
  let written: WrittenRule;
  try {
    if (isByStatus(state) && parts.includes('targets')) await refuseTakenOver(attempt, ruleARN);
    // ELBv2 wants the rule to keep clients for as long as one of its groups does.
    await releaseTargets(attempt, known);
    written = await writeRule(attempt, state, parts);
  } catch (error) {
    const isShown = state.is === 'Read' && differs.length === 0;
    const { look } = lookAt(attempt, ruleARN, carrying);
    if (isShown && (await isShownWithout(error, look, attempt.writing))) return await unchanged();
    return afterRefusal(attempt, state, error);
  }
  await keepTargets(attempt, known);
  const { rule, carried } = await awaitShown(attempt, ruleARN, written);
  return served(attempt, ruleARN, rule, mergeCarried(had, carried));
}

/** Reads the rule where the status may be older than what has refused the write; throws the refusal otherwise. */
function afterRefusal(attempt: Attempt, { is, rule }: RuleToWrite, error: unknown): State {
  const isAnothers = error instanceof TakenOver;
  if (isPriorityInUse(error)) throw notShown(attempt);
  // Another may have deleted the rule since its status was written, or taken it over.
  if (is === 'Reported' && (isAnothers || mayBeGone(error))) return { is: 'Unread', reported: rule };
  // Then it is not the one that the status names.
  if (is === 'Unshown' && (isAnothers || awsErrorType(error) === 'RuleNotFound')) throw notShown(attempt);
  throw error;
}

/** Traffic is taken back where the rule is: another may have the place that is asked for. */
const whereItIs = (attempt: Attempt, { rule: { priority } }: KnownRule): Attempt =>
  attempt.request.urgent ? { ...attempt, desired: { ...attempt.desired, priority } } : attempt;

/** Says which parts to write: the weights in any case where what they are is unsure. */
function toWrite(
  { trusts }: Attempt['request'],
  { is }: RuleToWrite,
  differs: readonly RulePart[],
): readonly RulePart[] {
  const withWeights = [...new Set([...differs, 'forward' as const])];
  switch (is) {
    case 'Reported':
      return differs;
    case 'Read':
      return trusts === 'Nothing' ? withWeights : differs;
    case 'Unshown':
      return withWeights;
    case 'Unanswered':
      return ['forward'];
    default:
      return unreachable(is);
  }
}

/** Where a policy asks for the tags of a rule, AWS denies what is asked of one that is gone, since that has none. */
const mayBeGone = (error: unknown): boolean =>
  ['RuleNotFound', 'AccessDenied'].includes(awsErrorType(error) ?? '');

const isPriorityInUse = (error: unknown): boolean =>
  error instanceof Error && error.name.startsWith('PriorityInUse');

const notShown = ({ request, desired }: Attempt): Error =>
  failure(
    'NotServed',
    `ELBv2 says that priority ${desired.priority} of ${request.forwarding.listenerARN} is in use, but does not list the rule yet, which can take minutes. Okra retries.`,
  );

function reportedRule({ request: { observed, forwarding } }: Attempt): KnownRule | undefined {
  const { listenerARN } = forwarding;
  if (observed?.ruleARN === undefined || observed.listenerARN !== listenerARN) return undefined;
  if (!isRuleOf(listenerARN, observed.ruleARN)) return undefined;
  const { ruleARN, listener, carried = {} } = observed;
  return { ruleARN, rule: listener.rule, carried, unsaid: [] };
}

const served = ({ request }: Attempt, ruleARN: string, rule: KnownRule['rule'], carried: Carried): State => ({
  is: 'Served',
  forwarding: servedBy(request.forwarding.listenerARN, ruleARN, rule, carried),
});

function lookAt(attempt: Attempt, ruleARN: string, carried: Carried) {
  const { desired, elbv2, writing } = attempt;
  const compare = async (rule: Rule): Promise<Look<PresentRule>> => {
    const value = await knownRule(attempt, rule);
    const difference = differenceOf({ rule: desired, carried }, value);
    return difference.length === 0
      ? { is: 'Shown', value }
      : { is: 'Another', got: `another. ${describeDifference(difference)}` };
  };
  const look = async (): Promise<Look<PresentRule>> => {
    const rule = await elbv2.rule(ruleARN, writing.signal);
    return rule === undefined ? { is: 'Missing' } : await compare(rule);
  };
  return { compare, look };
}

function awaitShown(
  attempt: Attempt,
  ruleARN: string,
  { carried, answer }: WrittenRule,
): Promise<PresentRule> {
  const { compare, look } = lookAt(attempt, ruleARN, carried);
  return readBack(`the rule (${ruleARN})`, look, answer === undefined ? undefined : () => compare(answer));
}

import type { ELBv2 } from '../../clients/elbv2.ts';
import type { Carried } from '../../crds/carried.ts';
import { isRestorable, lostActions, typesText } from '../../domain/carried.ts';
import { formatKey, ownerTag } from '../../domain/ids.ts';
import { OWNER_TAG } from '../../domain/labels.ts';
import type { RuleDifference } from '../../domain/rule-difference.ts';
import type { ApplyRequest } from '../contract.ts';
import { failure } from '../failure.ts';
import type { Attempt, KnownRule } from './attempt.ts';
import type { Writing } from './port.ts';
import { carriedIn, toTransform } from './rule-carried.ts';
import { toConditions } from './rule-conditions.ts';
import { toActions } from './rule-conversion.ts';

type Request = ApplyRequest<'AWSApplicationLoadBalancer'>;

/** How long what takes traffic back waits for a look at the rule, in milliseconds; then it goes by the status. */
const URGENT_LOOK_MS = 1_000;

/** What a rule does besides, as it is right now; undefined when ELBv2 does not say so, or not in time. */
export async function look(
  elbv2: ELBv2,
  { urgent }: Request,
  ruleARN: string,
  { signal }: Writing,
): Promise<Carried | undefined> {
  const inTime = urgent ? AbortSignal.any([signal, AbortSignal.timeout(URGENT_LOOK_MS)]) : signal;
  try {
    const rule = await elbv2.rule(ruleARN, inTime);
    return rule === undefined ? undefined : carriedIn(rule);
  } catch (error) {
    if (!urgent || signal.aborted) throw error;
    return undefined;
  }
}

/** What a rule has to go on doing: what it does, and what somebody has taken off it; throws a `Conflict` where that cannot be put back. */
export function toCarry({ request, wanted }: Attempt, ruleARN: string, found: Carried): Carried {
  const { key, served, urgent } = request;
  const lost = lostActions(served?.carried ?? {}, found);
  if (lost.length === 0) return found;
  if (lost.every(isRestorable)) return { ...found, actions: [...lost] };
  // Whoever gets in does so already: that keeps no traffic from being taken back.
  if (urgent && served?.ruleARN === ruleARN) return found;
  throw failure(
    'Conflict',
    `Expected rule ${wanted.priority} of the listener to have ${typesText(lost)} before it forwards, as it had, got none (${ruleARN}). Its client secret, which AWS does not show, is gone with it. Add it to the rule again; or, when everybody is to get in, delete the AWSApplicationLoadBalancerConfig ${formatKey(key)} so that it is made anew from what the rule does now.`,
  );
}

/** Makes a rule that exists what is wanted, and answers with what it was told to go on doing. */
export async function writeRule(
  attempt: Attempt,
  known: KnownRule,
  difference: RuleDifference,
): Promise<Carried> {
  const { request, wanted, elbv2, writing } = attempt;
  const { ruleARN } = known;
  if (difference.priority) {
    await writing.permit();
    await elbv2.setPriority(ruleARN, wanted.priority);
  }
  const setsActions = difference.forward || difference.actions;
  if (!difference.conditions && !setsActions) return {};
  await writing.permit();
  // ModifyRule replaces all actions, and knows no condition under which it does: what somebody has just added would be lost.
  const carried = setsActions
    ? toCarry(attempt, ruleARN, (await look(elbv2, request, ruleARN, writing)) ?? known.carried)
    : {};
  writing.signal.throwIfAborted();
  await elbv2.modifyRule({
    RuleArn: ruleARN,
    ...(difference.conditions ? { Conditions: toConditions(wanted) } : {}),
    ...(setsActions ? { Actions: toActions(wanted, carried) } : {}),
  });
  return carried;
}

/** Creates a rule that does what the one before it did. */
export async function createRule(attempt: Attempt): Promise<string> {
  const { request, wanted, elbv2, writing } = attempt;
  const { key, served, forwarding } = request;
  const { actions = [], transforms = [] } = served?.carried ?? {};
  const secret = actions.filter((action) => !isRestorable(action));
  if (secret.length > 0) {
    throw failure(
      'Conflict',
      `Expected to create rule ${wanted.priority} of ${forwarding.listenerARN} with ${typesText(secret)}, as the rule before it had (${served?.ruleARN ?? ''}), got an action whose client secret AWS does not show. Create the rule there yourself, with its authentication, and set the annotation okra.mumo.co/adopt to "true" so that it is taken over.`,
    );
  }
  await writing.permit();
  const rule = await elbv2.createRule({
    ListenerArn: forwarding.listenerARN,
    Priority: wanted.priority,
    Conditions: toConditions(wanted),
    Actions: toActions(wanted, { actions }),
    ...(transforms.length === 0 ? {} : { Transforms: transforms.map(toTransform) }),
    Tags: [{ Key: OWNER_TAG, Value: ownerTag(key) }],
  });
  return rule.RuleArn ?? '';
}

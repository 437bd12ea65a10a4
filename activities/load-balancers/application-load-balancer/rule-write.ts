import type { ApplicationLoadBalancerShape } from '../../../domain/load-balancers/application-load-balancer/application-load-balancer.ts';
import type { Rule } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { ELBv2 } from '../../../clients/aws/elbv2.ts';
import type { Carried } from '../../../crds/listener-rule.ts';
import {
  isRestorable,
  lostActions,
  typesText,
} from '../../../domain/load-balancers/application-load-balancer/carried.ts';
import { formatKey } from '../../../domain/model/ids.ts';
import { OWNER_TAG } from '../../../domain/kubernetes/labels.ts';
import { ownerTag } from '../../../domain/load-balancers/owner-tag.ts';
import type { RuleDifference } from '../../../domain/load-balancers/application-load-balancer/rule-difference.ts';
import { failure } from '../../failure.ts';
import type { Attempt, KnownRule } from './attempt.ts';
import type { ApplyRequest, Writing } from '../port.ts';
import { readIfInTime } from '../read-in-time.ts';
import { refuseLost } from './rule-lost.ts';
import { carriedIn, toTransform } from './rule-carried.ts';
import { toConditions } from './rule-conditions.ts';
import { toActions } from './rule-conversion.ts';

type Request = ApplyRequest<ApplicationLoadBalancerShape>;

/** What a look at a rule has shown: what it does besides, that there is none, or nothing in time. */
export type SeenRule =
  { readonly is: 'Rule'; readonly carried: Carried } | { readonly is: 'None' } | { readonly is: 'Unread' };

/** Looks what a rule does besides right now. */
export async function look(
  elbv2: ELBv2,
  { urgent }: Request,
  ruleARN: string,
  { signal }: Writing,
): Promise<SeenRule> {
  const read = async (inTime: AbortSignal): Promise<SeenRule> => {
    const rule = await elbv2.rule(ruleARN, inTime);
    return rule === undefined ? { is: 'None' } : { is: 'Rule', carried: carriedIn(rule) };
  };
  return readIfInTime({ urgent, signal }, read, { is: 'Unread' });
}

/** What a rule has to go on doing: what it does, and what someone has taken off it; throws a `Conflict` where that cannot be put back. */
export function toCarry({ request, desired }: Attempt, ruleARN: string, found: Carried): Carried {
  const { key, observed, urgent } = request;
  const lost = lostActions(observed?.carried ?? {}, found);
  if (lost.length === 0) return found;
  if (lost.every(isRestorable)) return { ...found, actions: [...lost] };
  // Whoever gets in does so already: that keeps no traffic from being taken back.
  if (urgent && observed?.ruleARN === ruleARN) return found;
  throw failure(
    'Conflict',
    `Expected rule ${desired.priority} of the listener to have ${typesText(lost)} before it forwards, as it had, got none (${ruleARN}). Its client secret, which AWS does not show, is gone with it. Add it to the rule again; or, when everybody is to get in, delete the AWSApplicationLoadBalancerConfig ${formatKey(key)} so that it is made again from what the rule does now.`,
  );
}

/** What was written. */
export interface WrittenRule {
  /** What the rule was told to go on doing. */
  readonly carried: Carried;
  /** The rule as ELBv2 answered, where its reads are known to be older than that. */
  readonly answer?: Rule | undefined;
}

/** Makes an existing rule what is wanted. Where only the status says that it is ours, checks that nobody has taken it over since. */
export async function writeRule(
  attempt: Attempt,
  known: KnownRule,
  difference: RuleDifference,
  isTold: boolean,
): Promise<WrittenRule> {
  const { request, desired, elbv2, writing } = attempt;
  const { ruleARN } = known;
  if (difference.priority) {
    await writing.permit();
    await elbv2.setPriority(ruleARN, desired.priority);
  }
  const setsActions = difference.forward || difference.actions;
  if (!difference.conditions && !setsActions) return { carried: {} };
  await writing.turn();
  // ModifyRule replaces all actions, and knows no condition under which it does: what someone has just added would be lost.
  const [seen] = await Promise.all([
    setsActions ? look(elbv2, request, ruleARN, writing) : undefined,
    isTold ? refuseLost(attempt, ruleARN) : undefined,
  ]);
  const before = seen?.is === 'Rule' ? seen.carried : known.carried;
  const carried = setsActions ? toCarry(attempt, ruleARN, before) : {};
  const weights = { from: known.rule.forward.targetGroups, to: desired.forward.targetGroups };
  await writing.permit(setsActions ? weights : undefined);
  const answer = await elbv2.modifyRule({
    RuleArn: ruleARN,
    ...(difference.conditions ? { Conditions: toConditions(desired) } : {}),
    ...(setsActions ? { Actions: toActions(desired, carried) } : {}),
  });
  // What reads say there is none of, and is written all the same, is newer than they are.
  return seen?.is === 'None' ? { carried, answer } : { carried };
}

/** Creates a rule that does what the one before it did, and answers with it. */
export async function createRule(attempt: Attempt): Promise<Rule> {
  const { request, desired, elbv2, writing } = attempt;
  const { observed, forwarding } = request;
  const { actions = [], transforms = [] } = observed?.carried ?? {};
  const secret = actions.filter((action) => !isRestorable(action));
  if (secret.length > 0) {
    throw failure(
      'Conflict',
      `Expected to create rule ${desired.priority} of ${forwarding.listenerARN} with ${typesText(secret)}, as the rule before it had (${observed?.ruleARN ?? ''}), got an action whose client secret AWS does not show. Create the rule there yourself, with its authentication, and set the annotation okra.mumo.co/adopt to "true" so that it is taken over.`,
    );
  }
  const owner = await attempt.owner();
  await writing.permit();
  return await elbv2.createRule({
    ListenerArn: forwarding.listenerARN,
    Priority: desired.priority,
    Conditions: toConditions(desired),
    Actions: toActions(desired, { actions }),
    ...(transforms.length === 0 ? {} : { Transforms: transforms.map(toTransform) }),
    Tags: [{ Key: OWNER_TAG, Value: ownerTag(owner) }],
  });
}

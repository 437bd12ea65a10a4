import type { Rule } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { ELBv2 } from '../../../clients/aws/elbv2.ts';
import type { Carried } from '../../../crds/listener-rule.ts';
import {
  isRestorable,
  lostActions,
  typesText,
  type RulePart,
} from '../../../domain/load-balancers/application-load-balancer/rule-difference.ts';
import { formatKey } from '../../../domain/model/ids.ts';
import { OWNER_TAG } from '../../../domain/kubernetes/labels.ts';
import { sameMatch } from '../../../domain/load-balancers/application-load-balancer/listener-rule.ts';
import { ownerTag } from '../../../domain/load-balancers/owner-tag.ts';
import { failure } from '../../failure.ts';
import type { Attempt, RuleToWrite } from './attempt.ts';
import type { Writing } from '../port.ts';
import { readIfInTime } from '../reads.ts';
import { carriedIn, fromRule, toTransform, toActions } from './rule-conversion.ts';
import { toConditions } from './rule-conditions.ts';
import { claimed, ownerIfShown } from '../owner.ts';

/** Another object has taken over the rule that the status names; it may be taken over again once it has been read. */
export class TakenOver extends Error {
  override readonly name = 'TakenOver';
}

/** Throws a `Conflict`, or `TakenOver`, when another object has taken the status' rule; without tags, or unread, it is still ours. */
export async function refuseTakenOver(
  { request, desired, elbv2, owner, writing }: Attempt,
  ruleARN: string,
): Promise<void> {
  const { urgent, adopt } = request;
  const read = (inTime: AbortSignal): Promise<string | undefined> => ownerIfShown(elbv2, ruleARN, inTime);
  const tag = await readIfInTime({ urgent, signal: writing.signal }, read, undefined);
  if (tag === undefined) return;
  const claim = { owner: await owner(), adopt, what: `priority ${desired.priority} of the listener` };
  if (claimed(claim, ruleARN, tag) === 'TakeOver') {
    throw new TakenOver(
      `Cannot take rule ${desired.priority} over from ${tag}: reading it took too long. Okra retries.`,
    );
  }
}

/** What a read of a rule has shown: what it does besides, that there is none, or nothing in time. */
type CarriedRead =
  { readonly is: 'Rule'; readonly carried: Carried } | { readonly is: 'None' } | { readonly is: 'Unread' };

/** Reads what a rule does besides right now. */
export async function readCarried(
  elbv2: ELBv2,
  { urgent }: Attempt['request'],
  ruleARN: string,
  { signal }: Writing,
): Promise<CarriedRead> {
  const read = async (inTime: AbortSignal): Promise<CarriedRead> => {
    const rule = await elbv2.rule(ruleARN, inTime);
    return rule === undefined ? { is: 'None' } : { is: 'Rule', carried: carriedIn(rule) };
  };
  return readIfInTime({ urgent, signal }, read, { is: 'Unread' });
}

/** What a rule has to continue doing: what it does, and what someone has taken off it; throws a `Conflict` where that cannot be put back. */
export function toCarry({ request, desired }: Attempt, ruleARN: string, found: Carried): Carried {
  const { key, observed, urgent } = request;
  const lost = lostActions(observed?.carried ?? {}, found);
  if (lost.length === 0) return found;
  if (lost.every(isRestorable)) return { ...found, actions: [...lost] };
  // Whoever gets in does so already: that keeps no traffic from being taken back.
  if (urgent && observed?.ruleARN === ruleARN) return found;
  throw failure(
    'Conflict',
    `Rule ${desired.priority} of the listener has lost ${typesText(lost)}, which came before it forwards (${ruleARN}). Its client secret, which AWS does not show, is lost with it. Add it to the rule again; or, when everybody is to get in, delete the AWSApplicationLoadBalancerConfig ${formatKey(key)} so that it is made again from what the rule does now.`,
  );
}

/** What was written. */
export interface WrittenRule {
  readonly carried: Carried;
  /** The rule as ELBv2 answered, where its reads are known to be older than that. */
  readonly answer?: Rule | undefined;
}

/** Whether only the status says that a rule is ours, so that its owner is read before it is written. */
export const isByStatus = ({ is }: RuleToWrite): boolean => is !== 'Read';

/** Reads the weights of the next rule with the same conditions, from which a rule takes all traffic that was not in front of it before. */
async function overtakenBy({ request, desired, elbv2, writing }: Attempt, before = Infinity) {
  await writing.turn();
  const { urgent, forwarding } = request;
  const read = (inTime: AbortSignal) => elbv2.rulesOf(forwarding.listenerARN, inTime);
  const rules = await readIfInTime({ urgent, signal: writing.signal }, read, []);
  const [next] = rules
    .map((rule) => fromRule(rule, desired))
    .filter(({ rule, unsaid }) => unsaid.length === 0 && rule.priority < before)
    .filter(({ rule }) => sameMatch({ ...rule, priority: desired.priority }, desired))
    .toSorted((a, b) => a.rule.priority - b.rule.priority);
  return next !== undefined && next.rule.priority > desired.priority ? next.rule.forward.targetGroups : [];
}

/** Makes an existing rule what is wanted; throws `TakenOver` or a `Conflict` where another object has taken it over since its status was written. */
export async function writeRule(
  attempt: Attempt,
  state: RuleToWrite,
  parts: readonly RulePart[],
): Promise<WrittenRule> {
  const { request, desired, elbv2, writing } = attempt;
  const { rule: known } = state;
  const { ruleARN } = known;
  const to = desired.forward.targetGroups;
  if (parts.includes('priority')) {
    await writing.permit({ from: await overtakenBy(attempt, known.rule.priority), to });
    await elbv2.setPriority(ruleARN, desired.priority);
  }
  const setsActions = parts.includes('forward') || parts.includes('actions');
  const setsConditions = parts.includes('conditions');
  if (!setsConditions && !setsActions) return { carried: {} };
  await writing.turn();
  // ModifyRule replaces all actions, and knows no condition under which it does: what someone has just added would be lost.
  const [seen, overtaken] = await Promise.all([
    setsActions ? readCarried(elbv2, request, ruleARN, writing) : undefined,
    setsConditions ? overtakenBy(attempt) : [],
    isByStatus(state) ? refuseTakenOver(attempt, ruleARN) : undefined,
  ]);
  const before = seen?.is === 'Rule' ? seen.carried : known.carried;
  const carried = setsActions ? toCarry(attempt, ruleARN, before) : {};
  await writing.permit({ from: [...(setsActions ? known.rule.forward.targetGroups : []), ...overtaken], to });
  const answer = await elbv2.modifyRule({
    RuleArn: ruleARN,
    ...(setsConditions ? { Conditions: toConditions(desired) } : {}),
    ...(setsActions ? { Actions: toActions(desired, carried) } : {}),
  });
  // What reads say there is none of, and is written all the same, is newer than they are.
  return seen?.is === 'None' ? { carried, answer } : { carried };
}

/** Creates a rule that does what the one before it did, and answers with it. */
export async function createRule(attempt: Attempt): Promise<Rule> {
  const { request, desired, elbv2, writing } = attempt;
  const { observed, forwarding, isStandalone } = request;
  const { actions = [], transforms = [] } = observed?.carried ?? {};
  const secret = actions.filter((action) => !isRestorable(action));
  if (secret.length > 0) {
    throw failure(
      'Conflict',
      `Cannot create rule ${desired.priority} of ${forwarding.listenerARN} with ${typesText(secret)}, which the previous rule had (${observed?.ruleARN ?? ''}): AWS does not show its client secret. Create the rule there yourself, with its authentication, and set the annotation okra.mumo.co/adopt to "true" so that it is taken over.`,
    );
  }
  const owner = await attempt.owner();
  // ELBv2 does not check the targets of a rule that someone has deleted, so waiting for their health would never end.
  const isNew = isStandalone === true && observed?.listenerARN !== forwarding.listenerARN;
  const to = desired.forward.targetGroups;
  await writing.permit(isNew ? { from: await overtakenBy(attempt), to } : undefined);
  return await elbv2.createRule({
    ListenerArn: forwarding.listenerARN,
    Priority: desired.priority,
    Conditions: toConditions(desired),
    Actions: toActions(desired, { actions }),
    ...(transforms.length === 0 ? {} : { Transforms: transforms.map(toTransform) }),
    Tags: [{ Key: OWNER_TAG, Value: ownerTag(owner) }],
  });
}

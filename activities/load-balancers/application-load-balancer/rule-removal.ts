import type { ApplicationLoadBalancerShape } from '../../../domain/load-balancers/application-load-balancer/application-load-balancer.ts';
import type { ELBv2 } from '../../../clients/aws/elbv2.ts';
import { isOwn, ownershipOf } from '../../../domain/load-balancers/owner-tag.ts';
import { awsErrorType } from '../../failure.ts';
import { ownerIfShown, ownerIn, ownerOf } from '../owner.ts';
import { isRuleOf } from './rule-arn.ts';
import type { RemoveRequest, LoadBalancerDependencies, Writing } from '../port.ts';

/**
 * Deletes the rule that the status names, or that has the priority, if its tag names the object. A rule of the listener that
 * ELBv2 does not show yet, or that has lost its tags since, is what the status says.
 */
export async function removeRule(
  means: LoadBalancerDependencies,
  { key, forwarding, observed }: RemoveRequest<ApplicationLoadBalancerShape>,
  { permit, signal }: Writing,
): Promise<void> {
  const elbv2 = means.elbv2(forwarding.listenerARN);
  const priority = String(forwarding.listener.rule.priority);
  const rules = await rulesOf(elbv2, forwarding.listenerARN, signal);
  const candidates = rules.filter(
    (rule) => rule.IsDefault !== true && (rule.RuleArn === observed?.ruleARN || rule.Priority === priority),
  );
  const { ruleARN } = observed ?? {};
  const isHere = ruleARN !== undefined && isRuleOf(forwarding.listenerARN, ruleARN);
  const isHidden = isHere && !rules.some((rule) => rule.RuleArn === ruleARN);
  if (candidates.length === 0 && !isHidden) return;
  const owner = await ownerIn(means, key)();
  if (isHidden) {
    // It is gone, or too new to be shown.
    const tag = await ownerIfShown(elbv2, ruleARN, signal);
    if (tag === undefined || isOwn(ownershipOf(owner, tag))) {
      await permit();
      await elbv2.deleteRule(ruleARN).catch(unlessDenied);
    }
  }
  for (const { RuleArn = '' } of candidates) {
    if (!isOwn(ownershipOf(owner, await ownerOf(elbv2, RuleArn, signal)))) continue;
    await permit();
    await elbv2.deleteRule(RuleArn);
  }
}

// By a policy that goes by tags, AWS refuses what is not there, as that has none.
function unlessDenied(error: unknown): void {
  if (awsErrorType(error) !== 'AccessDenied') throw error;
}

/** The rules of a listener; none where there is no such listener. */
export async function rulesOf(
  elbv2: ELBv2,
  listenerARN: string,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<ELBv2['rulesOf']>>> {
  try {
    return await elbv2.rulesOf(listenerARN, signal);
  } catch (error) {
    if (awsErrorType(error) === 'ListenerNotFound') return [];
    throw error;
  }
}

import { accessPolicies } from '../../clients/kubernetes/access-policies.ts';
import type { ApplicationOfCell } from '../../crds/application.ts';
import { hasConditions, type Conditions } from '../../domain/applications/child.ts';
import { failure } from '../failure.ts';
import { conditionsIn, unsaidIn } from '../load-balancers/application-load-balancer/rule-conditions.ts';
import { permit } from '../permit.ts';
import type { ApplicationsDependencies, ReadCell } from './dependencies.ts';

/** The conditions of the listener rule as it is, for an application that names none. */
export async function conditionsOfRule(
  { name, alb }: ApplicationOfCell,
  { key }: Pick<ReadCell, 'key'>,
  { kubernetes, elbv2 }: Pick<ApplicationsDependencies, 'kubernetes' | 'elbv2'>,
  signal: AbortSignal,
): Promise<Conditions | undefined> {
  if (alb === undefined) return undefined;
  const { targetGroup: _source, priority, ...own } = alb.forwardConfig;
  if (hasConditions(own)) return undefined;
  const { listenerARN } = alb;
  permit(await accessPolicies(kubernetes).of(key.namespace, signal), [{ of: 'Listener', arn: listenerARN }]);
  const rules = await elbv2(listenerARN).rulesOf(listenerARN, signal);
  const rule = rules.find(({ Priority }) => Priority === String(priority));
  if (rule === undefined) {
    throw failure(
      'RuleNotFound',
      `Expected a rule with priority ${priority} on the listener of application ${name}, whose forwardConfig has no conditions, got none. Create the rule, or write hosts or pathPatterns.`,
    );
  }
  const unsaid = unsaidIn(rule.Conditions ?? []);
  if (unsaid.length === 0) return conditionsIn(rule.Conditions ?? []);
  throw failure(
    'Conflict',
    `Expected rule ${priority} of application ${name} to have conditions that a Cell can say, got ${unsaid.join(', ')}. Use another priority.`,
  );
}

import type {
  CreateRuleCommandInput,
  ElasticLoadBalancingV2,
  RuleCondition,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import type { Site } from './fixture.ts';

/** Writes a forward action: a weight per target group of the site, in order. */
export const forward = (site: Site, ...weights: readonly number[]) => ({
  Type: 'forward' as const,
  ForwardConfig: {
    TargetGroups: weights.map((Weight, index) => ({ TargetGroupArn: site.groups[index], Weight })),
  },
});

/** Writes a path condition. */
export const path = (...Values: string[]): RuleCondition => ({
  Field: 'path-pattern',
  PathPatternConfig: { Values },
});

/** Writes a rule that AWS takes, with changes. */
export const ruleInput = (
  site: Site,
  change: Partial<CreateRuleCommandInput> = {},
): CreateRuleCommandInput => ({
  ListenerArn: site.listener,
  Priority: 10,
  Conditions: [path('/*')],
  Actions: [forward(site, 100, 0)],
  ...change,
});

/** Creates a rule and gives its ARN. */
export async function createRule(
  elb: ElasticLoadBalancingV2,
  site: Site,
  change: Partial<CreateRuleCommandInput> = {},
): Promise<string> {
  const made = await elb.createRule(ruleInput(site, change));
  return made.Rules?.[0]?.RuleArn ?? '';
}

/** Sets the weights of a rule. */
export const setWeights = (
  elb: ElasticLoadBalancingV2,
  site: Site,
  rule: { readonly arn: string; readonly weights: readonly number[] },
) => elb.modifyRule({ RuleArn: rule.arn, Actions: [forward(site, ...rule.weights)] });

/** Reads the weights of a rule. */
export async function weightsOf(
  elb: ElasticLoadBalancingV2,
  arn: string,
): Promise<readonly (number | undefined)[]> {
  const found = await elb.describeRules({ RuleArns: [arn] });
  const groups = found.Rules?.[0]?.Actions?.[0]?.ForwardConfig?.TargetGroups ?? [];
  return groups.map((group) => group.Weight);
}

/** Reads the states and reasons of the targets of a group. */
export async function healthOf(
  elb: ElasticLoadBalancingV2,
  arn: string | undefined,
): Promise<readonly string[]> {
  const { TargetHealthDescriptions = [] } = await elb.describeTargetHealth({ TargetGroupArn: arn });
  return TargetHealthDescriptions.map((one) =>
    [one.TargetHealth?.State, one.TargetHealth?.Reason].filter((part) => part !== undefined).join(' '),
  );
}

/** Gives the name and message of the error that a call ends with. */
export async function errorOf(
  call: Promise<unknown>,
): Promise<{ readonly name: string; readonly message: string }> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Error) return { name: error.name, message: error.message };
  }
  return { name: 'nothing', message: '' };
}

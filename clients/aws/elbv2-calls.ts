import type {
  Action,
  CreateRuleCommandInput,
  Listener,
  LoadBalancer,
  ModifyRuleCommandInput,
  Rule,
  TargetGroup,
  TargetHealthDescription,
  CreateTargetGroupCommandInput,
  ModifyTargetGroupCommandInput,
} from '@aws-sdk/client-elastic-load-balancing-v2';
/** Reads of ELBv2. Errors are those of the AWS SDK, under the names that the AWS documentation lists. */
export interface ELBv2Reads {
  /** Reads all rules of a listener, page by page (API_DescribeRules). */
  rulesOf(listenerARN: string, signal?: AbortSignal): Promise<readonly Rule[]>;
  /** Reads one rule; undefined when there is none (API_DescribeRules). */
  rule(ruleARN: string, signal?: AbortSignal): Promise<Rule | undefined>;
  /** Reads one listener (API_DescribeListeners). */
  listener(listenerARN: string, signal?: AbortSignal): Promise<Listener>;
  /** Reads one load balancer (API_DescribeLoadBalancers). */
  loadBalancer(loadBalancerARN: string, signal?: AbortSignal): Promise<LoadBalancer>;
  /** Reads the attributes of a load balancer (API_DescribeLoadBalancerAttributes). */
  loadBalancerAttributes(
    loadBalancerARN: string,
    signal?: AbortSignal,
  ): Promise<Readonly<Record<string, string>>>;
  /** Reads the tags of a rule, a listener or a target group (API_DescribeTags). */
  tagsOf(arn: string, signal?: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /** Reads the tags of rules or listeners, by ARN; fails when one of them is gone (API_DescribeTags). */
  tagsOfAll(
    arns: readonly string[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>>;
  /** Reads the tags of at most 20 target groups, by ARN; those that AWS does not know are left out (API_DescribeTags). */
  tagsOfGroups(
    targetGroupARNs: readonly string[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>>;
  /** Reads target groups; those that AWS does not know are left out (API_DescribeTargetGroups). */
  targetGroups(targetGroupARNs: readonly string[], signal?: AbortSignal): Promise<readonly TargetGroup[]>;
  /** Reads the target group of a name; undefined when there is none (API_DescribeTargetGroups). */
  targetGroupNamed(name: string, signal?: AbortSignal): Promise<TargetGroup | undefined>;
  /** Reads the health of the targets of a group (API_DescribeTargetHealth). */
  targetHealth(targetGroupARN: string, signal?: AbortSignal): Promise<readonly TargetHealthDescription[]>;
  /** Reads the attributes of a target group (API_DescribeTargetGroupAttributes). */
  attributesOf(targetGroupARN: string, signal?: AbortSignal): Promise<Readonly<Record<string, string>>>;
}

/** Writes to ELBv2; each is tried once, so that the caller decides on another attempt. */
export interface ELBv2Writes {
  /** Has credentials at hand, so that the next write does not wait for them. */
  ready(): Promise<void>;
  /** Creates a rule; not idempotent (API_CreateRule). */
  createRule(input: CreateRuleCommandInput): Promise<Rule>;
  /** Changes a rule, and answers with what it is then (API_ModifyRule). */
  modifyRule(input: ModifyRuleCommandInput & { RuleArn: string }): Promise<Rule | undefined>;
  /** Moves rules to other priorities, all at once or none (API_SetRulePriorities). */
  setPriority(ruleARN: string, priority: number): Promise<void>;
  /** Deletes a rule; one that is gone is left as it is (API_DeleteRule). */
  deleteRule(ruleARN: string): Promise<void>;
  /** Sets the default action of a listener (API_ModifyListener). */
  setDefaultAction(listenerARN: string, action: Action): Promise<void>;
  /** Tags a rule or a listener (API_AddTags). */
  tag(arn: string, tags: Readonly<Record<string, string>>): Promise<void>;
  /** Sets attributes of a target group (API_ModifyTargetGroupAttributes). */
  setAttributes(targetGroupARN: string, attributes: Readonly<Record<string, string>>): Promise<void>;
  /** Creates a target group, with its tags in the same call (API_CreateTargetGroup). */
  createTargetGroup(input: NewTargetGroupInput): Promise<TargetGroup>;
  /** Changes the health check of a target group (API_ModifyTargetGroup). */
  modifyTargetGroup(targetGroupARN: string, healthCheck: HealthCheckInput): Promise<void>;
  /** Deletes a target group; one that is gone is left as it is (API_DeleteTargetGroup). */
  deleteTargetGroup(targetGroupARN: string): Promise<void>;
  /** Registers targets; those that are registered stay so (API_RegisterTargets). */
  registerTargets(targetGroupARN: string, targets: readonly Target[]): Promise<void>;
  /** Deregisters targets; those that are not registered are left as they are (API_DeregisterTargets). */
  deregisterTargets(targetGroupARN: string, targets: readonly Target[]): Promise<void>;
}

/** A target as ELBv2 knows it. */
export interface Target {
  readonly id: string;
  readonly port: number;
}

/** A target group to create. */
type NewTargetGroupInput = Omit<CreateTargetGroupCommandInput, 'Tags'> & {
  readonly tags: Readonly<Record<string, string>>;
};

/** What may be changed of a target group that exists. */
export type HealthCheckInput = Omit<ModifyTargetGroupCommandInput, 'TargetGroupArn'>;

import type { ApplicationLoadBalancerShape } from '../../../domain/load-balancers/application-load-balancer/application-load-balancer.ts';
import type { ELBv2 } from '../../../clients/aws/elbv2.ts';
import type { ListenerRule } from '../../../crds/listener-rule.ts';
import type { Owner } from '../../../domain/load-balancers/owner-tag.ts';
import type { PresentRule } from '../../../domain/load-balancers/application-load-balancer/rule-difference.ts';
import type { ApplyRequest, LoadBalancerDependencies, Writing } from '../port.ts';

/** One attempt to make a listener rule what is wanted. */
export interface Attempt {
  readonly request: ApplyRequest<ApplicationLoadBalancerShape>;
  readonly desired: ListenerRule;
  readonly elbv2: ELBv2;
  readonly owner: () => Promise<Owner>;
  readonly asks: LoadBalancerDependencies['desiredOf'];
  readonly writing: Writing;
}

/** How a target group keeps clients with a target. */
export type TargetStickiness = NonNullable<ListenerRule['forward']['targetStickiness']>;

/** How target groups keep clients with a target, by ARN. */
export type StickinessByGroup = ReadonlyMap<string, TargetStickiness | undefined>;

/** A rule that exists, and how its target groups keep clients where that was read. */
export interface KnownRule extends PresentRule {
  readonly ruleARN: string;
  readonly stickiness?: StickinessByGroup;
}

/** A rule to write to, and how it is known. */
export interface RuleToWrite {
  /** `Read`: shown and claimed. By the status alone: `Reported` unread, `Unanswered` in time, `Unshown` by reads though ELBv2 has it. */
  readonly is: 'Read' | 'Reported' | 'Unanswered' | 'Unshown';
  readonly rule: KnownRule;
}

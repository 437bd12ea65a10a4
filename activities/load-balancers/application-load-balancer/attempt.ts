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
  /** The object as the owner of the rule. */
  readonly owner: () => Promise<Owner>;
  /** What other objects ask for. */
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
  /**
   * `Read`: as ELBv2 shows it, and claimed. The others by the status alone: `Reported` without a read, `Unanswered` where no
   * read has answered in time, `Unshown` where ELBv2 has it and reads do not show it.
   */
  readonly is: 'Read' | 'Reported' | 'Unanswered' | 'Unshown';
  readonly rule: KnownRule;
}

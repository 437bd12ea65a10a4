import type { ApplicationLoadBalancerShape } from '../../../domain/load-balancers/application-load-balancer/application-load-balancer.ts';
import type { ELBv2 } from '../../../clients/aws/elbv2.ts';
import type { ListenerRule } from '../../../crds/listener-rule.ts';
import type { Owner } from '../../../domain/load-balancers/owner-tag.ts';
import type { PresentRule } from '../../../domain/load-balancers/application-load-balancer/rule-difference.ts';
import type { ApplyRequest, LoadBalancerDependencies, Writing } from '../port.ts';
import type { StickinessByGroup } from './target-stickiness.ts';

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

/** A rule that exists, and how its target groups keep clients where that was read. */
export interface KnownRule extends PresentRule {
  readonly ruleARN: string;
  readonly stickiness?: StickinessByGroup;
}

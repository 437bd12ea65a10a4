import type {
  AWSApplicationLoadBalancerConfigSpec,
  AWSApplicationLoadBalancerConfigStatus,
} from '../crds/aws-application-load-balancer-config.ts';
import type { CellSpec, CellStatus } from '../crds/cell.ts';
import type { ListenerRule } from '../crds/listener-rule.ts';
import type { Freezing } from './freeze.ts';
import type { ObjectKey } from './ids.ts';

/** A target group of a Cell, as an AWSTargetGroup object names it. */
export interface TargetGroup {
  readonly name: string;
  readonly arn: string;
}

/** An AWSTargetGroup that a Cell selects, with the version its labels claim. */
export interface SelectedTargetGroup extends TargetGroup {
  /** The value of the version label, unchecked; undefined when no label is there. */
  readonly version?: string;
}

/** A target group in a rule that is served. */
export interface ServedTargetGroup extends TargetGroup {
  readonly weight: number;
}

/** A Cell as one look at the Kubernetes API shows it, with all that its rollout depends on. */
export interface ObservedCell {
  readonly key: ObjectKey;
  /** Undefined when there is no such Cell, or when it is being deleted. */
  readonly cell?: {
    readonly uid: string;
    readonly generation: number;
    readonly spec: CellSpec;
    readonly status: CellStatus;
    /** What is wrong with the spec, when the API server let it pass (an older CRD, say). */
    readonly problems: readonly string[];
  };
  /** Identifies what was looked at; watchers compare it to see whether anything is new. */
  readonly digest: string;
  readonly selected: readonly SelectedTargetGroup[];
  /** The Freezes that hold the rollouts of the Cell's namespace. */
  readonly freezes: readonly Freezing[];
  /** The groups that the listener rule forwards to, as last read back from ELBv2. */
  readonly served: readonly ServedTargetGroup[];
  /** The whole listener rule, as last read back from ELBv2; undefined when none is served. */
  readonly rule?: ListenerRule;
  /** How many writes to the load balancer configuration were made. */
  readonly sequence: number;
}

/** An AWSApplicationLoadBalancerConfig as one look at the Kubernetes API shows it. */
export interface ObservedLoadBalancerConfig {
  readonly key: ObjectKey;
  /** Undefined when there is no such object, or when it is being deleted. */
  readonly config?: {
    readonly uid: string;
    readonly generation: number;
    readonly spec: AWSApplicationLoadBalancerConfigSpec;
    readonly status: AWSApplicationLoadBalancerConfigStatus;
    /** Whether the object may take over a rule that Okra did not create. */
    readonly adopt: boolean;
  };
}

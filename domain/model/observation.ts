import type { Deletion } from '../load-balancers/load-balancer-config.ts';
import type { SelectedTargetGroup, WeightedTargetGroup } from './target-group.ts';
import type { CellSpec, CellStatus } from '../../crds/cell.ts';
import type { Freezing } from '../gates/freeze.ts';
import type { ObjectKey } from './ids.ts';
import type { LoadBalancerType, ObservedForwarding } from '../load-balancers/load-balancer.ts';

/** The resource versions of the lists that a look at a Cell was made of; undefined where a kind is not installed. */
export interface ListVersions {
  readonly targetGroups?: string | undefined;
  readonly freezes?: string | undefined;
  readonly accessPolicies?: string | undefined;
}

/** Whether lists are at least as new as others, by numeric resource versions (Kubernetes API concepts); others must be the same. */
export const areAsNewAs = (lists: ListVersions, others: ListVersions): boolean =>
  (['targetGroups', 'freezes', 'accessPolicies'] as const).every((list) =>
    isAsNewAs(lists[list], others[list]),
  );

const NUMBER = /^\d{1,20}$/;

function isAsNewAs(version: string | undefined, other: string | undefined): boolean {
  if (version === other) return true;
  if (version === undefined || other === undefined || !NUMBER.test(version) || !NUMBER.test(other))
    return false;
  return BigInt(version) >= BigInt(other);
}

/** A Cell as one look at the Kubernetes API shows it, with all that its rollout depends on. */
export interface ObservedCell {
  readonly key: ObjectKey;
  /** Set when the Cell has applications: another workflow works for it, and all the rest is empty. */
  readonly hasApplications?: true;
  /** Undefined when there is no such Cell, or when it is being deleted. */
  readonly cell?: {
    readonly uid: string;
    readonly generation: number;
    /** Over which version a status may be written without another read; undefined once one was written. */
    readonly resourceVersion?: string | undefined;
    readonly spec: CellSpec;
    readonly status: CellStatus;
    /** What is wrong with the spec, when the API server let it pass (an older CRD, say). */
    readonly problems: readonly string[];
    /** Whether the Cell may take over what Okra did not create. */
    readonly adopt?: boolean;
  };
  /** Identifies what was looked at; watchers compare it to see whether anything is new. */
  readonly digest: string;
  readonly selected: readonly SelectedTargetGroup[];
  readonly freezes: readonly Freezing[];
  /** The Cell with applications that this one moves traffic for, and which of its clusters are not ready; undefined: there is none, or all are. */
  readonly waitsFor?: { readonly cell: string; readonly clusters: readonly string[] };
  /** What holds the traffic that this Cell moves: an earlier application that is not in place, or its own with the reason why it cannot continue; and their Cell. */
  readonly behind?: { readonly cell: string; readonly application: string; readonly reason?: string };
  /** The versions of the lists that this was read from; undefined where nothing was listed. */
  readonly listVersions?: ListVersions;
  /** The groups that the load balancer forwards to, as last read back from it. */
  readonly weighted: readonly WeightedTargetGroup[];
  /** All that the load balancer serves, as last read back from it; undefined when nothing is known of it. */
  readonly observedForwarding?: ObservedForwarding;
  /** What the configuration object asks for; undefined when there is no such object. */
  readonly desired?: readonly WeightedTargetGroup[];
  /** Whether ELBv2 serves what the configuration object asks for, as its status says; true when there is no such object. */
  readonly isApplied: boolean;
  readonly configType?: LoadBalancerType;
  /** How the deletion of the configuration object stands; undefined when there is no such object. */
  readonly deletion?: Deletion;
  /** How many writes to the load balancer configuration were made. */
  readonly sequence: number;
}

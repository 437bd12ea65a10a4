import type { Owned } from '../handover.ts';
import type { Grace } from '../missing.ts';
import type { AWSTargetGroupSetSpec } from '../../../crds/aws-target-group-set.ts';
import type { Marks } from '../generated.ts';
import type { BindingAPI, RemoteBinding } from './target-group-of-binding.ts';
import type { KnownCluster } from '../clusters/known-cluster.ts';
/** What was found in a cluster, or why it could not be read. */
export interface ClusterReading {
  readonly cluster: KnownCluster;
  readonly found:
    | {
        readonly ok: true;
        readonly bindings: readonly RemoteBinding[];
        /** The only namespaces that were looked at, because the secret allows no others; none: all. */
        readonly namespaces?: readonly string[];
        /** The kinds of TargetGroupBinding that the cluster has not got. */
        readonly absent?: readonly BindingAPI[];
        /** When the definitions of the others were made, where that was asked. */
        readonly since?: Readonly<Partial<Record<BindingAPI, string>>>;
      }
    | { readonly ok: false; readonly reason: string; readonly message: string };
}

/** What there is of a set. */
export interface Existing extends Owned, Marks {
  readonly uid: string;
}

/** An AWSTargetGroup that there is. */
export interface ExistingGroup extends Existing {
  readonly arn: string;
}

/** An AWSTargetGroupBinding that there is. */
export interface ExistingBinding extends Existing {
  /** Its spec in canonical form. */
  readonly spec: string;
  /** The ARN of its target group, once that is known. */
  readonly arn?: string | undefined;
  /** Whether it is deleted already, and stays until its targets are deregistered. */
  readonly isDeleting?: boolean;
}

/** An AWSTargetGroup as it is to be. */
export interface DesiredGroup extends Marks {
  readonly name: string;
  readonly arn: string;
}

/** What a decision about an AWSTargetGroupSet is made of. */
export interface ObservedTargetGroupSet {
  readonly uid: string;
  readonly name: string;
  readonly spec: AWSTargetGroupSetSpec;
  /** One for each cluster that the set selects. */
  readonly readings: readonly ClusterReading[];
  readonly groups: readonly ExistingGroup[];
  readonly bindings: readonly ExistingBinding[];
  readonly grace: Grace;
}

import type { Existing, Marks } from '../generated.ts';
import type { Grace } from '../missing.ts';
import type { AWSTargetGroupSetSpec } from '../../../crds/aws-target-group-set.ts';
import type { KnownCluster } from '../clusters/known-cluster.ts';

/** Whose TargetGroupBinding it is: that of the AWS Load Balancer Controller, or that of EKS Auto Mode. */
export type BindingAPI = 'elbv2.k8s.aws' | 'eks.amazonaws.com';

/** A TargetGroupBinding in a cluster. */
export interface RemoteBinding {
  readonly api: BindingAPI;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly arn?: string | undefined;
  /** Whether its controller leaves targets alone that it has not registered (`spec.multiClusterTargetGroup`). */
  readonly isMultiCluster?: true;
  readonly isDeleting: boolean;
}

/** What was found in a cluster, or why it could not be read. */
export interface ClusterReading {
  readonly cluster: KnownCluster;
  readonly found:
    | {
        readonly ok: true;
        readonly bindings: readonly RemoteBinding[];
        /** The only namespaces that were looked at, because the secret allows no others; none: all. */
        readonly namespaces?: readonly string[];
        readonly absent?: readonly BindingAPI[];
      }
    | { readonly ok: false; readonly reason: string; readonly message: string };
}

/** An AWSTargetGroup that there is. */
export type ExistingGroup = Existing & { readonly arn: string };

/** An AWSTargetGroupBinding that there is. */
export interface ExistingBinding extends Existing {
  readonly spec: string;
  readonly arn?: string | undefined;
  /** Whether it is deleted already, and stays until its targets are deregistered. */
  readonly isDeleting?: boolean;
}

/** An AWSTargetGroup as it is to be. */
export type DesiredGroup = Marks & { readonly name: string; readonly arn: string };

/** What a decision about an AWSTargetGroupSet is made of. */
export interface ObservedTargetGroupSet {
  readonly uid: string;
  readonly name: string;
  readonly spec: AWSTargetGroupSetSpec;
  readonly readings: readonly ClusterReading[];
  readonly groups: readonly ExistingGroup[];
  readonly bindings: readonly ExistingBinding[];
  readonly grace: Grace;
}

/** The kinds of TargetGroupBinding, in the order in which each namespace of a cluster is asked for them. */
export const BINDING_APIS: readonly BindingAPI[] = ['elbv2.k8s.aws', 'eks.amazonaws.com'];

/** What lists of TargetGroupBindings say, a list of each kind for each namespace that was asked; undefined where a cluster has not got the kind. */
export function joinBindings(
  lists: readonly (readonly RemoteBinding[] | undefined)[],
): Extract<ClusterReading['found'], { readonly ok: true }> {
  // A kind that one namespace has and another has not is coming or going.
  const absent = BINDING_APIS.filter((_, kind) =>
    lists.some((list, index) => list === undefined && index % BINDING_APIS.length === kind),
  );
  return { ok: true, bindings: withoutTwins(lists.flatMap((list) => list ?? [])), absent };
}

/** Leaves out what says the same under both kinds, as when a cluster changes its controller. */
function withoutTwins(bindings: readonly RemoteBinding[]): readonly RemoteBinding[] {
  const seen = new Set<string>();
  return bindings.filter(({ isDeleting, namespace, name, arn }) => {
    const said = JSON.stringify([namespace, name, arn]);
    const isTwin = !isDeleting && seen.has(said);
    if (!isDeleting) seen.add(said);
    return !isTwin;
  });
}

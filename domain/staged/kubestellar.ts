/** An object as a Binding lists it (NamespaceScopeDownsyncClause and ClusterScopeDownsyncClause of control.kubestellar.io/v1alpha1). */
export interface WorkloadObject {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** The namespace of the object; one without a namespace has none. */
  readonly namespace?: string;
  readonly name: string;
  readonly resourceVersion: string;
  readonly createOnly?: boolean;
  readonly statusCollectors?: readonly string[];
  readonly wantSingletonReportedState?: boolean;
  readonly wantMultiWECReportedState?: boolean;
}

/** A Binding, as far as Okra looks at it. */
export interface Binding {
  readonly metadata: {
    readonly name: string;
    readonly generation?: number;
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly { readonly kind: string; readonly uid: string }[];
  };
  readonly spec?: {
    readonly workload?: {
      readonly clusterScope?: readonly WorkloadObject[];
      readonly namespaceScope?: readonly WorkloadObject[];
    };
    readonly destinations?: readonly { readonly clusterId: string }[];
  };
  readonly status?: { readonly observedGeneration?: number; readonly errors?: readonly string[] };
}

/** What KubeStellar says of one object and one BindingPolicy; anybody may have written anything into it. */
export interface CombinedStatus {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly results?: unknown;
}

/** The field manager by which KubeStellar labels an object that it copies a status back into (pkg/status/workstatus.go); that is no edit of it. */
export const STATUS_MANAGER = 'Status';

/** The labels of a CombinedStatus, which say what it is about. */
export const ABOUT = {
  group: 'status.kubestellar.io/api-group',
  resource: 'status.kubestellar.io/resource',
  namespace: 'status.kubestellar.io/namespace',
  name: 'status.kubestellar.io/name',
  policy: 'status.kubestellar.io/binding-policy',
} as const;

import type { Metadata } from '../../crds/resource.ts';
import { fieldsIn, recordsIn, textIn } from '../model/fields.ts';

/** An object in a Binding, as control.kubestellar.io/v1alpha1 has it. */
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
  readonly metadata: Pick<Metadata, 'name' | 'generation' | 'deletionTimestamp'> & {
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

/** What KubeStellar reports of an object and a BindingPolicy; anybody may have written it. */
export interface CombinedStatus {
  readonly metadata: Pick<Metadata, 'name' | 'namespace' | 'labels'>;
  readonly results?: unknown;
}

/** KubeStellar's field manager for copied statuses, which are no edits (pkg/status/workstatus.go). */
export const STATUS_MANAGER = 'Status';

/** The labels of a CombinedStatus, which say what it is about. */
export const ABOUT = {
  group: 'status.kubestellar.io/api-group',
  resource: 'status.kubestellar.io/resource',
  namespace: 'status.kubestellar.io/namespace',
  name: 'status.kubestellar.io/name',
  policy: 'status.kubestellar.io/binding-policy',
} as const;

/** Okra's StatusCollector: when each cluster reported last, and on which version of the object. */
export const REPORTS = 'okra-reports';

const NEWER_THAN_EDITS = `obj.metadata.managedFields.all(f, has(f.subresource) || (has(f.manager) && f.manager == '${STATUS_MANAGER}') || timestamp(f.time) < propagation.lastReturnedUpdateTimestamp)`;

/** Its column that names the cluster. */
export const CLUSTER_COLUMN = 'cluster';

const select = {
  [CLUSTER_COLUMN]: 'inventory.name',
  reported: 'string(propagation.lastReturnedUpdateTimestamp)',
  uid: 'obj.metadata.uid',
  resourceVersion: 'obj.metadata.resourceVersion',
} as const;

/** What that StatusCollector asks for: a row for each cluster that has reported on an object after its last edit. */
export const reportsSpec = {
  filter: NEWER_THAN_EDITS,
  select: Object.entries(select).map(([name, def]) => ({ name, def })),
  limit: 10_000,
};

/** What a cluster has reported on an object: when, in milliseconds since the epoch, and by which version of it. */
export type Report = NonNullable<ReturnType<typeof reportOf>>;

/** Reads what clusters have reported; a row that is not as Okra has asked for says nothing. */
export function readReports(status: CombinedStatus): readonly Report[] {
  return recordsIn(status.results)
    .filter(({ name }) => name === REPORTS)
    .flatMap(({ columnNames, rows }) => {
      const names = Array.isArray(columnNames) ? columnNames : [];
      return recordsIn(rows).flatMap(({ columns }) => reportOf(names, recordsIn(columns)) ?? []);
    });
}

function reportOf(names: readonly unknown[], columns: readonly object[]) {
  const at = (name: keyof typeof select): string =>
    textIn(fieldsIn(columns[names.indexOf(name)])['string']) ?? '';
  const reportedAt = Date.parse(at('reported'));
  if (at('cluster') === '' || Number.isNaN(reportedAt)) return undefined;
  return { cluster: at('cluster'), reportedAt, uid: at('uid'), resourceVersion: at('resourceVersion') };
}

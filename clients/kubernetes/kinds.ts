import { resources } from '../../crds/index.ts';
import type { KindRef } from '../../crds/resource.ts';

/** The name of an object, and its namespace unless its kind has none. */
export interface Key {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Where the API says which kinds it serves of a group and version. */
export const versionPath = ({ apiVersion }: KindRef): string =>
  apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;

/** Where the API serves the objects of a kind, of all namespaces or of one. */
export function kindPath(kind: KindRef, namespace?: string): string {
  const root = versionPath(kind);
  const inNamespace = kind.namespaced && namespace !== undefined;
  return `${root}${inNamespace ? `/namespaces/${encodeURIComponent(namespace)}` : ''}/${kind.plural}`;
}

/** Where the API serves an object, or a part of it. */
export function objectPath(kind: KindRef, key: Key, subresource?: 'status'): string {
  const path = `${kindPath(kind, key.namespace ?? 'default')}/${encodeURIComponent(key.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

export type { KindRef } from '../../crds/resource.ts';

// Okra's own kinds.
export { cell as CELL } from '../../crds/cell.ts';
export { awsTargetGroup as AWS_TARGET_GROUP } from '../../crds/aws-target-group.ts';
export { awsTargetGroupSet as AWS_TARGET_GROUP_SET } from '../../crds/aws-target-group-set.ts';
export { awsTargetGroupBinding as AWS_TARGET_GROUP_BINDING } from '../../crds/aws-target-group-binding.ts';
export { awsApplicationLoadBalancerConfig as AWS_APPLICATION_LOAD_BALANCER_CONFIG } from '../../crds/load-balancers/application-load-balancer.ts';
export { freeze as FREEZE } from '../../crds/freeze.ts';
export { accessPolicy as ACCESS_POLICY } from '../../crds/access-policy.ts';
export { awsNetworkLoadBalancerConfig as AWS_NETWORK_LOAD_BALANCER_CONFIG } from '../../crds/load-balancers/network-load-balancer.ts';
export { awsApplicationLoadBalancerTargetDeployment as AWS_APPLICATION_LOAD_BALANCER_TARGET_DEPLOYMENT } from '../../crds/aws-application-load-balancer-target-deployment.ts';
export { clusterSet as CLUSTER_SET } from '../../crds/cluster-set.ts';
export { check as CHECK } from '../../crds/check.ts';
export { stagedBindingPolicy as STAGED_BINDING_POLICY } from '../../crds/staged-binding-policy.ts';

const ARGO = 'argoproj.io/v1alpha1';
const KUBESTELLAR = 'control.kubestellar.io/v1alpha1';
const APIEXTENSIONS = 'apiextensions.k8s.io/v1';
const AUTHENTICATION = 'authentication.k8s.io/v1';
const AUTHORIZATION = 'authorization.k8s.io/v1';

const known: KindRef[] = [...resources];

function foreign(apiVersion: string, kind: string, more: Partial<KindRef> = {}): KindRef {
  const ref = { apiVersion, kind, plural: `${kind.toLowerCase()}s`, namespaced: true, ...more };
  known.push(ref);
  return ref;
}

const CLUSTERED = { namespaced: false };

// The kinds of others.
export const ANALYSIS_RUN = foreign(ARGO, 'AnalysisRun');
export const ANALYSIS_TEMPLATE = foreign(ARGO, 'AnalysisTemplate');
export const CLUSTER_ANALYSIS_TEMPLATE = foreign(ARGO, 'ClusterAnalysisTemplate', CLUSTERED);
export const EXPERIMENT = foreign(ARGO, 'Experiment');
export const APPLICATION = foreign(ARGO, 'Application');
export const APPLICATION_SET = foreign(ARGO, 'ApplicationSet');
export const APP_PROJECT = foreign(ARGO, 'AppProject');
export const CONTROLLER_REVISION = foreign('apps/v1', 'ControllerRevision');
export const REPLICA_SET = foreign('apps/v1', 'ReplicaSet');
export const JOB = foreign('batch/v1', 'Job');
export const LEASE = foreign('coordination.k8s.io/v1', 'Lease');
export const EVENT = foreign('events.k8s.io/v1', 'Event');
export const NAMESPACE = foreign('v1', 'Namespace', CLUSTERED);
export const SECRET = foreign('v1', 'Secret');
export const NODE = foreign('v1', 'Node', CLUSTERED);
export const POD = foreign('v1', 'Pod');
export const TARGET_GROUP_BINDING = foreign('elbv2.k8s.aws/v1beta1', 'TargetGroupBinding');
export const EKS_TARGET_GROUP_BINDING = foreign('eks.amazonaws.com/v1', 'TargetGroupBinding');
export const BINDING_POLICY = foreign(KUBESTELLAR, 'BindingPolicy', {
  plural: 'bindingpolicies',
  ...CLUSTERED,
});
export const BINDING = foreign(KUBESTELLAR, 'Binding', CLUSTERED);
export const COMBINED_STATUS = foreign(KUBESTELLAR, 'CombinedStatus', { plural: 'combinedstatuses' });
export const STATUS_COLLECTOR = foreign(KUBESTELLAR, 'StatusCollector', CLUSTERED);
export const CONFIG_MAP = foreign('v1', 'ConfigMap');
export const CUSTOM_RESOURCE_DEFINITION = foreign(APIEXTENSIONS, 'CustomResourceDefinition', CLUSTERED);
export const SELF_SUBJECT_REVIEW = foreign(AUTHENTICATION, 'SelfSubjectReview', CLUSTERED);
export const SELF_SUBJECT_ACCESS_REVIEW = foreign(AUTHORIZATION, 'SelfSubjectAccessReview', CLUSTERED);
export const SUBJECT_ACCESS_REVIEW = foreign(AUTHORIZATION, 'SubjectAccessReview', CLUSTERED);

/** The API group of a kind; empty for those of the core. */
export const groupOf = ({ apiVersion }: Pick<KindRef, 'apiVersion'>): string =>
  apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';

/** Finds the kind of an object among those that Okra knows. */
export function kindOf(object: { readonly apiVersion: string; readonly kind: string }): KindRef {
  const found = known.find(
    ({ apiVersion, kind }) => apiVersion === object.apiVersion && kind === object.kind,
  );
  if (found !== undefined) return found;
  throw new TypeError(
    `kind ${object.apiVersion} ${object.kind} not found. Add it to crds/index.ts or clients/kubernetes/kinds.ts.`,
  );
}

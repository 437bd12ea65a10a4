import { accessPolicy } from '../../crds/access-policy.ts';
import { awsApplicationLoadBalancerConfig } from '../../crds/load-balancers/application-load-balancer.ts';
import { awsApplicationLoadBalancerTargetDeployment } from '../../crds/aws-application-load-balancer-target-deployment.ts';
import { awsNetworkLoadBalancerConfig } from '../../crds/load-balancers/network-load-balancer.ts';
import { awsTargetGroup } from '../../crds/aws-target-group.ts';
import { awsTargetGroupBinding } from '../../crds/aws-target-group-binding.ts';
import { awsTargetGroupSet } from '../../crds/aws-target-group-set.ts';
import { cell } from '../../crds/cell.ts';
import { check } from '../../crds/check.ts';
import { clusterSet } from '../../crds/cluster-set.ts';
import { freeze } from '../../crds/freeze.ts';
import { stagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
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
export const CELL: KindRef = cell;
export const AWS_TARGET_GROUP: KindRef = awsTargetGroup;
export const AWS_TARGET_GROUP_SET: KindRef = awsTargetGroupSet;
export const AWS_TARGET_GROUP_BINDING: KindRef = awsTargetGroupBinding;
export const AWS_APPLICATION_LOAD_BALANCER_CONFIG: KindRef = awsApplicationLoadBalancerConfig;
export const FREEZE: KindRef = freeze;
export const ACCESS_POLICY: KindRef = accessPolicy;
export const AWS_NETWORK_LOAD_BALANCER_CONFIG: KindRef = awsNetworkLoadBalancerConfig;
export const AWS_APPLICATION_LOAD_BALANCER_TARGET_DEPLOYMENT: KindRef =
  awsApplicationLoadBalancerTargetDeployment;
export const CLUSTER_SET: KindRef = clusterSet;
export const CHECK: KindRef = check;
export const STAGED_BINDING_POLICY: KindRef = stagedBindingPolicy;

const ARGO = 'argoproj.io/v1alpha1';
const KUBESTELLAR = 'control.kubestellar.io/v1alpha1';
const APIEXTENSIONS = 'apiextensions.k8s.io/v1';
const AUTHENTICATION = 'authentication.k8s.io/v1';
const AUTHORIZATION = 'authorization.k8s.io/v1';

const namespaced = (apiVersion: string, kind: string, plural = `${kind.toLowerCase()}s`): KindRef => ({
  apiVersion,
  kind,
  plural,
  namespaced: true,
});

const clustered = (apiVersion: string, kind: string, plural?: string): KindRef => ({
  ...namespaced(apiVersion, kind, plural),
  namespaced: false,
});

const foreign = {
  ANALYSIS_RUN: namespaced(ARGO, 'AnalysisRun'),
  ANALYSIS_TEMPLATE: namespaced(ARGO, 'AnalysisTemplate'),
  CLUSTER_ANALYSIS_TEMPLATE: clustered(ARGO, 'ClusterAnalysisTemplate'),
  EXPERIMENT: namespaced(ARGO, 'Experiment'),
  APPLICATION: namespaced(ARGO, 'Application'),
  APPLICATION_SET: namespaced(ARGO, 'ApplicationSet'),
  APP_PROJECT: namespaced(ARGO, 'AppProject'),
  CONTROLLER_REVISION: namespaced('apps/v1', 'ControllerRevision'),
  REPLICA_SET: namespaced('apps/v1', 'ReplicaSet'),
  JOB: namespaced('batch/v1', 'Job'),
  LEASE: namespaced('coordination.k8s.io/v1', 'Lease'),
  EVENT: namespaced('events.k8s.io/v1', 'Event'),
  NAMESPACE: clustered('v1', 'Namespace'),
  SECRET: namespaced('v1', 'Secret'),
  NODE: clustered('v1', 'Node'),
  POD: namespaced('v1', 'Pod'),
  TARGET_GROUP_BINDING: namespaced('elbv2.k8s.aws/v1beta1', 'TargetGroupBinding'),
  EKS_TARGET_GROUP_BINDING: namespaced('eks.amazonaws.com/v1', 'TargetGroupBinding'),
  BINDING_POLICY: clustered(KUBESTELLAR, 'BindingPolicy', 'bindingpolicies'),
  BINDING: clustered(KUBESTELLAR, 'Binding'),
  COMBINED_STATUS: namespaced(KUBESTELLAR, 'CombinedStatus', 'combinedstatuses'),
  STATUS_COLLECTOR: clustered(KUBESTELLAR, 'StatusCollector'),
  CONFIG_MAP: namespaced('v1', 'ConfigMap'),
  CUSTOM_RESOURCE_DEFINITION: clustered(APIEXTENSIONS, 'CustomResourceDefinition'),
  SELF_SUBJECT_REVIEW: clustered(AUTHENTICATION, 'SelfSubjectReview'),
  SELF_SUBJECT_ACCESS_REVIEW: clustered(AUTHORIZATION, 'SelfSubjectAccessReview'),
  SUBJECT_ACCESS_REVIEW: clustered(AUTHORIZATION, 'SubjectAccessReview'),
};

export const {
  ANALYSIS_RUN,
  ANALYSIS_TEMPLATE,
  CLUSTER_ANALYSIS_TEMPLATE,
  EXPERIMENT,
  APPLICATION,
  APPLICATION_SET,
  APP_PROJECT,
  CONTROLLER_REVISION,
  REPLICA_SET,
  JOB,
  LEASE,
  EVENT,
  NAMESPACE,
  SECRET,
  NODE,
  POD,
  TARGET_GROUP_BINDING,
  EKS_TARGET_GROUP_BINDING,
  BINDING_POLICY,
  BINDING,
  COMBINED_STATUS,
  STATUS_COLLECTOR,
  CONFIG_MAP,
  CUSTOM_RESOURCE_DEFINITION,
  SELF_SUBJECT_REVIEW,
  SELF_SUBJECT_ACCESS_REVIEW,
  SUBJECT_ACCESS_REVIEW,
} = foreign;

/** The API group of a kind; empty for those of the core. */
export const groupOf = ({ apiVersion }: Pick<KindRef, 'apiVersion'>): string =>
  apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';

/** Finds the kind of an object among those that Okra knows. */
export function kindOf(object: { readonly apiVersion: string; readonly kind: string }): KindRef {
  const known: readonly KindRef[] = [...resources, ...Object.values(foreign)];
  const found = known.find(
    ({ apiVersion, kind }) => apiVersion === object.apiVersion && kind === object.kind,
  );
  if (found !== undefined) return found;
  throw new TypeError(
    `kind ${object.apiVersion} ${object.kind} not found. Add it to crds/index.ts or clients/kubernetes/kinds.ts.`,
  );
}

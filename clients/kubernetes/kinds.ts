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

const ARGO = 'argoproj.io/v1alpha1';

/** Okra's Cell. */
export const CELL: KindRef = cell;

/** Okra's AWSTargetGroup. */
export const AWS_TARGET_GROUP: KindRef = awsTargetGroup;

/** Okra's AWSTargetGroupSet. */
export const AWS_TARGET_GROUP_SET: KindRef = awsTargetGroupSet;

/** Okra's AWSTargetGroupBinding. */
export const AWS_TARGET_GROUP_BINDING: KindRef = awsTargetGroupBinding;

/** Okra's AWSApplicationLoadBalancerConfig. */
export const AWS_APPLICATION_LOAD_BALANCER_CONFIG: KindRef = awsApplicationLoadBalancerConfig;

/** Okra's Freeze. */
export const FREEZE: KindRef = freeze;

/** Okra's AccessPolicy. */
export const ACCESS_POLICY: KindRef = accessPolicy;

/** Okra's AWSNetworkLoadBalancerConfig. */
export const AWS_NETWORK_LOAD_BALANCER_CONFIG: KindRef = awsNetworkLoadBalancerConfig;

/** Okra's AWSApplicationLoadBalancerTargetDeployment. */
export const AWS_APPLICATION_LOAD_BALANCER_TARGET_DEPLOYMENT: KindRef =
  awsApplicationLoadBalancerTargetDeployment;

/** Okra's ClusterSet. */
export const CLUSTER_SET: KindRef = clusterSet;

/** Okra's Check. */
export const CHECK: KindRef = check;

/** The AnalysisRun of Argo Rollouts. */
export const ANALYSIS_RUN = namespaced(ARGO, 'AnalysisRun', 'analysisruns');

/** The AnalysisTemplate of Argo Rollouts. */
export const ANALYSIS_TEMPLATE = namespaced(ARGO, 'AnalysisTemplate', 'analysistemplates');

/** The ClusterAnalysisTemplate of Argo Rollouts. */
export const CLUSTER_ANALYSIS_TEMPLATE = clustered(
  ARGO,
  'ClusterAnalysisTemplate',
  'clusteranalysistemplates',
);

/** The Experiment of Argo Rollouts. */
export const EXPERIMENT = namespaced(ARGO, 'Experiment', 'experiments');

/** The Application of Argo CD: what is deployed to a cluster. */
export const APPLICATION = namespaced(ARGO, 'Application', 'applications');

/** The ApplicationSet of Argo CD, which makes an Application for each cluster. */
export const APPLICATION_SET = namespaced(ARGO, 'ApplicationSet', 'applicationsets');

/** The AppProject of Argo CD that an Application belongs to. */
export const APP_PROJECT = namespaced(ARGO, 'AppProject', 'appprojects');

/** A revision of an object that is kept, to go back to it. */
export const CONTROLLER_REVISION = namespaced('apps/v1', 'ControllerRevision', 'controllerrevisions');

/** The ReplicaSet whose pod template an Experiment takes. */
export const REPLICA_SET = namespaced('apps/v1', 'ReplicaSet', 'replicasets');

/** A Job. */
export const JOB = namespaced('batch/v1', 'Job', 'jobs');

/** The Lease by which the watchers elect a leader. */
export const LEASE = namespaced('coordination.k8s.io/v1', 'Lease', 'leases');

/** The Event that tells people what happened to an object. */
export const EVENT = namespaced('events.k8s.io/v1', 'Event', 'events');

/** A namespace. */
export const NAMESPACE = clustered('v1', 'Namespace', 'namespaces');

/** A Secret. */
export const SECRET = namespaced('v1', 'Secret', 'secrets');

/** A node of a cluster. */
export const NODE = clustered('v1', 'Node', 'nodes');

/** A pod. */
export const POD = namespaced('v1', 'Pod', 'pods');

/** The TargetGroupBinding of the AWS Load Balancer Controller. */
export const TARGET_GROUP_BINDING = namespaced(
  'elbv2.k8s.aws/v1beta1',
  'TargetGroupBinding',
  'targetgroupbindings',
);

/** The TargetGroupBinding of EKS Auto Mode. */
export const EKS_TARGET_GROUP_BINDING = namespaced(
  'eks.amazonaws.com/v1',
  'TargetGroupBinding',
  'targetgroupbindings',
);

/** Okra's StagedBindingPolicy. */
export const STAGED_BINDING_POLICY: KindRef = stagedBindingPolicy;

const KUBESTELLAR = 'control.kubestellar.io/v1alpha1';

/** The BindingPolicy of KubeStellar: which objects go to which clusters, by selectors. */
export const BINDING_POLICY = clustered(KUBESTELLAR, 'BindingPolicy', 'bindingpolicies');

/** The Binding of KubeStellar: what a BindingPolicy selects. */
export const BINDING = clustered(KUBESTELLAR, 'Binding', 'bindings');

/** The CombinedStatus of KubeStellar: what the clusters report of an object. */
export const COMBINED_STATUS = namespaced(KUBESTELLAR, 'CombinedStatus', 'combinedstatuses');

/** The StatusCollector of KubeStellar: what is to be reported. */
export const STATUS_COLLECTOR = clustered(KUBESTELLAR, 'StatusCollector', 'statuscollectors');

/** A ConfigMap. */
export const CONFIG_MAP = namespaced('v1', 'ConfigMap', 'configmaps');

/** The definition of a custom resource. */
export const CUSTOM_RESOURCE_DEFINITION = clustered(
  'apiextensions.k8s.io/v1',
  'CustomResourceDefinition',
  'customresourcedefinitions',
);

/** The review that says who asks. */
export const SELF_SUBJECT_REVIEW = clustered(
  'authentication.k8s.io/v1',
  'SelfSubjectReview',
  'selfsubjectreviews',
);

/** The review that says whether the one who asks may do something. */
export const SELF_SUBJECT_ACCESS_REVIEW = clustered(
  'authorization.k8s.io/v1',
  'SelfSubjectAccessReview',
  'selfsubjectaccessreviews',
);

/** The review that says whether someone else may do something. */
export const SUBJECT_ACCESS_REVIEW = clustered(
  'authorization.k8s.io/v1',
  'SubjectAccessReview',
  'subjectaccessreviews',
);

/** The API group of a kind; empty for those of the core. */
export const groupOf = ({ apiVersion }: Pick<KindRef, 'apiVersion'>): string =>
  apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';

const known: readonly KindRef[] = [
  ...resources,
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
  STAGED_BINDING_POLICY,
  BINDING_POLICY,
  BINDING,
  COMBINED_STATUS,
  STATUS_COLLECTOR,
  CONFIG_MAP,
  CUSTOM_RESOURCE_DEFINITION,
  SELF_SUBJECT_REVIEW,
  SELF_SUBJECT_ACCESS_REVIEW,
  SUBJECT_ACCESS_REVIEW,
];

/** Finds the kind of an object among those that Okra knows. */
export function kindOf(object: { readonly apiVersion: string; readonly kind: string }): KindRef {
  const found = known.find(
    ({ apiVersion, kind }) => apiVersion === object.apiVersion && kind === object.kind,
  );
  if (found !== undefined) return found;
  throw new TypeError(
    `Expected an object of a kind in crds/index.ts or clients/kubernetes/kinds.ts, got ${object.apiVersion} ${object.kind}. Add the kind there.`,
  );
}

function namespaced(apiVersion: string, kind: string, plural: string): KindRef {
  return { apiVersion, kind, plural, namespaced: true };
}

function clustered(apiVersion: string, kind: string, plural: string): KindRef {
  return { apiVersion, kind, plural, namespaced: false };
}

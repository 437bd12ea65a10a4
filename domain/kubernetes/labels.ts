/** The label that says which version a target group serves. */
export const VERSION_LABEL = 'okra.mumo.co/version';

/** The tags of a target group that say in AWS which version it serves, in the order in which they are tried. */
export const VERSION_TAGS = [VERSION_LABEL, 'version'] as const;

/** The label on AnalysisRuns, Experiments, Checks and Jobs that names the Cell they belong to. */
export const CELL_LABEL = 'okra.mumo.co/cell';

/** The label on AnalysisRuns, Experiments, Checks and Jobs that holds the index of the step, from 0, or that it is in the background. */
export const STEP_LABEL = 'okra.mumo.co/step-index';

/** The label on AnalysisRuns, Experiments, Checks and Jobs that holds the id of the rollout they were made for. */
export const ROLLOUT_LABEL = 'okra.mumo.co/rollout';

/** The tag on a listener rule, on a listener of a Network Load Balancer, or on a target group that was created, that names the object which it belongs to: `namespace/name@installation`; on a target group, which has a uid as well, `namespace/name`. */
export const OWNER_TAG = 'okra.mumo.co/owner';

/** The annotation that lets an object take over a rule or listener which Okra did not set up: `"true"`. */
export const ADOPT_ANNOTATION = 'okra.mumo.co/adopt';

/** The annotation that counts the writes to a Cell's load balancer configuration, so that a late one is refused. */
export const SEQUENCE_ANNOTATION = 'okra.mumo.co/sequence';

/** The finalizer that keeps an object until what it has made of its load balancer is deleted. */
export const FINALIZER = 'okra.mumo.co/load-balancer';

/** The finalizer that keeps an AWSTargetGroupBinding until what it has registered is deregistered. */
export const BINDING_FINALIZER = 'okra.mumo.co/target-group-binding';

/** The tag on a target group with the uid of the object that has created it. */
export const UID_TAG = 'okra.mumo.co/uid';

/** The field manager of every server-side apply. */
export const FIELD_MANAGER = 'okra';

/** The API group and version of Okra's kinds. */
export const API_VERSION = 'okra.mumo.co/v1alpha1';

/** The label by which Argo CD knows the secret of a cluster. */
export const SECRET_TYPE_LABEL = 'argocd.argoproj.io/secret-type';

/** What that label says of such a secret. */
export const SECRET_TYPE_CLUSTER = 'cluster';

/** What selects the secrets of clusters among all others. */
export const CLUSTER_SECRETS = `${SECRET_TYPE_LABEL}=${SECRET_TYPE_CLUSTER}`;

/** The annotation on a generated object that names the keys of its labels and annotations which were generated. */
export const GENERATED_ANNOTATION = 'okra.mumo.co/generated';

/** The annotation on a cluster secret with the unique id of its cluster, the ARN of an EKS cluster; and on an AWSTargetGroup that was found there. */
export const CLUSTER_ID_ANNOTATION = 'okra.mumo.co/cluster-id';

/** The annotation on a cluster secret with the tags of its cluster, as JSON. */
export const CLUSTER_TAGS_ANNOTATION = 'okra.mumo.co/cluster-tags';

/** The annotation on a cluster secret with the id of the VPC that its cluster is in. */
export const CLUSTER_VPC_ANNOTATION = 'okra.mumo.co/cluster-vpc-id';

/** The labels on an AWSTargetGroup that say which TargetGroupBinding it was made of. */
export const BINDING_LABELS = {
  cluster: 'okra.mumo.co/target-group-binding-cluster',
  namespace: 'okra.mumo.co/target-group-binding-namespace',
  name: 'okra.mumo.co/target-group-binding-name',
} as const;

/** The annotation on an AWSTargetGroup that says in full what it was made of: `cluster/namespace/name`. */
export const SOURCE_ANNOTATION = 'okra.mumo.co/target-group-binding';

/** The annotation on a ControllerRevision that says since when it has been good. */
export const GOOD_ANNOTATION = 'okra.mumo.co/good';

/** The annotation on a cluster secret of a Cell that says since when each application finds there what it asks for, as JSON. */
export const WRITTEN_AT_ANNOTATION = 'okra.mumo.co/written-at';

/** The finalizer that keeps a Cell with applications until its cluster secrets are deleted. */
export const APPLICATIONS_FINALIZER = 'okra.mumo.co/applications';

/** What kubectl apply remembers of the manifest that it applied before. */
export const LAST_APPLIED_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

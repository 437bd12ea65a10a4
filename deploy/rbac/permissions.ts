import { BUDGET_NAME } from '../../clients/aws/budget-object.ts';
import { INSTALLATION_NAME } from '../../clients/kubernetes/installation.ts';
import {
  ACCESS_POLICY,
  ANALYSIS_RUN,
  ANALYSIS_TEMPLATE,
  AWS_APPLICATION_LOAD_BALANCER_CONFIG,
  AWS_APPLICATION_LOAD_BALANCER_TARGET_DEPLOYMENT,
  AWS_NETWORK_LOAD_BALANCER_CONFIG,
  AWS_TARGET_GROUP,
  AWS_TARGET_GROUP_BINDING,
  AWS_TARGET_GROUP_SET,
  CELL,
  CLUSTER_ANALYSIS_TEMPLATE,
  CLUSTER_SET,
  CONFIG_MAP,
  EVENT,
  EXPERIMENT,
  FREEZE,
  LEASE,
  REPLICA_SET,
  SECRET,
  type KindRef,
} from '../../clients/kubernetes/kinds.ts';

/**
 * Where a permission is granted: in every namespace that is watched, in the whole cluster because the kind has no namespace,
 * in okrad's own namespace, or in the namespaces of the cluster secrets.
 */
export type Scope = 'Watched' | 'Cluster' | 'Own' | 'ClusterSecrets';

/** Verbs on the objects of some kinds, which are granted together. */
export interface Permission {
  readonly scope: Scope;
  readonly kinds: readonly KindRef[];
  readonly subresource?: 'status';
  readonly verbs: readonly string[];
  /** The only objects that the verbs are for; RBAC cannot limit `create` and lists by name. */
  readonly names?: readonly string[];
  /** What okrad does with it, for people. */
  readonly use: string;
}

const watch = ['list', 'watch'];
const apply = ['create', 'patch'];

const configurations = [AWS_APPLICATION_LOAD_BALANCER_CONFIG, AWS_NETWORK_LOAD_BALANCER_CONFIG];

/** The Lease that the watchers elect a leader by, unless `OKRA_LEASE_NAME` says otherwise. */
export const LEASE_NAME = 'okra';

/** Everything that okrad does in the cluster that it runs in. */
export const permissions: readonly Permission[] = [
  {
    scope: 'Watched',
    kinds: [CELL, CLUSTER_SET, AWS_TARGET_GROUP_SET],
    verbs: ['get', ...watch],
    use: 'what is asked for',
  },
  {
    scope: 'Watched',
    kinds: configurations,
    verbs: ['get', ...watch, ...apply],
    use: 'the load balancer configuration of a Cell, with the weights that are asked for',
  },
  {
    scope: 'Watched',
    kinds: [AWS_APPLICATION_LOAD_BALANCER_TARGET_DEPLOYMENT],
    verbs: apply,
    use: 'one for each target group of a Cell, to look at',
  },
  {
    scope: 'Watched',
    kinds: [AWS_TARGET_GROUP],
    verbs: [...watch, ...apply, 'delete'],
    use: 'target groups that an AWSTargetGroupSet finds',
  },
  {
    scope: 'Watched',
    kinds: [AWS_TARGET_GROUP_BINDING],
    verbs: ['get', ...watch, ...apply, 'delete'],
    use: 'bindings that an AWSTargetGroupSet makes, and the finalizer of each',
  },
  {
    scope: 'Watched',
    kinds: [
      CELL,
      CLUSTER_SET,
      AWS_TARGET_GROUP,
      AWS_TARGET_GROUP_SET,
      AWS_TARGET_GROUP_BINDING,
      ...configurations,
      AWS_APPLICATION_LOAD_BALANCER_TARGET_DEPLOYMENT,
    ],
    subresource: 'status',
    verbs: ['patch'],
    use: 'statuses',
  },
  {
    scope: 'Watched',
    kinds: [ANALYSIS_RUN, EXPERIMENT],
    verbs: ['get', ...watch, ...apply, 'delete'],
    use: 'analyses and experiments of rollouts',
  },
  {
    scope: 'Watched',
    kinds: [ANALYSIS_TEMPLATE],
    verbs: ['get', ...watch],
    use: 'what analyses are made from',
  },
  {
    scope: 'Watched',
    kinds: [REPLICA_SET],
    verbs: ['get', ...watch],
    use: 'the pod templates that experiments take (`specRef`)',
  },
  { scope: 'Watched', kinds: [EVENT], verbs: ['create'], use: 'Events of what happens to a Cell' },
  {
    scope: 'Cluster',
    kinds: [FREEZE, ACCESS_POLICY],
    verbs: watch,
    use: 'what holds all rollouts, and what namespaces may use',
  },
  {
    scope: 'Cluster',
    kinds: [CLUSTER_ANALYSIS_TEMPLATE],
    verbs: ['get', ...watch],
    use: 'what analyses are made from',
  },
  { scope: 'Own', kinds: [LEASE], verbs: ['create'], use: 'the election of the leading watchers' },
  {
    scope: 'Own',
    kinds: [LEASE],
    verbs: ['get', 'patch'],
    names: [LEASE_NAME],
    use: 'the election of the leading watchers',
  },
  {
    scope: 'Own',
    kinds: [CONFIG_MAP],
    verbs: ['create'],
    use: 'the budget of writes, and the id of the installation',
  },
  {
    scope: 'Own',
    kinds: [CONFIG_MAP],
    verbs: ['get', 'patch'],
    names: [BUDGET_NAME, INSTALLATION_NAME],
    use: 'the budget of writes, and the id of the installation',
  },
  {
    scope: 'ClusterSecrets',
    kinds: [SECRET],
    verbs: ['get', ...watch],
    use: 'the secrets of clusters, to look into the clusters',
  },
  {
    scope: 'ClusterSecrets',
    kinds: [SECRET],
    verbs: [...apply, 'delete'],
    use: 'the secrets that a ClusterSet makes',
  },
];

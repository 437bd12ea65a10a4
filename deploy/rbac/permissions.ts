import { INSTALLATION_NAME } from '../../clients/kubernetes/installation.ts';
import {
  ANALYSIS_RUN,
  ANALYSIS_TEMPLATE,
  APPLICATION,
  APPLICATION_SET,
  BINDING,
  BINDING_POLICY,
  CLUSTER_ANALYSIS_TEMPLATE,
  COMBINED_STATUS,
  CONFIG_MAP,
  CONTROLLER_REVISION,
  EVENT,
  EXPERIMENT,
  JOB,
  LEASE,
  REPLICA_SET,
  SECRET,
  STATUS_COLLECTOR,
  SUBJECT_ACCESS_REVIEW,
  type KindRef,
} from '../../clients/kubernetes/kinds.ts';
import { resources } from '../../crds/index.ts';
import type { KindTraits } from '../../crds/resource.ts';
import { omit } from '../../domain/model/fields.ts';

/**
 * Where a permission is granted: in every namespace that is watched, in the whole cluster because the kind has no namespace,
 * in okrad's own namespace, in the namespaces of the cluster secrets, or for StagedBindingPolicies alone, where KubeStellar is.
 */
export type Scope = 'Watched' | 'Cluster' | 'Own' | 'ClusterSecrets' | 'Staged';

/** Verbs on the objects of some kinds, which are granted together. */
export interface Permission {
  readonly scope: Scope;
  readonly kinds: readonly KindRef[];
  readonly subresource?: 'status';
  readonly verbs: readonly string[];
  /** The only objects that the verbs are for; RBAC cannot limit `create` and lists by name. */
  readonly names?: readonly string[];
  readonly use: string;
}

const watch = ['list', 'watch'];
const apply = ['create', 'patch'];

/** The Lease that the watchers elect a leader by, unless `OKRA_LEASE_NAME` says otherwise. */
const LEASE_NAME = 'okra';

type Grant = Omit<Permission, 'scope'>;

const others: Readonly<Record<Scope, readonly Grant[]>> = {
  Watched: [
    {
      kinds: [ANALYSIS_RUN, EXPERIMENT],
      verbs: ['get', ...watch, ...apply, 'delete'],
      use: 'analyses and experiments of rollouts',
    },
    { kinds: [JOB], verbs: ['get', ...watch, ...apply, 'delete'], use: 'the Jobs that rollouts run' },
    { kinds: [ANALYSIS_TEMPLATE], verbs: ['get', ...watch], use: 'what analyses are made from' },
    {
      kinds: [REPLICA_SET],
      verbs: ['get', ...watch],
      use: 'the pod templates that experiments take (`specRef`)',
    },
    {
      kinds: [APPLICATION, APPLICATION_SET],
      verbs: watch,
      use: 'what Argo CD has deployed for the applications of a Cell',
    },
    {
      kinds: [CONTROLLER_REVISION],
      verbs: ['get', ...watch, ...apply, 'delete'],
      use: 'the revisions of the applications of a Cell',
    },
    { kinds: [EVENT], verbs: ['create'], use: 'Events of what happens to a Cell' },
  ],
  Cluster: [
    { kinds: [SUBJECT_ACCESS_REVIEW], verbs: ['create'], use: 'whether someone may approve a step' },
    { kinds: [CLUSTER_ANALYSIS_TEMPLATE], verbs: ['get', ...watch], use: 'what analyses are made from' },
  ],
  Own: [
    { kinds: [LEASE], verbs: ['create'], use: 'the election of the leading watchers' },
    {
      kinds: [LEASE],
      verbs: ['get', 'patch'],
      names: [LEASE_NAME],
      use: 'the election of the leading watchers',
    },
    { kinds: [CONFIG_MAP], verbs: ['create'], use: 'the id of the installation' },
    { kinds: [CONFIG_MAP], verbs: ['get'], names: [INSTALLATION_NAME], use: 'the id of the installation' },
  ],
  ClusterSecrets: [
    {
      kinds: [SECRET],
      verbs: ['get', ...watch],
      use: 'the secrets of clusters, to look into the clusters',
    },
    {
      kinds: [SECRET],
      verbs: [...apply, 'delete'],
      use: 'the secrets that a ClusterSet, or a Cell with applications, makes',
    },
  ],
  Staged: [
    {
      kinds: [BINDING_POLICY],
      verbs: ['get', ...watch, ...apply, 'delete'],
      use: 'the BindingPolicies of the stages of StagedBindingPolicies',
    },
    { kinds: [BINDING, COMBINED_STATUS], verbs: ['get', ...watch], use: 'what KubeStellar says of stages' },
    { kinds: [STATUS_COLLECTOR], verbs: ['get', ...apply], use: 'the StatusCollector `okra-reports`' },
  ],
};

const table: readonly (KindRef & KindTraits)[] = resources;

/** What okrad does with the objects of Okra's own kinds, as the table of kinds says. */
export const kindPermissions: readonly Permission[] = table.flatMap((kind) => {
  const { watched, verbs = [], isReported = false } = kind;
  const of = { scope: kind.namespaced ? 'Watched' : 'Cluster', kinds: [kind] } as const;
  const all = [...verbs, ...(watched === undefined ? [] : watch)];
  const use = all.includes('create') ? 'what Okra makes, or changes' : 'what people ask for';
  return [
    ...(all.length === 0 ? [] : [{ ...of, verbs: all, use }]),
    ...(isReported
      ? [{ ...of, subresource: 'status' as const, verbs: ['patch'], use: 'what Okra reports' }]
      : []),
  ];
});

const alike = Map.groupBy(kindPermissions, (one) => JSON.stringify(omit(one, 'kinds'))).values();

/** Everything that okrad does in the cluster that it runs in: with Okra's own kinds, as the table of kinds says, and with others. */
export const permissions: readonly Permission[] = [
  ...[...alike].flatMap((some) =>
    some.slice(0, 1).map((one) => ({ ...one, kinds: some.flatMap(({ kinds }) => kinds) })),
  ),
  ...(Object.keys(others) as Scope[]).flatMap((scope) => others[scope].map((one) => ({ scope, ...one }))),
];

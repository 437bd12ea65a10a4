import {
  ANALYSIS_RUN,
  CELL,
  CHECK,
  EVENT,
  EXPERIMENT,
  groupOf,
  type KindRef,
  POD,
  STAGED_BINDING_POLICY,
} from '../../clients/kubernetes/kinds.ts';
import { resources } from '../../crds/index.ts';
import { loadBalancerConfigs } from '../../crds/load-balancers.ts';
import { requestVerbs } from '../../crds/request-names.ts';
import { given } from '../../domain/model/fields.ts';
import { permissions, type Permission, type Scope } from '../../deploy/rbac/permissions.ts';

const READ = ['get', 'list', 'watch'];

export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

const inScope = (scope: Scope): readonly Permission[] =>
  permissions.filter((permission) => permission.scope === scope);

const isRead = ({ verbs }: Permission): boolean => verbs.every((verb) => READ.includes(verb));

/** The roles that are made of the table: what each ends in after the name of the installation, and what it grants. */
export const roles = {
  watched: { kind: 'ClusterRole', suffix: '', grants: inScope('Watched') },
  clusterScoped: { kind: 'ClusterRole', suffix: '-cluster-scoped', grants: inScope('Cluster') },
  clustersView: {
    kind: 'ClusterRole',
    suffix: '-clusters-view',
    grants: inScope('ClusterSecrets').filter(isRead),
  },
  clustersEdit: { kind: 'ClusterRole', suffix: '-clusters-edit', grants: inScope('ClusterSecrets') },
  staged: { kind: 'ClusterRole', suffix: '-staged', grants: inScope('Staged') },
  own: { kind: 'Role', suffix: '', grants: inScope('Own') },
} as const;

export type RoleKey = keyof typeof roles;

export const rulesOf = (key: RoleKey): readonly PolicyRule[] => roles[key].grants.map(ruleOf);

function ruleOf({ kinds, subresource, verbs, names }: Omit<Permission, 'scope' | 'use'>): PolicyRule {
  return {
    apiGroups: [...new Set(kinds.map(groupOf))],
    resources: kinds.map(({ plural }) => (subresource === undefined ? plural : `${plural}/${subresource}`)),
    ...given({ resourceNames: names }),
    verbs,
  };
}

const rule = (kinds: readonly KindRef[], verbs: readonly string[]): PolicyRule => ruleOf({ kinds, verbs });

const table: readonly KindRef[] = resources;

/** A role that is not made of the table: what its name ends in, what it is for, and what it grants. */
interface OtherRole {
  /** A ClusterRole when left out; a Role is one in Okra's namespace. */
  readonly kind?: 'Role';
  readonly suffix: string;
  readonly use?: string;
  readonly rules: readonly PolicyRule[];
}

/** The roles for people. They are bound nowhere at first, but `view` and what is made of it take in the first. */
export const peopleRoles = {
  viewer: {
    suffix: '-viewer',
    use: "reads all of Okra's kinds; added to `view`, and so to `edit` and `admin`",
    rules: [...Map.groupBy(table, groupOf).values()].map((kinds) => rule(kinds, READ)),
  },
  operator: {
    suffix: '-operator',
    use: 'makes every request but `approve`',
    rules: [
      rule([CELL], [...READ, ...requestVerbs.Cell.filter((verb) => verb !== 'approve')]),
      rule([STAGED_BINDING_POLICY], [...READ, ...requestVerbs.StagedBindingPolicy]),
    ],
  },
  approver: { suffix: '-approver', use: 'approves', rules: [rule([CELL], [...READ, 'approve'])] },
  forwarder: {
    kind: 'Role',
    suffix: '-forwarder',
    use: "has `okractl` reach the dashboard by port-forward, to any port of each pod in Okra's namespace",
    rules: [
      rule([POD], ['list']),
      // By WebSocket it is a get, which Kubernetes 1.35 takes for a create as well.
      { apiGroups: [''], resources: ['pods/portforward'], verbs: ['get', 'create'] },
    ],
  },
} as const satisfies Readonly<Record<string, OtherRole>>;

const shown = table.filter(({ kind }) =>
  [
    'Cell',
    'AWSTargetGroup',
    ...loadBalancerConfigs.map((config) => config.kind),
    'ClusterSet',
    'Freeze',
    'StagedBindingPolicy',
  ].includes(kind),
);

/** What the dashboard may read where nobody logs in: in the namespaces that are watched, and of kinds that have none. */
export const dashboardRoles = {
  dashboard: {
    suffix: '-dashboard',
    rules: [
      rule(
        shown.filter(({ namespaced }) => namespaced),
        ['list', 'watch'],
      ),
      rule([ANALYSIS_RUN, EXPERIMENT], ['get']),
      rule([CHECK, EVENT], ['list']),
    ],
  },
  dashboardClusterScoped: {
    suffix: '-dashboard-cluster-scoped',
    rules: shown.filter(({ namespaced }) => !namespaced).map((kind) => rule([kind], ['list', 'watch'])),
  },
} as const satisfies Readonly<Record<string, OtherRole>>;

/** The rules of every role of an installation named `okra`, by its kind and name. */
export const rulesByRole: ReadonlyMap<string, readonly PolicyRule[]> = new Map([
  ...(Object.keys(roles) as RoleKey[]).map(
    (key) => [`${roles[key].kind} okra${roles[key].suffix}`, rulesOf(key)] as const,
  ),
  ...Object.values<OtherRole>({ ...peopleRoles, ...dashboardRoles }).map(
    ({ kind = 'ClusterRole', suffix, rules }) => [`${kind} okra${suffix}`, rules] as const,
  ),
]);

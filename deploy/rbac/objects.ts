import {
  ANALYSIS_RUN,
  CELL,
  CHECK,
  EVENT,
  EXPERIMENT,
  groupOf,
  type KindRef,
  STAGED_BINDING_POLICY,
} from '../../clients/kubernetes/kinds.ts';
import { resources } from '../../crds/index.ts';
import { loadBalancerConfigs } from '../../crds/load-balancers.ts';
import { requestVerbs } from '../../crds/request-names.ts';
import { given } from '../../domain/model/fields.ts';
import { permissions, type Permission, type Scope } from './permissions.ts';

/** A rule of a role. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** An object of RBAC, or the service account that it is about. */
export interface AccessObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly rules?: readonly PolicyRule[];
  readonly roleRef?: { readonly apiGroup: string; readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace: string }[];
}

/** The roles that are made of the table: what each ends in after the name of the installation, and what it grants. */
export const roles = {
  watched: { kind: 'ClusterRole', suffix: '', grants: inScope('Watched') },
  clusterScoped: { kind: 'ClusterRole', suffix: '-cluster-scoped', grants: inScope('Cluster') },
  clustersView: { kind: 'ClusterRole', suffix: '-clusters-view', grants: secrets(isRead) },
  clustersEdit: { kind: 'ClusterRole', suffix: '-clusters-edit', grants: secrets(() => true) },
  staged: { kind: 'ClusterRole', suffix: '-staged', grants: inScope('Staged') },
  own: { kind: 'Role', suffix: '', grants: inScope('Own') },
} as const;

/** The name of a role that is made of the table. */
export type RoleKey = keyof typeof roles;

/** The rules of a role. */
export const rulesOf = (key: RoleKey): readonly PolicyRule[] => roles[key].grants.map(ruleOf);

function ruleOf({ kinds, subresource, verbs, names }: Permission): PolicyRule {
  return {
    apiGroups: [...new Set(kinds.map(groupOf))],
    resources: kinds.map(({ plural }) => (subresource === undefined ? plural : `${plural}/${subresource}`)),
    ...given({ resourceNames: names }),
    verbs,
  };
}

function inScope(scope: Scope): readonly Permission[] {
  return permissions.filter((permission) => permission.scope === scope);
}

function isRead({ verbs }: Permission): boolean {
  return verbs.every((verb) => ['get', 'list', 'watch'].includes(verb));
}

function secrets(which: (permission: Permission) => boolean): readonly Permission[] {
  return inScope('ClusterSecrets').filter(which);
}

const RBAC = 'rbac.authorization.k8s.io';

/** A service account and its access, for an installation of this name that watches every namespace. */
export function accessObjects(name: string, namespace: string): readonly AccessObject[] {
  const { role, binding } = makers(name, namespace);
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
    ...(['watched', 'clusterScoped', 'clustersView', 'clustersEdit', 'own'] as const).map(role),
    ...(['watched', 'clusterScoped', 'own'] as const).map(binding),
  ];
}

/** What such an installation needs besides for StagedBindingPolicies. */
export function stagedAccessObjects(name: string, namespace: string): readonly AccessObject[] {
  const { role, binding } = makers(name, namespace);
  return [role('staged'), binding('staged')];
}

function makers(name: string, namespace: string) {
  const apiVersion = `${RBAC}/v1`;
  const account = { kind: 'ServiceAccount', name, namespace };
  const metadataOf = (key: RoleKey): AccessObject['metadata'] => ({
    name: name + roles[key].suffix,
    ...(roles[key].kind === 'Role' ? { namespace } : {}),
  });
  const role = (key: RoleKey): AccessObject => ({
    apiVersion,
    kind: roles[key].kind,
    metadata: metadataOf(key),
    rules: rulesOf(key),
  });
  const binding = (key: RoleKey): AccessObject => ({
    apiVersion,
    kind: `${roles[key].kind}Binding`,
    metadata: metadataOf(key),
    roleRef: { apiGroup: RBAC, kind: roles[key].kind, name: name + roles[key].suffix },
    subjects: [account],
  });
  return { role, binding };
}

const rule = (kinds: readonly KindRef[], verbs: readonly string[]): PolicyRule => ({
  apiGroups: [...new Set(kinds.map(groupOf))],
  resources: kinds.map(({ plural }) => plural),
  verbs,
});

const READ = ['get', 'list', 'watch'];

const table: readonly KindRef[] = resources;

/** A role that is not made of the table: what its name ends in, what it is for, and what it grants. */
interface OtherRole {
  readonly suffix: string;
  readonly use?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly rules: readonly PolicyRule[];
}

/** The roles for people. They are bound nowhere at first, but `view` and what is made of it take in the first. */
export const peopleRoles = {
  viewer: {
    suffix: '-viewer',
    use: "reads all of Okra's kinds; added to `view`, and so to `edit` and `admin`",
    labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' },
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
} as const satisfies Readonly<Record<string, OtherRole>>;

const clusterRole = (name: string, { suffix, labels, rules }: OtherRole): AccessObject => ({
  apiVersion: `${RBAC}/v1`,
  kind: 'ClusterRole',
  metadata: { name: name + suffix, ...given({ labels }) },
  rules,
});

/** The roles for people, for an installation of this name. */
export const peopleObjects = (name: string): readonly AccessObject[] =>
  Object.values(peopleRoles).map((role) => clusterRole(name, role));

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

/** The service account of the dashboard and its access, for an installation of this name that watches every namespace. */
export function dashboardObjects(name: string, namespace: string): readonly AccessObject[] {
  const account = { kind: 'ServiceAccount', name: `${name}-dashboard`, namespace };
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: account.name, namespace } },
    ...Object.values(dashboardRoles).flatMap((role): AccessObject[] => [
      clusterRole(name, role),
      {
        apiVersion: `${RBAC}/v1`,
        kind: 'ClusterRoleBinding',
        metadata: { name: name + role.suffix },
        roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: name + role.suffix },
        subjects: [account],
      },
    ]),
  ];
}

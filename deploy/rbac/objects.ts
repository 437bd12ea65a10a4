import { groupOf } from '../../clients/kubernetes/kinds.ts';
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
    ...(names === undefined ? {} : { resourceNames: names }),
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

/** The API group of roles. */
export const RBAC = 'rbac.authorization.k8s.io';

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

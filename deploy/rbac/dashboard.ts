import { ANALYSIS_RUN, CHECK, EVENT, EXPERIMENT, type KindRef } from '../../clients/kubernetes/kinds.ts';
import { resources } from '../../crds/index.ts';
import { loadBalancerConfigs } from '../../crds/load-balancers.ts';
import { RBAC, type AccessObject, type PolicyRule } from './objects.ts';

const groupOf = ({ apiVersion }: KindRef): string => apiVersion.split('/')[0] ?? '';

const rule = (kinds: readonly KindRef[], verbs: readonly string[]): PolicyRule => ({
  apiGroups: [...new Set(kinds.map(groupOf))],
  resources: kinds.map(({ plural }) => plural),
  verbs,
});

/** What the dashboard watches. */
const shown: readonly KindRef[] = resources.filter(({ kind }) =>
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
} as const satisfies Readonly<
  Record<string, { readonly suffix: string; readonly rules: readonly PolicyRule[] }>
>;

/** The service account of the dashboard and its access, for an installation of this name that watches every namespace. */
export function dashboardObjects(name: string, namespace: string): readonly AccessObject[] {
  const account = `${name}-dashboard`;
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: account, namespace } },
    ...Object.values(dashboardRoles).flatMap(({ suffix, rules }): AccessObject[] => [
      {
        apiVersion: `${RBAC}/v1`,
        kind: 'ClusterRole',
        metadata: { name: name + suffix },
        rules,
      },
      {
        apiVersion: `${RBAC}/v1`,
        kind: 'ClusterRoleBinding',
        metadata: { name: name + suffix },
        roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: name + suffix },
        subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
      },
    ]),
  ];
}

/** What the page about access says of it. */
export const DASHBOARD_PAGE = `
## What the dashboard may read

The [dashboard in the cluster](dashboard.md#in-the-cluster) has a service account of its own, \`okra-dashboard\`. If people log in, it has no rights: each person sees and does what their own token allows. If nobody logs in, \`okra-dashboard\` and \`okra-dashboard-cluster-scoped\` let it read what it shows, and nothing else.
`;

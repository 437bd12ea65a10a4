import { resources } from '../../crds/index.ts';
import { requestVerbs } from '../../crds/request-names.ts';
import type { KindRef } from '../../crds/kind.ts';
import { CELL, groupOf, STAGED_BINDING_POLICY } from '../../clients/kubernetes/kinds.ts';
import { RBAC, type AccessObject, type PolicyRule } from './objects.ts';

/** A role for people: what it ends in after the name of the installation, what it is for, and what it grants. */
interface PeopleRole {
  readonly suffix: string;
  readonly use: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly rules: readonly PolicyRule[];
}

const rule = (kind: KindRef, verbs: readonly string[]): PolicyRule => ({
  apiGroups: [groupOf(kind)],
  resources: [kind.plural],
  verbs,
});

const READ = ['get', 'list', 'watch'];

const table: readonly KindRef[] = resources;

const viewing = [...Map.groupBy(table, groupOf)].map(([group, kinds]): PolicyRule => ({
  apiGroups: [group],
  resources: kinds.map(({ plural }) => plural),
  verbs: READ,
}));

/** The roles for people. They are bound nowhere at first, but `view` and what is made of it take in the first. */
export const peopleRoles = {
  viewer: {
    suffix: '-viewer',
    use: "reads all of Okra's kinds; added to `view`, and so to `edit` and `admin`",
    labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' },
    rules: viewing,
  },
  operator: {
    suffix: '-operator',
    use: 'makes every request but `approve`',
    rules: [
      rule(CELL, [...READ, ...requestVerbs.Cell.filter((verb) => verb !== 'approve')]),
      rule(STAGED_BINDING_POLICY, [...READ, ...requestVerbs.StagedBindingPolicy]),
    ],
  },
  approver: { suffix: '-approver', use: 'approves', rules: [rule(CELL, [...READ, 'approve'])] },
} as const satisfies Readonly<Record<string, PeopleRole>>;

const all: readonly PeopleRole[] = Object.values(peopleRoles);

/** The roles for people, for an installation of this name. */
export const peopleObjects = (name: string): readonly AccessObject[] =>
  all.map(({ suffix, labels, rules }) => ({
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: { name: `${name}${suffix}`, ...(labels === undefined ? {} : { labels }) },
    rules,
  }));

/** The rows of the page that says what people may do. */
export const peopleRows = (): readonly string[] =>
  all.map(({ suffix, use, rules }) => {
    const verbs = rules.map(
      (one) =>
        `${one.resources.length > 2 ? 'all kinds' : one.resources.join(', ')}: ${one.verbs.join(', ')}`,
    );
    return `| \`okra${suffix}\` | ${use} | ${[...new Set(verbs)].join('; ')} |`;
  });

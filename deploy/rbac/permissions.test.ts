import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { resources } from '../../crds/index.ts';
import { requestVerbs } from '../../crds/request-names.ts';
import { staleIn } from '../../local/generate/files.ts';
import { files } from '../../local/generate/rbac.ts';
import {
  peopleRoles,
  roles,
  rulesByRole,
  rulesOf,
  type PolicyRule,
  type RoleKey,
} from '../../local/generate/roles.ts';
import { kindPermissions, permissions } from './permissions.ts';

interface AccessObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: object };
  readonly rules?: readonly PolicyRule[];
  readonly roleRef?: { readonly name: string };
}

const objectsIn = (name: string): readonly AccessObject[] => {
  const path = join(import.meta.dirname, `../kustomize/${name}.yaml`);
  return parseAllDocuments(readFileSync(path, 'utf8')).map((one): AccessObject => one.toJS());
};

const access = objectsIn('base/rbac');
const people = objectsIn('base/people');
const staged = objectsIn('components/staged-binding-policies/rbac');
const dashboard = objectsIn('components/dashboard/rbac');

const groups: readonly string[] = resources.map(({ apiVersion }) => apiVersion.split('/')[0] ?? '');
const ofKind = (name: string) => permissions.filter(({ kinds }) => kinds.some(({ kind }) => kind === name));
const allRules = (Object.keys(roles) as RoleKey[]).flatMap(rulesOf);

describe('the permissions of okrad in Kubernetes', () => {
  it.each(resources.map(({ kind, namespaced }) => ({ kind, namespaced })))(
    'have a place for $kind, in the cluster only where it has no namespace',
    ({ kind, namespaced }) => {
      const scopes = new Set(ofKind(kind).map(({ scope }) => scope));
      expect([...scopes]).toEqual([namespaced ? 'Watched' : 'Cluster']);
    },
  );

  it('are of each kind what the table of kinds says', () => {
    const said = kindPermissions.flatMap(({ kinds: [kind], subresource, verbs }) =>
      verbs.map((verb) => `${verb} ${kind?.plural}${subresource === undefined ? '' : `/${subresource}`}`),
    );
    const granted = allRules
      .filter(({ apiGroups }) => apiGroups.some((group) => groups.includes(group)))
      .flatMap(({ resources: names, verbs }) =>
        names.flatMap((name) => verbs.map((verb) => `${verb} ${name}`)),
      );
    expect(granted.toSorted()).toEqual(said.toSorted());
  });

  it('name every verb, group and resource', () => {
    expect(
      allRules.flatMap(({ apiGroups, resources: names, verbs }) => [...apiGroups, ...names, ...verbs]),
    ).not.toContain('*');
  });

  it('are each granted by one role, or by both for cluster secrets', () => {
    const count = permissions.map(
      (permission) => Object.values(roles).filter(({ grants }) => grants.includes(permission)).length,
    );
    expect(count.map((times, index) => [permissions[index]?.use, times])).toEqual(
      permissions.map(({ use }) => [
        use,
        use === 'the secrets of clusters, to look into the clusters' ? 2 : 1,
      ]),
    );
  });

  it('give Secrets away nowhere until someone binds them', () => {
    const withSecrets = access
      .filter(({ rules = [] }) => rules.some((rule) => rule.resources.includes('secrets')))
      .map(({ metadata }) => metadata.name);
    const bound = access.map(({ roleRef }) => roleRef?.name);
    expect(withSecrets).toEqual(['okra-clusters-view', 'okra-clusters-edit']);
    expect(bound.filter((name) => name !== undefined && withSecrets.includes(name))).toEqual([]);
  });

  it('make BindingPolicies only where StagedBindingPolicies are turned on', () => {
    const named = (objects: typeof access) => objects.map(({ metadata }) => metadata.name);
    expect(named(access)).not.toContain('okra-staged');
    expect(staged).toMatchObject([
      {
        kind: 'ClusterRole',
        metadata: { name: 'okra-staged' },
        rules: [
          { resources: ['bindingpolicies'], verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
          { resources: ['bindings', 'combinedstatuses'], verbs: ['get', 'list', 'watch'] },
          { resources: ['statuscollectors'], verbs: ['get', 'create', 'patch'] },
        ],
      },
      {
        kind: 'ClusterRoleBinding',
        roleRef: { name: 'okra-staged' },
        subjects: [{ name: 'okra', namespace: 'okra' }],
      },
    ]);
  });

  it('are not those of people, whose roles nobody has at first', () => {
    const names = people.map(({ metadata }) => metadata.name);
    const bound = [...access, ...staged].map(({ roleRef }) => roleRef?.name);
    expect(names).toEqual(['okra-viewer', 'okra-operator', 'okra-approver', 'okra-forwarder']);
    expect(names.filter((name) => bound.includes(name))).toEqual([]);
  });

  it('let nobody approve who may promote, nor the other way about', () => {
    const verbsIn = (rules: readonly { readonly verbs: readonly string[] }[]) =>
      rules.flatMap(({ verbs }) => verbs).filter((verb) => !['get', 'list', 'watch'].includes(verb));
    const { viewer, operator, approver } = peopleRoles;
    expect(verbsIn(viewer.rules)).toEqual([]);
    expect(verbsIn(approver.rules)).toEqual(['approve']);
    expect(new Set([...verbsIn(operator.rules), 'approve'])).toEqual(new Set(requestVerbs.Cell));
  });

  it('let who may view a namespace read each kind of Okra', () => {
    const [viewer] = people;
    expect(viewer?.metadata.labels).toEqual({ 'rbac.authorization.k8s.io/aggregate-to-view': 'true' });
    expect(viewer?.rules?.flatMap((rule) => rule.resources).toSorted()).toEqual(
      resources.map(({ plural }) => plural).toSorted(),
    );
  });

  it('reach only the Lease and the ConfigMaps of Okra, but to create them', () => {
    const unnamed = rulesOf('own').filter(({ resourceNames }) => resourceNames === undefined);
    expect(unnamed.map(({ verbs }) => verbs)).toEqual([['create'], ['create']]);
  });

  it('belong to a role each of which stands in a manifest', () => {
    const standing = [...access, ...people, ...staged, ...dashboard]
      .filter(({ kind }) => kind.endsWith('Role'))
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(standing.toSorted()).toEqual([...rulesByRole.keys()].toSorted());
  });

  it('stand in the manifests, the chart and the page as the table has them', () => {
    expect(staleIn(files())).toEqual([]);
  });
});

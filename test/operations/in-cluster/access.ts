import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { PolicyRule } from '../../../local/generate/roles.ts';

/** An object of RBAC, or the service account that it is about. */
interface AccessObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly PolicyRule[];
  readonly roleRef?: { readonly apiGroup: string; readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace: string }[];
}

const kustomize = join(import.meta.dirname, '../../../deploy/kustomize');
const file = join(kustomize, 'base/rbac.yaml');
const policy = join(kustomize, 'components/cluster-secrets-policy/policy.yaml');

/**
 * The access that an installation gives to okrad, for one in another namespace; roles of the cluster bear its name. What it may do
 * in the namespaces that it watches is bound there.
 */
export async function installedAccess(namespace: string): Promise<readonly AccessObject[]> {
  const named = (name: string): string => `${namespace}-${name}`;
  const objects = parseAllDocuments(await readFile(file, 'utf8')).map((one): AccessObject => one.toJS());
  const isWatched = ({ kind, metadata }: AccessObject): boolean =>
    kind === 'ClusterRoleBinding' && metadata.name === 'okra';
  return objects
    .filter((one) => !isWatched(one))
    .map(({ metadata, roleRef, subjects, ...object }) => {
      const isClustered = object.kind.startsWith('Cluster');
      const isOfCluster = roleRef?.kind === 'ClusterRole';
      return {
        ...object,
        metadata: isClustered ? { name: named(metadata.name) } : { ...metadata, namespace },
        ...(subjects === undefined ? {} : { subjects: subjects.map((one) => ({ ...one, namespace })) }),
        ...(roleRef === undefined
          ? {}
          : { roleRef: isOfCluster ? { ...roleRef, name: named(roleRef.name) } : roleRef }),
      };
    });
}

/** What refuses okrad every write to a Secret of no cluster, for an okrad in another namespace. */
export async function installedPolicy(namespace: string): Promise<readonly object[]> {
  const text = (await readFile(policy, 'utf8'))
    .replaceAll('serviceaccount:okra:okra', `serviceaccount:${namespace}:okra`)
    .replaceAll('okra-cluster-secrets', `${namespace}-okra-cluster-secrets`);
  return parseAllDocuments(text).map((document): object => document.toJS());
}

/** What roles allow, as `verb group/resource`. */
export const permissionsOf = (objects: readonly AccessObject[]): ReadonlySet<string> =>
  new Set(
    objects
      .flatMap(({ rules = [] }) => rules)
      .flatMap(({ apiGroups, resources, verbs }) =>
        apiGroups.flatMap((group) =>
          resources.flatMap((resource) => verbs.map((verb) => `${verb} ${group}/${resource}`)),
        ),
      ),
  );

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { AccessObject } from '../../../deploy/rbac/objects.ts';

const file = join(import.meta.dirname, '../../../deploy/kustomize/base/rbac.yaml');

/** The access that an installation gives to okrad, for one in another namespace; roles of the cluster bear its name. */
export async function installedAccess(namespace: string): Promise<readonly AccessObject[]> {
  const named = (name: string): string => `${namespace}-${name}`;
  return parseAllDocuments(await readFile(file, 'utf8')).map((document): AccessObject => {
    const { metadata, roleRef, subjects, ...object }: AccessObject = document.toJS();
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

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

/** A rule of a role of RBAC. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** An object of the access that the documentation gives to okrad. */
export interface AccessObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly PolicyRule[];
  readonly roleRef?: { readonly apiGroup: string; readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace: string }[];
}

const page = join(import.meta.dirname, '../../../docs/configuration.md');

/** What docs/configuration.md says that okrad needs, for an okrad in another namespace; roles of the cluster bear its name. */
export async function documentedAccess(namespace: string): Promise<readonly AccessObject[]> {
  const block = /```yaml\n([\s\S]*?)```/.exec(await readFile(page, 'utf8'))?.[1] ?? '';
  const named = (name: string): string => `${namespace}-${name}`;
  return parseAllDocuments(block).map((document): AccessObject => {
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

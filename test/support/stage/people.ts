import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { Stage } from './stage.ts';

/** Someone with rights of their own in the namespace of a stage. */
export interface StagePerson {
  /** The name by which the API server knows them. */
  readonly name: string;
  /** Their kubeconfig. */
  readonly kubeconfig: string;
}

/** Who a person is: a service account, of the namespace of the stage or of another one, and what it may do with Cells. */
export interface PersonInput {
  readonly name: string;
  readonly verbs: readonly string[];
  readonly namespace?: string;
}

const RBAC = 'rbac.authorization.k8s.io';

/**
 * Gives service accounts verbs on the Cells of a stage, and writes a kubeconfig for each that acts as it. The API server puts it in the
 * groups of its namespace and authorizes it as if it had logged in.
 */
export async function peopleOn(
  stage: Stage,
  dir: string,
  people: readonly PersonInput[],
): Promise<readonly StagePerson[]> {
  const items = people.flatMap(({ name, verbs, namespace = stage.namespace }) => [
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'Role',
      metadata: { name },
      rules: [{ apiGroups: ['okra.mumo.co'], resources: ['cells'], verbs }],
    },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata: { name },
      roleRef: { apiGroup: RBAC, kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
  ]);
  await stage.apply({ apiVersion: 'v1', kind: 'List', items });
  const admin = parse(await readFile(stage.stack.kubeconfig, 'utf8')) as { users: { user: object }[] };
  return Promise.all(
    people.map(async ({ name, namespace = stage.namespace }) => {
      const user = `system:serviceaccount:${namespace}:${name}`;
      const users = admin.users.map((one) => ({ ...one, user: { ...one.user, as: user } }));
      const kubeconfig = join(dir, `${name}.yaml`);
      await writeFile(kubeconfig, stringify({ ...admin, users }), { mode: 0o600 });
      return { name: user, kubeconfig };
    }),
  );
}

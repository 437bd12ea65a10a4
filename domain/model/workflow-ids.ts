import { resources, type KindWithWorkflow, type SyncedKind } from '../../crds/index.ts';
import { formatKey, type ObjectKey } from './ids.ts';

/** The name of a kind with a workflow for each of its objects. */
export type WorkflowKind = KindWithWorkflow['kind'];

/** Every kind with a workflow for each of its objects. */
export const kindsWithWorkflow: readonly KindWithWorkflow[] = resources.filter(
  (kind): kind is KindWithWorkflow => 'workflow' in kind,
);

/** Every kind that one and the same workflow syncs. */
export const syncedKinds: readonly SyncedKind[] = kindsWithWorkflow.filter(
  (kind): kind is SyncedKind => kind.workflow.does === 'Sync',
);

/** Finds what the table of kinds says of a kind with workflows. */
export function kindNamed(name: WorkflowKind): KindWithWorkflow {
  const found = kindsWithWorkflow.find(({ kind }) => kind === name);
  if (found === undefined)
    throw new TypeError(`Expected a kind with a workflow in crds/index.ts, got ${name}.`);
  return found;
}

/** Finds what the table of kinds says of a kind that is synced. */
export function syncedKindNamed(name: string): SyncedKind {
  const found = syncedKinds.find(({ kind }) => kind === name);
  if (found === undefined)
    throw new TypeError(`Expected a kind in crds/index.ts that is synced, got ${name}.`);
  return found;
}

/** The id of the workflow that works for an object. Whatever Temporal gets of these ids goes through `clients/temporal/workflow-start.ts`. */
export const objectWorkflowId = (kind: WorkflowKind, key: ObjectKey): string =>
  `${kindNamed(kind).workflow.idPrefix}/${formatKey(key)}`;

/** The object that a workflow of this id works for; undefined when it is the id of another workflow. */
export function workedObject(
  workflowId: string,
): { readonly kind: KindWithWorkflow; readonly key: ObjectKey } | undefined {
  const kind = kindsWithWorkflow.find(({ workflow }) => workflowId.startsWith(`${workflow.idPrefix}/`));
  if (kind === undefined) return undefined;
  const rest = workflowId.slice(kind.workflow.idPrefix.length + 1);
  if (!kind.namespaced) return { kind, key: { namespace: '', name: rest } };
  const [namespace = '', ...name] = rest.split('/');
  return { kind, key: { namespace, name: name.join('/') } };
}

/** The id of the workflow that watches a place for changes made elsewhere. */
export const driftWatchId = (place: string): string => `drift/${place}`;

/** The id of the workflow that checks the AWSTargetGroups of a namespace. */
export const targetGroupCheckId = (namespace: string): string => `target-group-check/${namespace}`;

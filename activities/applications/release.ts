import { CELL } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Cell } from '../../crds/cell.ts';
import { controllerOf } from '../../domain/kubernetes/conditions.ts';
import { APPLICATIONS_FINALIZER, CELL_LABEL } from '../../domain/kubernetes/labels.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import { addFinalizer, removeFinalizer } from '../kubernetes/finalizers.ts';
import { remove } from '../kubernetes/remove.ts';
import type { ReadCell } from './dependencies.ts';
import { deleteSecrets } from './secrets.ts';

const held = (key: ObjectKey) => ({ kind: CELL, key, finalizer: APPLICATIONS_FINALIZER });

/** Keeps a Cell whose policy is Delete until its cluster secrets are deleted; one whose policy is another goes by itself. */
export async function holdOrLetGo(
  kubernetes: KubernetesClient,
  { key, object, spec }: ReadCell,
): Promise<void> {
  if (object.metadata.deletionTimestamp !== undefined) return;
  const isHeld = object.metadata.finalizers?.includes(APPLICATIONS_FINALIZER) === true;
  const isToBeHeld = spec.deletionPolicy === 'Delete';
  if (isToBeHeld && !isHeld) await addFinalizer(kubernetes, held(key));
  if (!isToBeHeld && isHeld) await removeFinalizer(kubernetes, held(key));
}

/** Deletes the Cells of the applications, then the cluster secrets, and lets the Cell go; says what is waited for, in sentences. */
export async function releaseCell(kubernetes: KubernetesClient, read: ReadCell): Promise<readonly string[]> {
  const { key, uid, object, spec } = read;
  if (object.metadata.deletionTimestamp === undefined) return [];
  const labelSelector = `${CELL_LABEL}=${key.name}`;
  const all = await kubernetes.list<Cell>(CELL, { namespace: key.namespace, labelSelector });
  const children = all.filter(({ metadata }) => controllerOf(metadata)?.uid === uid);
  for (const { metadata } of children) {
    const at = { namespace: key.namespace, name: metadata.name };
    await remove(kubernetes, { kind: CELL, key: at }, metadata.uid ?? '');
  }
  if (children.length > 0) return children.map(({ metadata }) => `Waiting until ${metadata.name} is gone.`);
  const left = spec.deletionPolicy === 'Delete' ? await deleteSecrets(kubernetes, read) : [];
  if (left.length === 0) await removeFinalizer(kubernetes, held(key));
  return left;
}

import type { ApplicationsActivities } from '../contract.ts';
import { withHeartbeat } from '../heartbeat.ts';
import type { ApplicationsDependencies, ReadCell } from './dependencies.ts';
import { observeApplications } from './observe.ts';
import { readCell } from './parts.ts';
import { performApplication } from './perform.ts';
import { CELL } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Cell } from '../../crds/cell.ts';
import { controllerOf } from '../../domain/kubernetes/conditions.ts';
import { APPLICATIONS_FINALIZER, CELL_LABEL } from '../../domain/kubernetes/labels.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import { addFinalizer, removeFinalizer } from '../kubernetes/finalizers.ts';
import { remove } from '../kubernetes/remove.ts';
import { deleteSecrets } from './secrets.ts';

const held = (key: ObjectKey) => ({ kind: CELL, key, finalizer: APPLICATIONS_FINALIZER });

/** Keeps a Cell whose policy is Delete until its cluster secrets are deleted; one whose policy is another goes by itself. */
async function holdOrLetGo(kubernetes: KubernetesClient, { key, object, spec }: ReadCell): Promise<void> {
  if (object.metadata.deletionTimestamp !== undefined) return;
  const isHeld = object.metadata.finalizers?.includes(APPLICATIONS_FINALIZER) === true;
  const isToBeHeld = spec.deletionPolicy === 'Delete';
  if (isToBeHeld && !isHeld) await addFinalizer(kubernetes, held(key));
  if (!isToBeHeld && isHeld) await removeFinalizer(kubernetes, held(key));
}

/** Deletes the Cells of the applications, then the cluster secrets, and lets the Cell go; says what is waited for, in sentences. */
async function releaseCell(kubernetes: KubernetesClient, read: ReadCell): Promise<readonly string[]> {
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

/** Makes the activities of Cells with applications. */
export function applicationsActivities(means: ApplicationsDependencies): ApplicationsActivities {
  const { kubernetes } = means;
  return {
    observeApplications: (key, how) =>
      withHeartbeat(async (signal) => {
        const cell = await readCell(kubernetes, key);
        if (cell !== undefined) await holdOrLetGo(kubernetes, cell);
        return await observeApplications(key, means, { signal, ...how });
      }),
    performApplication: (request) => withHeartbeat((signal) => performApplication(request, means, signal)),
    async releaseApplications({ key, uid }) {
      const cell = await readCell(kubernetes, key);
      if (cell?.uid !== uid) return { isDone: true, message: 'The Cell is gone.' };
      const left = await releaseCell(kubernetes, cell);
      return left.length === 0
        ? { isDone: true, message: 'Nothing of it is left.' }
        : { isDone: false, message: left.join(' ') };
    },
  };
}

import type { ApplicationsActivities } from '../contract.ts';
import { withHeartbeat } from '../heartbeat.ts';
import { readCell, type ApplicationsDependencies, type ReadCell } from './dependencies.ts';
import { observeApplications, resolve } from './observe.ts';
import { CELL } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Cell } from '../../crds/cell.ts';
import { controllerOf } from '../../domain/kubernetes/conditions.ts';
import { APPLICATIONS_FINALIZER, CELL_LABEL } from '../../domain/kubernetes/labels.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import { addFinalizer, removeFinalizer } from '../kubernetes/finalizers.ts';
import { remove } from '../kubernetes/writes.ts';
import { deleteSecrets, applySecrets, deleteUnused, removeLabels } from './secrets.ts';
import type { ApplicationAction } from '../../domain/applications/situation.ts';
import { childName } from '../../domain/applications/names.ts';
import type { ObservedRevision } from '../../domain/applications/observation.ts';
import { unreachable } from '../../domain/unreachable.ts';
import { failure } from '../failure.ts';
import { applyChild } from './child.ts';
import { lookAtClusters } from './clusters.ts';
import { startMeasurement, terminateMeasurement } from './measurements.ts';
import { pruneRevisions, findRevisions, markGood, saveRevision } from './revisions.ts';
import { objectStart } from '../../clients/temporal/workflow-start.ts';
import { objectWorkflowId } from '../../domain/model/workflow-ids.ts';

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
export function applicationsActivities(dependencies: ApplicationsDependencies): ApplicationsActivities {
  const { kubernetes } = dependencies;
  return {
    observeApplications: (key, how) =>
      withHeartbeat(async (signal) => {
        const cell = await readCell(kubernetes, key);
        if (cell !== undefined) await holdOrLetGo(kubernetes, cell);
        return await observeApplications(key, dependencies, { signal, ...how });
      }),
    performApplication: (request) =>
      withHeartbeat((signal) => performApplication(request, dependencies, signal)),
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

type Request = Parameters<ApplicationsActivities['performApplication']>[0];

/** Does one thing for one application of a Cell; it may be done again. */
export async function performApplication(
  request: Request,
  dependencies: ApplicationsDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { key, uid, application: name, action } = request;
  const cell = await readCell(dependencies.kubernetes, key);
  // Another Cell of that name has a workflow that begins with a look of its own.
  if (cell?.uid !== uid || cell.object.metadata.deletionTimestamp !== undefined) return;
  const application = cell.spec.applications.find((one) => one.name === name);
  if (application === undefined) {
    // The spec does not have it any more.
    if (action.do === 'RemoveLabels') await removeLabels(dependencies.kubernetes, key, name, []);
    return;
  }
  const { kubernetes } = dependencies;
  const revisions = async (): Promise<readonly ObservedRevision[]> =>
    (await findRevisions(kubernetes, cell)).get(name) ?? [];
  const revisionOf = (all: readonly ObservedRevision[], number: number): ObservedRevision => {
    const found = all.find((one) => one.number === number);
    if (found !== undefined) return found;
    throw failure('Unavailable', `Revision ${number} of application ${name} not found.`);
  };
  switch (action.do) {
    case 'SaveRevision': {
      const { number, hash, version } = action;
      const { resolved } = await resolve(cell.spec, await lookAtClusters(cell, dependencies, signal));
      const now = resolved[name];
      if (now?.ok !== true || now.hash !== hash)
        throw failure('Unavailable', `Application ${name} has changed since it was observed.`);
      await saveRevision(kubernetes, cell, name, { number, hash, version, content: now.value });
      return await pruneRevisions(kubernetes, cell, name);
    }
    case 'MarkGood':
      await markGood(kubernetes, cell, name, action.number);
      return await pruneRevisions(kubernetes, cell, name);
    case 'ApplySecrets': {
      const revision = revisionOf(await revisions(), action.number);
      return await applySecrets(key, revision, dependencies, signal);
    }
    case 'RemoveLabels': {
      const kept = action.number === 0 ? [] : revisionOf(await revisions(), action.number).content.clusters;
      return await removeLabels(kubernetes, key, name, kept);
    }
    case 'DeleteSecrets':
      await deleteUnused(kubernetes, cell);
      return;
    case 'ApplyChild': {
      const all = await revisions();
      const revision = revisionOf(all, action.number);
      const keep = all.find(({ number }) => number === action.keep);
      return await applyChild(cell, { revision, keep }, dependencies, signal);
    }
    case 'StartCheck': {
      const all = await revisions();
      const of = { action, revision: revisionOf(all, action.number), revisions: all };
      return await startMeasurement(kubernetes, cell, of);
    }
    case 'TerminateCheck':
      return await terminateMeasurement(kubernetes, { namespace: key.namespace, name: action.name });
    case 'Forward':
      return await forwardRequest(cell, name, action, dependencies);
    default:
      return unreachable(action);
  }
}

/** Hands a request of an operator on to the workflow of an application's Cell; one that has nothing to do takes only `retry`. */
async function forwardRequest(
  { key, uid }: Pick<ReadCell, 'key' | 'uid'>,
  application: string,
  { request, by, reason }: Extract<ApplicationAction, { do: 'Forward' }>,
  { kubernetes, temporal, taskQueue }: ApplicationsDependencies,
): Promise<void> {
  const child = { namespace: key.namespace, name: childName(key.name, application) };
  const found = await kubernetes.get<Cell>(CELL, child);
  if (found === undefined || controllerOf(found.metadata)?.uid !== uid) return;
  const asked = { by, reason };
  if (request === 'retry') {
    const { type, options } = objectStart({ kind: 'Cell', key: child }, taskQueue);
    await temporal.workflow.signalWithStart(type, { ...options, signal: request, signalArgs: [asked] });
    return;
  }
  try {
    await temporal.workflow.getHandle(objectWorkflowId('Cell', child)).signal(request, asked);
  } catch (error) {
    // Its run has closed: there is nothing left to pause, to promote or to abort.
    if (!(error instanceof Error && error.name === 'WorkflowNotFoundError')) throw error;
  }
}

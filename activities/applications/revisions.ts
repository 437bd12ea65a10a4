import { CONTROLLER_REVISION, CELL } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { parseRevisionData } from '../../crds/application.ts';
import type { Metadata } from '../../crds/resource.ts';
import { APPLICATION_LABEL } from '../../domain/applications/child.ts';
import { revisionName, childName } from '../../domain/applications/names.ts';
import type { ObservedRevision } from '../../domain/applications/observation.ts';
import { outdatedRevisions, revisionsInUse } from '../../domain/applications/revisions.ts';
import { controllerOf } from '../../domain/kubernetes/conditions.ts';
import { CELL_LABEL, GOOD_ANNOTATION } from '../../domain/kubernetes/labels.ts';
import { formatKey } from '../../domain/model/ids.ts';
import { failure } from '../failure.ts';
import { createOnce, remove } from '../kubernetes/writes.ts';
import { ownedByCell } from '../kubernetes/owner-references.ts';
import type { ReadCell } from './dependencies.ts';
import type { Cell } from '../../crds/cell.ts';
import { markOf } from '../../domain/applications/state.ts';
import { pruneMeasurements } from './measurements.ts';
import { revisionOf } from './child.ts';

interface ControllerRevision {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly revision: number;
  readonly data?: unknown;
}

/** The revisions of each application of a Cell, newest first, by its name. */
export async function findRevisions(
  kubernetes: Pick<KubernetesClient, 'list'>,
  cell: Pick<ReadCell, 'key' | 'uid'>,
): Promise<ReadonlyMap<string, readonly ObservedRevision[]>> {
  const all = await listOf(kubernetes, cell);
  const byApplication = Map.groupBy(all, ({ metadata }) => metadata.labels?.[APPLICATION_LABEL] ?? '');
  return new Map([...byApplication].map(([application, some]) => [application, observedRevisions(some)]));
}

async function listOf(
  kubernetes: Pick<KubernetesClient, 'list'>,
  { key, uid }: Pick<ReadCell, 'key' | 'uid'>,
): Promise<readonly ControllerRevision[]> {
  const which = { namespace: key.namespace, labelSelector: `${CELL_LABEL}=${key.name}` };
  const found = await kubernetes.list<ControllerRevision>(CONTROLLER_REVISION, which);
  return found.filter(({ metadata }) => controllerOf(metadata)?.uid === uid);
}

/** The revisions of an application, newest first; what is none is left out. */
const observedRevisions = (kept: readonly ControllerRevision[]): readonly ObservedRevision[] =>
  kept
    .flatMap(({ metadata, revision: number, data }) => {
      const read = number < 1 ? undefined : parseRevisionData(data);
      const isGood = metadata.annotations?.[GOOD_ANNOTATION] !== undefined;
      return read === undefined ? [] : [{ number, isGood, ...read }];
    })
    .toSorted((a, b) => b.number - a.number);

/** Keeps a revision of an application; one of that number that says something else is a `Conflict`. */
export async function saveRevision(
  kubernetes: KubernetesClient,
  { key, uid }: Pick<ReadCell, 'key' | 'uid'>,
  application: string,
  { number, ...data }: Omit<ObservedRevision, 'isGood'>,
): Promise<void> {
  const at = { namespace: key.namespace, name: revisionName(key.name, application, number) };
  const { apiVersion, kind } = CONTROLLER_REVISION;
  const labels = { [CELL_LABEL]: key.name, [APPLICATION_LABEL]: application };
  const metadata = { ...at, labels, ownerReferences: ownedByCell({ key, uid }) };
  const made: ControllerRevision = { apiVersion, kind, metadata, revision: number, data };
  const kept = await createOnce(kubernetes, { kind: CONTROLLER_REVISION, key: at }, () =>
    Promise.resolve(made),
  );
  const isOwn = kept !== undefined && controllerOf(kept.metadata)?.uid === uid;
  if (isOwn && parseRevisionData(kept.data)?.hash === data.hash) return;
  throw failure(
    'Conflict',
    `ControllerRevision ${formatKey(at)}, needed for revision ${number} of application ${application}, ${isOwn ? 'contains something else' : 'does not belong to this Cell'}. Delete or rename it.`,
  );
}

/** Marks a revision as good. */
export async function markGood(
  kubernetes: KubernetesClient,
  cell: Pick<ReadCell, 'key' | 'uid'>,
  application: string,
  number: number,
): Promise<void> {
  const good = (await listOf(kubernetes, cell)).find(
    ({ metadata, revision }) => metadata.labels?.[APPLICATION_LABEL] === application && revision === number,
  );
  if (good === undefined)
    throw failure('Unavailable', `Revision ${number} of application ${application} not found.`);
  if (good.metadata.annotations?.[GOOD_ANNOTATION] !== undefined) return;
  const annotations = { [GOOD_ANNOTATION]: new Date().toISOString() };
  const { name, resourceVersion } = good.metadata;
  const at = { namespace: cell.key.namespace, name };
  await kubernetes.patch(CONTROLLER_REVISION, at, { metadata: { annotations, resourceVersion } });
}

/** Deletes the revisions of an application that are too old and not in use, after what was measured for them. */
export async function pruneRevisions(
  kubernetes: KubernetesClient,
  cell: Pick<ReadCell, 'key' | 'uid' | 'object'>,
  application: string,
): Promise<void> {
  const { namespace, name } = cell.key;
  const isOwn = ({ metadata }: ControllerRevision) => metadata.labels?.[APPLICATION_LABEL] === application;
  const kept = (await listOf(kubernetes, cell)).filter(isOwn);
  const all = observedRevisions(kept);
  const child = await kubernetes.get<Cell>(CELL, { namespace, name: childName(name, application) });
  const served = child && { revision: revisionOf(child), status: child.status ?? {} };
  const inUse = revisionsInUse(all, markOf(cell.object.status, application), served);
  const named = inUse.map(({ number }) => number);
  const old = new Set(outdatedRevisions(all, named));
  await pruneMeasurements(kubernetes, cell, application, old);
  for (const { metadata, revision } of kept) {
    if (!old.has(revision)) continue;
    const key = { namespace, name: metadata.name };
    await remove(kubernetes, { kind: CONTROLLER_REVISION, key }, metadata.uid ?? '');
  }
}

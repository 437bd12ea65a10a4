import { CELL } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Cell } from '../../crds/cell.ts';
import { childName } from '../../domain/applications/names.ts';
import type { ObservedChild } from '../../domain/applications/observation.ts';
import { outdatedRevisions, revisionsInUse } from '../../domain/applications/revisions.ts';
import { markOf } from '../../domain/applications/state.ts';
import type { ReadCell } from './dependencies.ts';
import { pruneMeasurements } from './measurements.ts';
import { findRevisions, removeRevisions } from './revisions.ts';
import { revisionOf } from './seen-child.ts';

/** Deletes the revisions of an application that are too old and not in use, after what was measured for them. */
export async function pruneRevisions(
  kubernetes: KubernetesClient,
  cell: Pick<ReadCell, 'key' | 'uid' | 'object'>,
  application: string,
): Promise<void> {
  const all = (await findRevisions(kubernetes, cell)).get(application) ?? [];
  const child = await childOf(kubernetes, cell.key, application);
  const inUse = revisionsInUse(all, markOf(cell.object.status, application), child);
  const old = new Set(
    outdatedRevisions(
      all,
      inUse.map(({ number }) => number),
    ),
  );
  if (old.size === 0) return;
  await pruneMeasurements(kubernetes, cell, { application, old });
  await removeRevisions(kubernetes, cell, { application, old });
}

/** Which revision the Cell of an application is to serve, and what it does. */
async function childOf(
  kubernetes: KubernetesClient,
  { namespace, name }: ReadCell['key'],
  application: string,
): Promise<Pick<ObservedChild, 'revision' | 'status'> | undefined> {
  const child = await kubernetes.get<Cell>(CELL, { namespace, name: childName(name, application) });
  return child === undefined ? undefined : { revision: revisionOf(child), status: child.status ?? {} };
}

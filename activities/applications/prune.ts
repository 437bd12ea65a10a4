import { CELL } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Cell } from '../../crds/cell.ts';
import { REVISION_ANNOTATION } from '../../domain/applications/child.ts';
import { childName } from '../../domain/applications/names.ts';
import type { ObservedRevision } from '../../domain/applications/observation.ts';
import { outdatedRevisions, servedBy } from '../../domain/applications/revisions.ts';
import type { ReadCell } from './dependencies.ts';
import { pruneMeasurements } from './measurements.ts';
import { findRevisions, removeRevisions } from './revisions.ts';

/** Deletes the revisions of an application that are too old and not in use, after what was measured for them. */
export async function pruneRevisions(
  kubernetes: KubernetesClient,
  cell: Pick<ReadCell, 'key' | 'uid' | 'object'>,
  application: string,
): Promise<void> {
  const all = (await findRevisions(kubernetes, cell)).get(application) ?? [];
  const mark = cell.object.status?.applications?.find(({ name }) => name === application);
  const named = [
    mark?.revision,
    mark?.failed?.revision,
    ...(await served(kubernetes, cell, { application, all })),
  ];
  const old = new Set(
    outdatedRevisions(
      all,
      named.filter((one) => one !== undefined),
    ),
  );
  if (old.size === 0) return;
  await pruneMeasurements(kubernetes, cell, { application, old });
  await removeRevisions(kubernetes, cell, { application, old });
}

/** The revisions that the Cell of an application serves, or is to serve. */
async function served(
  kubernetes: KubernetesClient,
  { key }: Pick<ReadCell, 'key'>,
  { application, all }: { readonly application: string; readonly all: readonly ObservedRevision[] },
): Promise<readonly number[]> {
  const at = { namespace: key.namespace, name: childName(key.name, application) };
  const child = await kubernetes.get<Cell>(CELL, at);
  const serving = servedBy(all, child?.status?.stableVersion);
  return [Number(child?.metadata.annotations?.[REVISION_ANNOTATION]), ...serving.map(({ number }) => number)];
}

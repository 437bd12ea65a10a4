import { CELL } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Cell } from '../../crds/cell.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';

/** Reads the Cell that `fieldRef` reads from: as it is, with the version that this rollout is about. */
export async function seenCell(
  kubernetes: KubernetesClient,
  key: ObjectKey,
  desiredVersion: string,
): Promise<unknown> {
  const cell = await kubernetes.get<Cell>(CELL, key);
  return { ...cell, status: { ...cell?.status, desiredVersion } };
}

import { CELL } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Cell } from '../../crds/cell.ts';
import type { AnalysisRequest } from '../contract.ts';

/** Reads the Cell that `fieldRef` reads from: as it is, with the version and the sides of this rollout, and of no other. */
export async function seenCell(
  kubernetes: KubernetesClient,
  {
    cell: { key },
    desiredVersion,
    rollout: id,
  }: Pick<AnalysisRequest, 'cell' | 'desiredVersion' | 'rollout'>,
): Promise<unknown> {
  const cell = await kubernetes.get<Cell>(CELL, key);
  const { rollout, ...status } = cell?.status ?? {};
  return { ...cell, status: { ...status, desiredVersion, ...(rollout?.id === id ? { rollout } : {}) } };
}

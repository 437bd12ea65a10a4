import { FREEZE } from '../../clients/kubernetes/kinds.ts';
import { isNotFound, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Freeze } from '../../crds/freeze.ts';

/** All Freezes; none while the kind is not installed. */
export async function freezesIn(kubernetes: Pick<KubernetesClient, 'list'>): Promise<readonly Freeze[]> {
  try {
    return await kubernetes.list<Freeze>(FREEZE);
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

import { FREEZE } from '../../clients/kubernetes/kinds.ts';
import { unlessMissing, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Freeze } from '../../crds/freeze.ts';

/** All Freezes; none while the kind is not installed. */
export async function freezesIn(kubernetes: Pick<KubernetesClient, 'list'>): Promise<readonly Freeze[]> {
  return (await unlessMissing(kubernetes.list<Freeze>(FREEZE))) ?? [];
}

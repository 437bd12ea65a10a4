import { FREEZE } from '../../clients/kubernetes/kinds.ts';
import { unlessMissing, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Freeze } from '../../crds/freeze.ts';
import { freezesOf, longest, type Freezing } from '../../domain/gates/freeze.ts';

/** Reads the Freeze that holds an object in some namespaces longest; none where the kind is not installed. */
export async function freezesIn(
  kubernetes: Pick<KubernetesClient, 'list'>,
  namespaces: Iterable<string>,
): Promise<readonly Freezing[]> {
  const found = (await unlessMissing(kubernetes.list<Freeze>(FREEZE))) ?? [];
  return longest([...namespaces].flatMap((namespace) => freezesOf(namespace, found)));
}

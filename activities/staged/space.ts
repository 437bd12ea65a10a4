import { SECRET } from '../../clients/kubernetes/kinds.ts';
import { readKubeconfig, type StoredSecret } from '../../clients/kubernetes/kubeconfig-secret.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { RemoteClusters } from '../../clients/kubernetes/remote-clusters.ts';
import type { StagedBindingPolicy, StagedBindingPolicySpec } from '../../crds/staged-binding-policy.ts';
import { failure } from '../failure.ts';

/** What reaches the workload description spaces of StagedBindingPolicies. */
export interface Spaces {
  readonly kubernetes: KubernetesClient;
  readonly clusters: RemoteClusters;
}

/** The API server with the BindingPolicies, or why it is not reached, without a value of the Secret. */
export type Space =
  | { readonly is: 'Reached'; readonly client: KubernetesClient }
  | { readonly is: 'Problem'; readonly problem: string };

/** Finds the API server that a StagedBindingPolicy makes its BindingPolicies in. */
export async function findSpace(
  { space }: Pick<StagedBindingPolicySpec, 'space'>,
  { kubernetes, clusters }: Spaces,
): Promise<Space> {
  if (space === undefined) return { is: 'Reached', client: kubernetes };
  const { namespace, name, key } = space;
  const secret = await kubernetes.get<StoredSecret>(SECRET, { namespace, name });
  if (secret === undefined) {
    const problem = `Secret ${namespace}/${name} with the kubeconfig of the space not found. Create it, or correct spec.space.`;
    return { is: 'Problem', problem };
  }
  const read = readKubeconfig(secret, key);
  if (read.is === 'Problem') return read;
  const reach = clusters.reach(read.secret);
  return reach.is === 'Problem' ? reach : { is: 'Reached', client: reach.client };
}

/** Connects to the API server with the BindingPolicies; fails when it is not reached. */
export async function connectSpace({ spec }: StagedBindingPolicy, spaces: Spaces): Promise<KubernetesClient> {
  const space = await findSpace(spec, spaces);
  if (space.is === 'Problem') throw failure('Unavailable', space.problem);
  return space.client;
}

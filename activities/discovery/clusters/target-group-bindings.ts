import {
  EKS_TARGET_GROUP_BINDING,
  TARGET_GROUP_BINDING,
  type KindRef,
} from '../../../clients/kubernetes/kinds.ts';
import { isNotFound, isForbidden, type KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import { BINDING_APIS } from '../../../domain/discovery/target-group-set/binding-kinds.ts';
import type { KindsThere } from '../../../domain/discovery/target-group-set/doubtful-clusters.ts';
import { given } from '../../../domain/model/given.ts';
import { readDefinition } from '../../../clients/kubernetes/definition.ts';
import { seenBinding, trimRemote, type RemoteObject } from '../../../domain/discovery/clusters/seen.ts';
import type {
  BindingAPI,
  RemoteBinding,
} from '../../../domain/discovery/target-group-set/target-group-of-binding.ts';

const kinds: Readonly<Record<BindingAPI, KindRef>> = {
  'elbv2.k8s.aws': TARGET_GROUP_BINDING,
  'eks.amazonaws.com': EKS_TARGET_GROUP_BINDING,
};

// A cluster has one for each target group, of which an account has 3,000 in a region by default.
const MOST_BINDINGS = 5_000;

/** Lists the TargetGroupBindings of both kinds, in one namespace or in all; undefined for a kind that the cluster has not got. */
export async function listBindings(
  client: Pick<KubernetesClient, 'list' | 'serves'>,
  namespace?: string,
): Promise<readonly (readonly RemoteBinding[] | undefined)[]> {
  return await Promise.all(BINDING_APIS.map((api) => listKind(client, api, namespace)));
}

async function listKind(
  client: Pick<KubernetesClient, 'list' | 'serves'>,
  api: BindingAPI,
  namespace: string | undefined,
): Promise<readonly RemoteBinding[] | undefined> {
  try {
    const found = await client.list<RemoteObject>(kinds[api], {
      namespace,
      trim: trimRemote,
      most: MOST_BINDINGS,
    });
    return found.map((binding) => ({ api, ...seenBinding(binding) }));
  } catch (error) {
    // Who may not list a kind is told so whether or not there is one.
    if (isNotFound(error) || (isForbidden(error) && !(await mayBeServed(client, kinds[api]))))
      return undefined;
    throw error;
  }
}

/** Says which kinds of TargetGroupBinding a cluster lacks, or is about to lose, and since when it has the others, as far as Okra may know. */
export async function kindsThere(client: Pick<KubernetesClient, 'get' | 'serves'>): Promise<KindsThere> {
  const found = await Promise.all(BINDING_APIS.map((api) => readDefinition(client, kinds[api])));
  const since = BINDING_APIS.map((api, index) => [api, found[index]?.since] as const);
  return {
    absent: BINDING_APIS.filter((_, index) => found[index]?.isThere !== true),
    since: given(Object.fromEntries(since)),
  };
}

const mayBeServed = (client: Pick<KubernetesClient, 'serves'>, kind: KindRef): Promise<boolean> =>
  client.serves(kind).catch(() => true);

import {
  EKS_TARGET_GROUP_BINDING,
  TARGET_GROUP_BINDING,
  type KindRef,
} from '../../../clients/kubernetes/kinds.ts';
import { isNotFound, isForbidden, type KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import {
  BINDING_APIS,
  type BindingAPI,
  type RemoteBinding,
} from '../../../domain/discovery/target-group-set/observed-target-group-set.ts';
import { readBinding, trimRemote, type RemoteObject } from '../../../domain/discovery/clusters/seen.ts';

const kinds: Readonly<Record<BindingAPI, KindRef>> = {
  'elbv2.k8s.aws': TARGET_GROUP_BINDING,
  'eks.amazonaws.com': EKS_TARGET_GROUP_BINDING,
};

// A cluster has one for each target group, of which an account has 3,000 in a region by default.
const MOST_BINDINGS = 5_000;

/** Lists the TargetGroupBindings of both kinds, in some namespaces or else in all; undefined for a kind that the cluster has not got. */
export async function listBindings(
  client: Pick<KubernetesClient, 'list' | 'serves'>,
  namespaces: readonly string[] = [],
): Promise<readonly (readonly RemoteBinding[] | undefined)[]> {
  const where = namespaces.length === 0 ? [undefined] : namespaces;
  return await Promise.all(
    where.flatMap((namespace) => BINDING_APIS.map((api) => listKind(client, api, namespace))),
  );
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
    return found.map((binding) => ({ api, ...readBinding(binding) }));
  } catch (error) {
    // Who may not list a kind is told so whether or not there is one.
    if (isNotFound(error) || (isForbidden(error) && !(await mayBeServed(client, kinds[api]))))
      return undefined;
    throw error;
  }
}

const mayBeServed = (client: Pick<KubernetesClient, 'serves'>, kind: KindRef): Promise<boolean> =>
  client.serves(kind).catch(() => true);

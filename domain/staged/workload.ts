import type { StagedBindingPolicySpec } from '../../crds/staged-binding-policy.ts';
import { compareText } from '../kubernetes/canonical.ts';
import type { Binding, WorkloadObject } from './kubestellar.ts';
import type { BindingPolicy } from './policy.ts';

/** The name of an object for people: `deployments.apps nginx/nginx`. */
export function nameOf({
  group,
  resource,
  namespace = '',
  name,
}: Pick<WorkloadObject, 'group' | 'resource' | 'namespace' | 'name'>): string {
  const kind = group === '' ? resource : `${resource}.${group}`;
  return namespace === '' ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

/** The objects that a Binding lists, in one order. */
export function objectsOf({ spec }: Binding): readonly WorkloadObject[] {
  const { clusterScope = [], namespaceScope = [] } = spec?.workload ?? {};
  return [...clusterScope, ...namespaceScope].toSorted((a, b) => compareText(nameOf(a), nameOf(b)));
}

/** Why KubeStellar has not bound what a BindingPolicy asks for now; undefined when it has. */
export function unboundReason(policy: BindingPolicy, binding: Binding | undefined): string | undefined {
  const { name, uid, generation } = policy.metadata;
  if (binding === undefined) return `Waiting for KubeStellar to make Binding ${name}.`;
  const isOwn = binding.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;
  if (!isOwn || binding.metadata.deletionTimestamp !== undefined) {
    return `Waiting for KubeStellar to make Binding ${name} again; the one that is there is of an older BindingPolicy.`;
  }
  const errors = [...(policy.status?.errors ?? []), ...(binding.status?.errors ?? [])];
  if (errors[0] !== undefined) return `KubeStellar reports an error: ${errors[0]}`;
  if (policy.status?.observedGeneration !== generation) {
    return `Waiting for KubeStellar to take up BindingPolicy ${name} as it is now.`;
  }
  if (binding.status?.observedGeneration !== binding.metadata.generation) {
    return `Waiting for KubeStellar to send what Binding ${name} lists to its clusters.`;
  }
  return undefined;
}

/** The namespaces that a workload is in, as far as anybody knows: a Freeze of one of them holds it. */
export function namespacesOf(
  { downsync, stages }: Pick<StagedBindingPolicySpec, 'downsync' | 'stages'>,
  bindings: readonly Binding[],
): ReadonlySet<string> {
  return new Set([
    ...downsync.flatMap(({ namespaces = [] }) => namespaces.filter((one) => one !== '*')),
    ...stages.flatMap(({ cell }) => (cell === undefined ? [] : [cell.namespace])),
    ...bindings.flatMap((binding) => objectsOf(binding).flatMap(({ namespace }) => namespace ?? [])),
  ]);
}

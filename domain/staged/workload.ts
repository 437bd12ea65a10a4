import type { Cell } from '../../crds/cell.ts';
import type { Stage, StagedBindingPolicySpec } from '../../crds/staged-binding-policy.ts';
import { compareText } from '../kubernetes/canonical.ts';
import type { Binding, WorkloadObject } from './kubestellar.ts';
import type { ClusterSelection } from './observation.ts';
import type { BindingPolicy, Narrowing } from './policy.ts';

/** The name of an object for people: `deployments.apps nginx/nginx`. */
export function formatObject({
  group,
  resource,
  namespace = '',
  name,
}: Pick<WorkloadObject, 'group' | 'resource' | 'namespace' | 'name'>): string {
  const kind = group === '' ? resource : `${resource}.${group}`;
  return namespace === '' ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

/** Whether KubeStellar copies reports into an object, which changes its version with each report. */
export const isCopiedBack = ({
  wantSingletonReportedState,
  wantMultiWECReportedState,
}: WorkloadObject): boolean => wantSingletonReportedState === true || wantMultiWECReportedState === true;

/** The objects that a Binding lists, in one order. */
export function listObjects({ spec }: Binding): readonly WorkloadObject[] {
  const { clusterScope = [], namespaceScope = [] } = spec?.workload ?? {};
  return [...clusterScope, ...namespaceScope].toSorted((a, b) =>
    compareText(formatObject(a), formatObject(b)),
  );
}

/** The clusters that a Binding lists. */
export const listClusters = ({ spec }: Binding): readonly string[] =>
  (spec?.destinations ?? []).map(({ clusterId }) => clusterId).toSorted(compareText);

/** Explains why the clusters of a stage are unknown or none; undefined when they are known. */
export function explainUnselected(
  stage: string,
  selection: ClusterSelection | undefined,
): string | undefined {
  const { clusters } = selection?.stage === stage ? selection : {};
  if (clusters === undefined)
    return 'Waiting for KubeStellar to report which clusters match its clusterSelectors.';
  if (clusters.length === 0) return 'No cluster matches its clusterSelectors.';
  if (clusters.length <= MOST_CLUSTERS) return undefined;
  return `Too many clusters for a progressive stage: ${clusters.length}, at most ${MOST_CLUSTERS}. Split it into several stages.`;
}

/** Explains why the Binding of a progressive stage lists other clusters; undefined when it does not. */
export function explainStranger(
  { metadata, ...binding }: Binding,
  narrowing: Narrowing | undefined,
): string | undefined {
  if (narrowing === undefined) return undefined;
  const { label, clusters } = narrowing;
  const stranger = listClusters({ metadata, ...binding }).find((name) => !clusters.includes(name));
  return stranger === undefined
    ? undefined
    : `Binding ${metadata.name} lists ${stranger}, which is not one of ${clusters.join(', ')}. Correct the label ${label} of that ManagedCluster: it must be the name of the ManagedCluster.`;
}

// Their names are in the history of the workflow, with each look.
const MOST_CLUSTERS = 1_000;

/** Explains why KubeStellar has not bound a BindingPolicy as it is now; undefined when it has. */
export const explainUnbound = (policy: BindingPolicy, binding: Binding | undefined): string | undefined =>
  explainOutOfDate(policy, binding) ?? explainUnsent(binding);

/** Explains why the transport has not observed a Binding; undefined when it has, sent or not. */
export const explainUnsent = (binding: Binding | undefined): string | undefined =>
  binding?.status?.observedGeneration === binding?.metadata.generation
    ? undefined
    : `Waiting for the transport of KubeStellar to observe Binding ${binding?.metadata.name}.`;

/** Why a Binding is not of what its BindingPolicy asks for now; undefined when it is, sent or not. */
export function explainOutOfDate(policy: BindingPolicy, binding: Binding | undefined): string | undefined {
  const { name, uid, generation } = policy.metadata;
  if (binding === undefined) return `Waiting for KubeStellar to create Binding ${name}.`;
  const isOwn = binding.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;
  if (!isOwn || binding.metadata.deletionTimestamp !== undefined) {
    return `Waiting for KubeStellar to recreate Binding ${name}: the current one belongs to an older BindingPolicy.`;
  }
  const error = errorOf(policy, binding);
  if (error !== undefined) return `KubeStellar reports an error: ${error}`;
  if (policy.status?.observedGeneration !== generation) {
    return `Waiting for KubeStellar to observe the latest BindingPolicy ${name}.`;
  }
  return undefined;
}

const errorOf = (policy: BindingPolicy, binding: Binding): string | undefined =>
  [...(policy.status?.errors ?? []), ...(binding.status?.errors ?? [])][0];

/** Finds the error that KubeStellar reports of a BindingPolicy as it is now. */
export function findRefusal(policy: BindingPolicy, binding: Binding | undefined): string | undefined {
  const isSeen =
    policy.status?.observedGeneration === policy.metadata.generation &&
    binding?.status?.observedGeneration === binding?.metadata.generation;
  return binding !== undefined && isSeen ? errorOf(policy, binding) : undefined;
}

/** The namespaces that a workload is in, as far as anybody knows: a Freeze of one of them holds it. */
export function listNamespaces(
  { downsync, stages }: Pick<StagedBindingPolicySpec, 'downsync' | 'stages'>,
  bindings: readonly Binding[],
): ReadonlySet<string> {
  return new Set([
    ...downsync.flatMap(({ namespaces = [] }) => namespaces.filter((one) => one !== '*')),
    ...stages.flatMap(({ cell }) => (cell === undefined ? [] : [cell.namespace])),
    ...bindings.flatMap((binding) => listObjects(binding).flatMap(({ namespace }) => namespace ?? [])),
  ]);
}

/** Why the Cell that a stage names keeps it from being fulfilled; undefined when it does not. */
export function findCellProblem(
  { namespace, name, version }: NonNullable<Stage['cell']>,
  cell: Pick<Cell, 'status' | 'metadata'> | undefined,
): string | undefined {
  const which = `Cell ${namespace}/${name}`;
  if (cell === undefined) return `${which} not found. Create it, or correct the stage.`;
  const { status = {}, metadata } = cell;
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  const isCurrent =
    ready?.observedGeneration === undefined || ready.observedGeneration === metadata.generation;
  if (ready?.status !== 'True' || !isCurrent) {
    return `${which} is not Ready: ${ready?.message ?? 'no condition yet.'}`;
  }
  const { stableVersion } = status;
  if (version === undefined || stableVersion === version) return undefined;
  return `${which} does not serve ${version} yet; it serves ${stableVersion ?? 'nothing'}.`;
}

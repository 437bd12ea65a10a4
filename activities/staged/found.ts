import type { StagedBindingPolicySpec } from '../../crds/staged-binding-policy.ts';
import type { Binding } from '../../domain/staged/kubestellar.ts';
import type { ClusterSelection, StagePolicy } from '../../domain/staged/observation.ts';
import {
  readNarrowing,
  buildPolicySpec,
  isAsDesired,
  SELECTION_LABEL,
  buildSelectionSpec,
  STAGE_LABEL,
  type BindingPolicy,
} from '../../domain/staged/policy.ts';
import { listClusters, findRefusal, explainUnbound } from '../../domain/staged/workload.ts';

/** Describes the BindingPolicy of a stage, which is not as asked while its reports are not collected. */
export function describePolicy(
  policy: BindingPolicy,
  spec: StagedBindingPolicySpec,
  { binding, isCollected }: { readonly binding: Binding | undefined; readonly isCollected: boolean },
): StagePolicy {
  const { name, uid = '', deletionTimestamp, labels = {} } = policy.metadata;
  const stage = spec.stages.find((one) => one.name === labels[STAGE_LABEL]);
  const narrowing = readNarrowing(policy);
  const refusal = findRefusal(policy, binding);
  return {
    stage: labels[STAGE_LABEL] ?? '',
    name,
    uid,
    isAsAsked:
      isCollected && stage !== undefined && isAsDesired(policy, buildPolicySpec(spec, stage, narrowing)),
    isDeleting: deletionTimestamp !== undefined,
    isBound: explainUnbound(policy, binding) === undefined,
    ...(refusal === undefined ? {} : { refusal }),
    ...(narrowing === undefined ? {} : { only: narrowing.clusters }),
  };
}

/** What there is to say of the BindingPolicy that asks for the clusters of a stage. */
export function describeSelection(
  policy: BindingPolicy,
  spec: StagedBindingPolicySpec,
  binding: Binding | undefined,
): ClusterSelection {
  const { name, uid = '', deletionTimestamp, labels = {} } = policy.metadata;
  const stage = spec.stages.find((one) => one.name === labels[SELECTION_LABEL]);
  const isAnswered = explainUnbound(policy, binding) === undefined && binding !== undefined;
  return {
    stage: labels[SELECTION_LABEL] ?? '',
    name,
    uid,
    isAsAsked: stage !== undefined && isAsDesired(policy, buildSelectionSpec(stage)),
    isDeleting: deletionTimestamp !== undefined,
    ...(isAnswered ? { clusters: listClusters(binding) } : {}),
  };
}

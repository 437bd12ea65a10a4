import { CELL } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Cell } from '../../crds/cell.ts';
import type { Stage, StagedBindingPolicySpec } from '../../crds/staged-binding-policy.ts';
import type { Binding } from '../../domain/staged/kubestellar.ts';
import type { ClusterSelection, StageView } from '../../domain/staged/observation.ts';
import { readNarrowing, type BindingPolicy } from '../../domain/staged/policy.ts';
import { readStrategy } from '../../domain/staged/progressive.ts';
import {
  findCellProblem,
  listClusters,
  explainOutOfDate,
  explainStranger,
  explainUnsent,
  explainUnselected,
} from '../../domain/staged/workload.ts';
import type { LiveMemory } from './live.ts';
import type { Spaces } from './space.ts';
import { observeBoundStage } from './view.ts';

/** Looks how far the stage is that a StagedBindingPolicy is at. */
export async function observeActiveStage(
  of: {
    readonly spec: StagedBindingPolicySpec;
    readonly stage: Stage;
    readonly policy: BindingPolicy | undefined;
    readonly selection: ClusterSelection | undefined;
    readonly bindings: ReadonlyMap<string, Binding | undefined>;
    readonly client: KubernetesClient;
  },
  { kubernetes, memory }: Spaces & { readonly memory: LiveMemory },
): Promise<StageView> {
  const { spec, stage, policy, selection, bindings, client } = of;
  const cell = stage.cell === undefined ? undefined : await cellOf(kubernetes, stage.cell);
  const said = cell === undefined ? {} : { cell };
  const unbound = (reason: string): StageView => ({
    stage: stage.name,
    unbound: reason,
    objects: 0,
    fulfilled: 0,
    print: '',
    ...said,
  });
  const strategy = readStrategy(spec, stage);
  const narrowing = policy === undefined ? undefined : readNarrowing(policy);
  if (strategy !== undefined && (policy === undefined || narrowing !== undefined)) {
    const unselected = explainUnselected(stage.name, selection);
    if (unselected !== undefined) return unbound(unselected);
  }
  if (policy === undefined) return unbound('Its BindingPolicy is not there yet.');
  const { name, uid = '' } = policy.metadata;
  const binding = bindings.get(name);
  const outOfDate = explainOutOfDate(policy, binding);
  if (outOfDate !== undefined || binding === undefined)
    return { ...unbound(outOfDate ?? 'It has no Binding.'), isOutOfDate: true };
  const unsent = explainUnsent(binding);
  if (unsent !== undefined) return unbound(unsent);
  const stranger = explainStranger(binding, narrowing);
  if (stranger !== undefined) return unbound(stranger);
  const all = narrowing === undefined ? listClusters(binding) : (selection?.clusters ?? []);
  const few = strategy === undefined ? undefined : { strategy, all, narrowing };
  const looking = { client, stage, policy: { name, uid }, binding, memory };
  return { ...(await observeBoundStage(few === undefined ? looking : { ...looking, few })), ...said };
}

/** Why a Cell keeps a stage from being fulfilled; undefined when it does not. */
async function cellOf(
  kubernetes: KubernetesClient,
  wanted: NonNullable<Stage['cell']>,
): Promise<string | undefined> {
  const { namespace, name } = wanted;
  return findCellProblem(wanted, await kubernetes.get<Cell>(CELL, { namespace, name }));
}

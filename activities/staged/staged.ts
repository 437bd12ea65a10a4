import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { BINDING_POLICY, STAGED_BINDING_POLICY, STATUS_COLLECTOR } from '../../clients/kubernetes/kinds.ts';
import { stagedBindingPolicy, type StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import { REPORTS, reportsSpec } from '../../domain/staged/kubestellar.ts';
import {
  CLUSTER_LABEL_ANNOTATION,
  readNarrowing,
  namePolicy,
  buildPolicySpec,
  SELECTION_LABEL,
  nameSelection,
  buildSelectionSpec,
  STAGE_LABEL,
  STAGED_UID_LABEL,
  type BindingPolicy,
  type Narrowing,
} from '../../domain/staged/policy.ts';
import { readStrategy } from '../../domain/staged/progressive.ts';
import type { StageApplied, StagedActivities, StageRef } from '../contract.ts';
import { failure } from '../failure.ts';
import { addFinalizer, removeFinalizer } from '../kubernetes/finalizers.ts';
import { remove, unlessChanged } from '../kubernetes/writes.ts';
import { createTurnReporter } from '../kubernetes/status-turn.ts';
import { observeStaged } from './observe.ts';
import { connectSpace, type Spaces } from './space.ts';

/** The finalizer that keeps a StagedBindingPolicy until its remote BindingPolicies are deleted. */
const FINALIZER = 'okra.mumo.co/staged-binding-policy';

/** What the activities of StagedBindingPolicies are made of. */
export interface StagedDependencies extends Spaces {
  readonly temporal: Client;
}

/** Makes the activities of StagedBindingPolicies. */
export function stagedActivities({ temporal, ...spaces }: StagedDependencies): StagedActivities {
  const { kubernetes } = spaces;
  const report = createTurnReporter(kubernetes, temporal);
  return {
    observeStaged: (look) => observeStaged(spaces, look),
    applyStage: (change) => applyStage(spaces, change),
    selectClusters: (ref) => selectClusters(spaces, ref),
    removeStage: async ({ name, policy }) => {
      const object = await kubernetes.get<StagedBindingPolicy>(STAGED_BINDING_POLICY, { name });
      if (object === undefined) return;
      const { generation = object.metadata.generation } = policy;
      // The next look says whether the stage is still to go.
      if (generation !== object.metadata.generation) return;
      const client = await connectSpace(object, spaces);
      await remove(client, { kind: BINDING_POLICY, key: { namespace: '', name: policy.name } }, policy.uid);
    },
    releaseStaged: (name) =>
      removeFinalizer(kubernetes, {
        kind: STAGED_BINDING_POLICY,
        key: { namespace: '', name },
        finalizer: FINALIZER,
      }),
    reportStaged: async ({ name, uid, status }) => {
      const { cancellationSignal: signal } = Context.current();
      await report({ kind: STAGED_BINDING_POLICY, key: { namespace: '', name }, uid, signal }, status);
    },
  };
}

/** Makes the BindingPolicy of a stage what it is to be. */
async function applyStage(spaces: Spaces, change: StageApplied): Promise<void> {
  const place = await placeOf(spaces, change);
  const { object, spec, stage, client } = place;
  const { apiVersion, kind } = STATUS_COLLECTOR;
  await client.apply({ apiVersion, kind, metadata: { name: REPORTS }, spec: reportsSpec }, { force: true });
  const { clusters } = change;
  const label = readStrategy(spec, stage)?.label;
  const asked = clusters && label !== undefined ? { label, clusters } : undefined;
  const name = namePolicy(object.metadata.name, stage.name);
  await applyOwn(place, name, (found) => {
    if (change.found !== undefined && found?.metadata.uid !== change.found)
      throw failure('Unavailable', `BindingPolicy ${name} was replaced by another one since it was read.`);
    // What a stage begins with it keeps, so that it begins with nothing that was edited since it was decided.
    if (found === undefined && change.generation !== object.metadata.generation) {
      const message = `StagedBindingPolicy ${object.metadata.name} was edited before stage ${stage.name} was placed.`;
      throw failure('Unavailable', message);
    }
    const narrowing = widened(found, asked);
    const isAnnotated = found?.metadata.annotations?.[CLUSTER_LABEL_ANNOTATION] !== undefined;
    const annotation = narrowing?.label ?? (isAnnotated ? '' : undefined);
    return {
      labels: { [STAGE_LABEL]: stage.name },
      ...(annotation === undefined ? {} : { annotations: { [CLUSTER_LABEL_ANNOTATION]: annotation } }),
      spec: buildPolicySpec(spec, stage, narrowing),
    };
  });
}

/** Makes the BindingPolicy by which KubeStellar says which clusters a stage selects. */
async function selectClusters(spaces: Spaces, ref: StageRef): Promise<void> {
  const place = await placeOf(spaces, ref);
  const { object, stage } = place;
  await applyOwn(place, nameSelection(object.metadata.name), () => ({
    labels: { [SELECTION_LABEL]: stage.name },
    spec: buildSelectionSpec(stage),
  }));
}

/** Adds what a BindingPolicy reaches already, so that a write that comes late takes the workload from no cluster. */
function widened(found: BindingPolicy | undefined, asked: Narrowing | undefined): Narrowing | undefined {
  if (found === undefined || asked === undefined) return asked;
  const before = readNarrowing(found);
  if (before === undefined) return undefined;
  return { label: before.label, clusters: [...new Set([...before.clusters, ...asked.clusters])] };
}

async function placeOf(spaces: Spaces, { name, uid, stage: asked }: StageRef) {
  const object = await spaces.kubernetes.get<StagedBindingPolicy>(STAGED_BINDING_POLICY, { name });
  if (object?.metadata.uid !== uid || object.metadata.deletionTimestamp !== undefined) {
    throw failure(
      'Unavailable',
      `StagedBindingPolicy ${name} was replaced by another one, or is being deleted.`,
    );
  }
  const parsed = stagedBindingPolicy.parse(object);
  const stage = parsed.ok ? parsed.value.stages.find((one) => one.name === asked) : undefined;
  if (!parsed.ok || stage === undefined) {
    throw failure('Unavailable', `Stage ${asked} is no longer in the spec of StagedBindingPolicy ${name}.`);
  }
  // Kubernetes collects nothing across API servers.
  if (parsed.value.space !== undefined) {
    await addFinalizer(spaces.kubernetes, {
      kind: STAGED_BINDING_POLICY,
      key: { namespace: '', name },
      finalizer: FINALIZER,
    });
  }
  return { object, spec: parsed.value, stage, client: await connectSpace(object, spaces) };
}

/** Creates a BindingPolicy, or updates the one of this StagedBindingPolicy, which owns it in the same API server. */
async function applyOwn(
  { object, client }: Pick<Awaited<ReturnType<typeof placeOf>>, 'object' | 'client'>,
  name: string,
  wanted: (
    found: BindingPolicy | undefined,
  ) => Pick<BindingPolicy['metadata'], 'labels' | 'annotations'> & { readonly spec: object },
): Promise<void> {
  const found = await client.get<BindingPolicy>(BINDING_POLICY, { name });
  const { name: owner, uid = '' } = object.metadata;
  if (found !== undefined && found.metadata.labels?.[STAGED_UID_LABEL] !== uid) {
    const message = `BindingPolicy ${name} already exists and does not belong to this StagedBindingPolicy. Rename the stage, or delete that BindingPolicy.`;
    throw failure('Conflict', message);
  }
  const { labels, spec, ...others } = wanted(found);
  const { apiVersion, kind } = BINDING_POLICY;
  const by = { apiVersion: object.apiVersion, kind: object.kind, name: owner, uid };
  const ownerReferences = [{ ...by, controller: true, blockOwnerDeletion: true }];
  const own = {
    ...others,
    name,
    labels: { ...labels, [STAGED_UID_LABEL]: uid },
    ...(object.spec.space === undefined ? { ownerReferences } : {}),
  };
  // Someone such as KubeStellar writes its finalizer and its status; Temporal tries again.
  await unlessChanged(`BindingPolicy ${name}`, () => {
    if (found === undefined) return client.create({ apiVersion, kind, metadata: own, spec });
    // The uid keeps this from making another one, and the version from undoing what was written meanwhile.
    const { uid: present, resourceVersion } = found.metadata;
    const metadata = { ...own, uid: present, resourceVersion };
    return client.apply({ apiVersion, kind, metadata, spec }, { force: true });
  });
}

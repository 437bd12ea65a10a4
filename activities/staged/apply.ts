import { BINDING_POLICY, STAGED_BINDING_POLICY, STATUS_COLLECTOR } from '../../clients/kubernetes/kinds.ts';
import { isConflict, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
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
import type { StageApplied, StageRef } from '../contract.ts';
import { failure } from '../failure.ts';
import { addFinalizer } from '../kubernetes/finalizers.ts';
import { connectSpace, type Spaces } from './space.ts';

/** The finalizer that keeps a StagedBindingPolicy until its remote BindingPolicies are deleted. */
export const FINALIZER = 'okra.mumo.co/staged-binding-policy';

/** Makes the BindingPolicy of a stage what it is to be. */
export async function applyStage(spaces: Spaces, change: StageApplied): Promise<void> {
  const { object, spec, stage, client } = await placeOf(spaces, change);
  const { apiVersion, kind } = STATUS_COLLECTOR;
  await client.apply({ apiVersion, kind, metadata: { name: REPORTS }, spec: reportsSpec }, { force: true });
  const { clusters } = change;
  const label = readStrategy(spec, stage)?.label;
  const asked = clusters && label !== undefined ? { label, clusters } : undefined;
  const name = namePolicy(object.metadata.name, stage.name);
  await applyOwn(client, { uid: change.uid, name }, (found) => {
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
      ...ownedBy(object),
      spec: buildPolicySpec(spec, stage, narrowing),
    };
  });
}

/** Makes the BindingPolicy by which KubeStellar says which clusters a stage selects. */
export async function selectClusters(spaces: Spaces, ref: StageRef): Promise<void> {
  const { object, stage, client } = await placeOf(spaces, ref);
  await applyOwn(client, { uid: ref.uid, name: nameSelection(object.metadata.name) }, () => ({
    labels: { [SELECTION_LABEL]: stage.name },
    ...ownedBy(object),
    spec: buildSelectionSpec(stage),
  }));
}

/**
 * What a BindingPolicy is to reach: what it is asked to, and all that it reaches already. A write that was decided earlier and
 * comes late takes the workload from no cluster.
 */
function widened(found: BindingPolicy | undefined, asked: Narrowing | undefined): Narrowing | undefined {
  if (found === undefined || asked === undefined) return asked;
  const before = readNarrowing(found);
  if (before === undefined) return undefined;
  return { label: before.label, clusters: [...new Set([...before.clusters, ...asked.clusters])] };
}

/** The stage that something is to be done for, and where. */
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

/** Who owns what is made in the same API server. */
function ownedBy({ apiVersion, kind, metadata: { name, uid = '' }, spec }: StagedBindingPolicy) {
  if (spec.space !== undefined) return {};
  return {
    ownerReferences: [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }],
  };
}

/** What a BindingPolicy of Okra's says. */
interface Wanted {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly object[];
  readonly spec: object;
}

/** Creates a BindingPolicy, or updates the one of this StagedBindingPolicy. */
async function applyOwn(
  client: KubernetesClient,
  { name, uid }: { readonly name: string; readonly uid: string },
  wanted: (found: BindingPolicy | undefined) => Wanted,
): Promise<void> {
  const found = await client.get<BindingPolicy & { metadata: { resourceVersion?: string } }>(BINDING_POLICY, {
    name,
  });
  if (found !== undefined && found.metadata.labels?.[STAGED_UID_LABEL] !== uid) {
    const message = `BindingPolicy ${name} already exists and does not belong to this StagedBindingPolicy. Rename the stage, or delete that BindingPolicy.`;
    throw failure('Conflict', message);
  }
  const { labels, spec, ...others } = wanted(found);
  const own = { ...others, name, labels: { ...labels, [STAGED_UID_LABEL]: uid } };
  const { apiVersion, kind } = BINDING_POLICY;
  try {
    if (found === undefined) await client.create({ apiVersion, kind, metadata: own, spec });
    else {
      // The uid keeps this from making another one, and the version from undoing what was written meanwhile.
      const { uid: present, resourceVersion } = found.metadata;
      const metadata = { ...own, uid: present, resourceVersion };
      await client.apply({ apiVersion, kind, metadata, spec }, { force: true });
    }
  } catch (error) {
    // Such as KubeStellar, which writes its finalizer and its status; Temporal tries again.
    if (isConflict(error))
      throw failure('Unavailable', `BindingPolicy ${name} was changed by another writer in the meantime.`);
    throw error;
  }
}

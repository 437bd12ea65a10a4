import { BINDING_POLICY, STAGED_BINDING_POLICY, STATUS_COLLECTOR } from '../../clients/kubernetes/kinds.ts';
import { isConflict, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import {
  stagedBindingPolicy,
  type Stage,
  type StagedBindingPolicy,
} from '../../crds/staged-binding-policy.ts';
import {
  policyName,
  policySpec,
  STAGE_LABEL,
  STAGED_UID_LABEL,
  type BindingPolicy,
} from '../../domain/staged/policy.ts';
import { REPORTS, reportsSpec } from '../../domain/staged/reports.ts';
import type { StagedActivities, StageRef } from '../contract.ts';
import { failure } from '../failure.ts';
import { addFinalizer, removeFinalizer } from '../kubernetes/finalizers.ts';
import { remove } from '../kubernetes/remove.ts';
import { statusReporter } from '../kubernetes/status-reporter.ts';
import { observeStaged } from './observe.ts';
import { spaceOf, type Spaces } from './space.ts';

/** The finalizer that keeps a StagedBindingPolicy until its BindingPolicies in another API server are deleted. */
const FINALIZER = 'okra.mumo.co/staged-binding-policy';

/** Makes the activities of StagedBindingPolicies. */
export function stagedActivities(spaces: Spaces): StagedActivities {
  const { kubernetes } = spaces;
  const report = statusReporter(kubernetes);
  return {
    observeStaged: (look) => observeStaged(spaces, look),
    applyStage: (ref) => applyStage(spaces, ref),
    removeStage: async ({ name, policy }) => {
      const object = await kubernetes.get<StagedBindingPolicy>(STAGED_BINDING_POLICY, { name });
      if (object === undefined) return;
      const client = await clientOf(object, spaces);
      await remove(client, { kind: BINDING_POLICY, key: { namespace: '', name: policy.name } }, policy.uid);
    },
    releaseStaged: (name) => removeFinalizer(kubernetes, heldBy(name)),
    reportStaged: ({ name, uid, status }) =>
      report(STAGED_BINDING_POLICY, { key: { namespace: '', name }, uid }, status, []),
  };
}

const heldBy = (name: string) => ({
  kind: STAGED_BINDING_POLICY,
  key: { namespace: '', name },
  finalizer: FINALIZER,
});

async function applyStage(spaces: Spaces, { name, uid, stage: asked }: StageRef): Promise<void> {
  const object = await spaces.kubernetes.get<StagedBindingPolicy>(STAGED_BINDING_POLICY, { name });
  if (object?.metadata.uid !== uid || object.metadata.deletionTimestamp !== undefined) {
    throw failure(
      'Unavailable',
      `Expected StagedBindingPolicy ${name}, got another one, or one that is being deleted.`,
    );
  }
  const parsed = stagedBindingPolicy.parse(object);
  const stage = parsed.ok ? parsed.value.stages.find((one) => one.name === asked) : undefined;
  if (!parsed.ok || stage === undefined) {
    throw failure(
      'Unavailable',
      `Expected stage ${asked} of StagedBindingPolicy ${name}, got a spec without it by now.`,
    );
  }
  const isElsewhere = parsed.value.space !== undefined;
  // Kubernetes collects nothing across API servers.
  if (isElsewhere) await addFinalizer(spaces.kubernetes, heldBy(name));
  const client = await clientOf(object, spaces);
  await client.apply({ ...identity(STATUS_COLLECTOR, REPORTS), spec: reportsSpec }, { force: true });
  const policy = wanted(object, stage, { isElsewhere, spec: policySpec(parsed.value, stage) });
  await applyOwn(client, policy, uid);
}

const identity = (
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  name: string,
) => ({
  apiVersion,
  kind,
  metadata: { name },
});

function wanted(
  { apiVersion, kind, metadata: { name, uid = '' } }: StagedBindingPolicy,
  stage: Stage,
  { isElsewhere, spec }: { readonly isElsewhere: boolean; readonly spec: object },
) {
  const owner = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
  return {
    apiVersion: BINDING_POLICY.apiVersion,
    kind: BINDING_POLICY.kind,
    metadata: {
      name: policyName(name, stage.name),
      labels: { [STAGED_UID_LABEL]: uid, [STAGE_LABEL]: stage.name },
      ...(isElsewhere ? {} : { ownerReferences: [owner] }),
    },
    spec,
  };
}

/** Creates a BindingPolicy, or changes the one of that name when it belongs to the same StagedBindingPolicy. */
async function applyOwn(
  client: KubernetesClient,
  policy: ReturnType<typeof wanted>,
  uid: string,
): Promise<void> {
  const { name } = policy.metadata;
  const found = await client.get<BindingPolicy>(BINDING_POLICY, { name });
  if (found === undefined) {
    try {
      await client.create(policy);
    } catch (error) {
      if (isConflict(error))
        throw failure('Unavailable', `BindingPolicy ${name} was made by somebody meanwhile.`);
      throw error;
    }
    return;
  }
  if (found.metadata.labels?.[STAGED_UID_LABEL] !== uid) {
    const message = `Expected BindingPolicy ${name} to belong to this StagedBindingPolicy, got one of somebody else. Rename the stage, or delete that one.`;
    throw failure('Conflict', message);
  }
  // The uid keeps this from making another one, should it be deleted meanwhile.
  await client.apply(
    { ...policy, metadata: { ...policy.metadata, uid: found.metadata.uid } },
    { force: true },
  );
}

async function clientOf({ spec }: StagedBindingPolicy, spaces: Spaces): Promise<KubernetesClient> {
  const space = await spaceOf(spec, spaces);
  if (space.is === 'Problem') throw failure('Unavailable', space.problem);
  return space.client;
}

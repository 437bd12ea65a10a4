import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { BINDING_POLICY, STAGED_BINDING_POLICY } from '../../clients/kubernetes/kinds.ts';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import type { StagedActivities } from '../contract.ts';
import { removeFinalizer } from '../kubernetes/finalizers.ts';
import { remove } from '../kubernetes/writes.ts';
import { createTurnReporter } from '../kubernetes/status-turn.ts';
import { applyStage, FINALIZER, selectClusters } from './apply.ts';
import { observeStaged } from './observe.ts';
import { connectSpace, type Spaces } from './space.ts';

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

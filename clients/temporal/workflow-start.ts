import { TypedSearchAttributes } from '@temporalio/common';
import type { SearchAttributePair } from '@temporalio/common';
import {
  cellRolloutId,
  driftWatchId,
  formatKey,
  loadBalancerConfigId,
  stagedBindingId,
  syncId,
  targetGroupCheckId,
} from '../../domain/model/ids.ts';
import type { ObjectKey, SyncWorkflow } from '../../domain/model/ids.ts';
import type { LoadBalancerType } from '../../domain/load-balancers/load-balancer.ts';
import { cut } from '../../domain/text.ts';
import { workflowTypes } from '../../workflows/messages.ts';
import { OKRA_CELL, OKRA_KIND, OKRA_NAMESPACE } from '../../workflows/search-attributes.ts';
import { temporalId } from './workflow-id.ts';

/** The type of a workflow, and all that it is started with. */
export interface WorkflowStart {
  readonly type: string;
  readonly options: {
    readonly workflowId: string;
    readonly taskQueue: string;
    readonly args: unknown[];
    readonly workflowTaskTimeout: '5s';
    readonly staticSummary: string;
    readonly typedSearchAttributes: TypedSearchAttributes;
  };
}

// A worker that died with a workflow task is missed after this time; the default is 10 s.
const TASK_TIMEOUT = '5s';

// The server refuses a start whose summary has more than 400 bytes.
const summary = (text: string): string => cut(text, 200);

/** How the rollout of a Cell is started. */
export function cellRolloutStart(key: ObjectKey, taskQueue: string): WorkflowStart {
  return {
    type: workflowTypes.cellRollout,
    options: {
      workflowId: temporalId(cellRolloutId(key)),
      taskQueue,
      args: [{ key }],
      workflowTaskTimeout: TASK_TIMEOUT,
      staticSummary: summary(`Cell ${formatKey(key)}`),
      typedSearchAttributes: ofObject('Cell', key),
    },
  };
}

/** How the writer of a load balancer's configuration is started. */
export function loadBalancerConfigStart(
  { type, key }: { readonly type: LoadBalancerType; readonly key: ObjectKey },
  taskQueue: string,
): WorkflowStart {
  return {
    type: workflowTypes.loadBalancerConfig,
    options: {
      workflowId: temporalId(loadBalancerConfigId(key, type)),
      taskQueue,
      args: [{ key, type }],
      workflowTaskTimeout: TASK_TIMEOUT,
      staticSummary: summary(`Load balancer ${formatKey(key)}`),
      typedSearchAttributes: ofObject(`${type}Config`, key),
    },
  };
}

/** How the watch over a listener is started. */
export function driftWatchStart(
  of: {
    readonly type: LoadBalancerType;
    readonly listenerARN: string;
    readonly intervalSeconds: number;
  },
  taskQueue: string,
): WorkflowStart {
  const { type, listenerARN, intervalSeconds } = of;
  return {
    type: workflowTypes.driftWatch,
    options: {
      workflowId: temporalId(driftWatchId(listenerARN)),
      taskQueue,
      args: [{ type, listenerARN, intervalSeconds }],
      workflowTaskTimeout: TASK_TIMEOUT,
      staticSummary: summary(`Listener ${listenerARN}`),
      typedSearchAttributes: attributes({ key: OKRA_KIND, value: 'Listener' }),
    },
  };
}

const syncedKinds: Readonly<Record<SyncWorkflow, string>> = {
  clusterSet: 'ClusterSet',
  targetGroupSet: 'AWSTargetGroupSet',
  targetGroupBinding: 'AWSTargetGroupBinding',
};

/** How the workflow that syncs an object is started. */
export function syncStart(
  of: { readonly workflow: SyncWorkflow; readonly key: ObjectKey; readonly intervalSeconds: number },
  taskQueue: string,
): WorkflowStart {
  const { workflow, key, intervalSeconds } = of;
  return {
    type: workflowTypes[workflow],
    options: {
      workflowId: temporalId(syncId(workflow, key)),
      taskQueue,
      args: [{ key, intervalSeconds }],
      workflowTaskTimeout: TASK_TIMEOUT,
      staticSummary: summary(`${syncedKinds[workflow]} ${formatKey(key)}`),
      typedSearchAttributes: attributes(
        { key: OKRA_KIND, value: syncedKinds[workflow] },
        { key: OKRA_NAMESPACE, value: key.namespace },
      ),
    },
  };
}

/** How the workflow of a StagedBindingPolicy is started. */
export function stagedBindingStart(
  { name, intervalSeconds }: { readonly name: string; readonly intervalSeconds: number },
  taskQueue: string,
): WorkflowStart {
  return {
    type: workflowTypes.stagedBinding,
    options: {
      workflowId: temporalId(stagedBindingId(name)),
      taskQueue,
      args: [{ name, intervalSeconds }],
      workflowTaskTimeout: TASK_TIMEOUT,
      staticSummary: summary(`StagedBindingPolicy ${name}`),
      typedSearchAttributes: attributes({ key: OKRA_KIND, value: 'StagedBindingPolicy' }),
    },
  };
}

/** How the check of a namespace's AWSTargetGroups is started. */
export function targetGroupCheckStart(
  { namespace, intervalSeconds }: { readonly namespace: string; readonly intervalSeconds: number },
  taskQueue: string,
): WorkflowStart {
  return {
    type: workflowTypes.targetGroupCheck,
    options: {
      workflowId: temporalId(targetGroupCheckId(namespace)),
      taskQueue,
      args: [{ namespace, intervalSeconds }],
      workflowTaskTimeout: TASK_TIMEOUT,
      staticSummary: summary(`AWSTargetGroups of ${namespace}`),
      typedSearchAttributes: attributes(
        { key: OKRA_KIND, value: 'AWSTargetGroup' },
        { key: OKRA_NAMESPACE, value: namespace },
      ),
    },
  };
}

// A Cell's load balancer configuration bears the Cell's name, so that one search finds both.
const ofObject = (kind: string, { namespace, name }: ObjectKey): TypedSearchAttributes =>
  attributes(
    { key: OKRA_KIND, value: kind },
    { key: OKRA_NAMESPACE, value: namespace },
    { key: OKRA_CELL, value: name },
  );

const attributes = (...pairs: SearchAttributePair[]): TypedSearchAttributes =>
  new TypedSearchAttributes(pairs);

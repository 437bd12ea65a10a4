import { TypedSearchAttributes, type SearchAttributePair } from '@temporalio/common';
import type { SyncedKind } from '../../crds/index.ts';
import type { KindWorkflow } from '../../crds/resource.ts';
import { formatKey, type ObjectKey } from '../../domain/model/ids.ts';
import {
  driftWatchId,
  kindNamed,
  objectWorkflowId,
  targetGroupCheckId,
  type WorkflowKind,
} from '../../domain/model/workflow-ids.ts';
import { loadBalancerKind, type LoadBalancerType } from '../../domain/load-balancers/load-balancer.ts';
import { cut } from '../../domain/text.ts';
import type * as workflows from '../../workflows/index.ts';
import { OKRA_CELL, OKRA_KIND, OKRA_NAMESPACE } from '../../workflows/search-attributes.ts';
import { temporalId } from './workflow-id.ts';

/** The type of a workflow that there is: `workflows/index.ts` exports it, or it is that of a synced kind. */
type WorkflowType = Exclude<keyof typeof workflows, 'default'> | SyncedKind['workflow']['type'];

/** The type of a workflow, and all that it is started with. */
export interface WorkflowStart {
  readonly type: WorkflowType;
  readonly options: {
    readonly workflowId: string;
    readonly taskQueue: string;
    readonly args: unknown[];
    readonly workflowTaskTimeout: '2s';
    readonly staticSummary: string;
    readonly typedSearchAttributes: TypedSearchAttributes;
  };
}

/** What is looked at of a kind here; what it does not say of its workflow is undefined. */
interface Kind {
  readonly kind: string;
  readonly workflow: KindWorkflow & { readonly type: WorkflowType };
}

// A worker that died with a workflow task is missed after this time; the default is 10 s. From the fourth attempt on the
// server gives it at least 5 s more, so that a worker which is slow gets on all the same.
const TASK_TIMEOUT = '2s';

// The server refuses a start whose summary has more than 400 bytes.
const summary = (text: string): string => cut(text, 200);

/** An object whose workflow is started; one that syncs is told how often. */
type StartedObject = { readonly key: ObjectKey } & (
  | { readonly kind: SyncedKind['kind']; readonly intervalSeconds: number }
  | { readonly kind: Exclude<WorkflowKind, SyncedKind['kind']> }
);

/** How the workflow that works for an object is started, by what the table of kinds says. */
export function objectStart(of: StartedObject, taskQueue: string): WorkflowStart {
  const { key } = of;
  const { kind, workflow }: Kind = kindNamed(of.kind);
  const { type, title = kind, input = {}, bearsCellName = false } = workflow;
  return {
    type,
    options: {
      workflowId: temporalId(objectWorkflowId(of.kind, key)),
      taskQueue,
      args: [
        {
          key,
          ...input,
          ...(workflow.does === 'Sync' && 'intervalSeconds' in of
            ? { intervalSeconds: of.intervalSeconds }
            : {}),
        },
      ],
      workflowTaskTimeout: TASK_TIMEOUT,
      staticSummary: summary(`${title} ${formatKey(key)}`),
      typedSearchAttributes: attributes(
        { key: OKRA_KIND, value: kind },
        ...(key.namespace === '' ? [] : [{ key: OKRA_NAMESPACE, value: key.namespace }]),
        // A Cell's load balancer configuration bears the Cell's name, so that one search finds both.
        ...(bearsCellName ? [{ key: OKRA_CELL, value: key.name }] : []),
      ),
    },
  };
}

/** How the watch over a place is started. */
export function driftWatchStart(
  of: {
    readonly type: LoadBalancerType;
    readonly place: string;
    readonly intervalSeconds: number;
  },
  taskQueue: string,
): WorkflowStart {
  const { type, place, intervalSeconds } = of;
  const { placeKind } = loadBalancerKind(type);
  return {
    type: 'driftWatch',
    options: {
      workflowId: temporalId(driftWatchId(place)),
      taskQueue,
      args: [{ type, place, intervalSeconds }],
      workflowTaskTimeout: TASK_TIMEOUT,
      staticSummary: summary(`${placeKind} ${place}`),
      typedSearchAttributes: attributes({ key: OKRA_KIND, value: placeKind }),
    },
  };
}

/** How the check of a namespace's AWSTargetGroups is started. */
export function targetGroupCheckStart(
  { namespace, intervalSeconds }: { readonly namespace: string; readonly intervalSeconds: number },
  taskQueue: string,
): WorkflowStart {
  return {
    type: 'targetGroupCheck',
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

const attributes = (...pairs: SearchAttributePair[]): TypedSearchAttributes =>
  new TypedSearchAttributes(pairs);

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
import { OKRA_CELL, OKRA_KIND, OKRA_NAMESPACE } from '../../workflows/messages.ts';
import { digest } from '../digest.ts';

// Temporal's SQL stores keep ids in VARCHAR(255). Names of Kubernetes and ARNs are ASCII, so that characters are bytes.
const LONGEST = 255;
const DIGITS = 32;
// Stands in no name of Kubernetes and in no ARN, so that no whole id looks like a shortened one.
const MARK = '~';

/** The id by which Temporal knows a workflow: one that is too long is cut, and ends in a digest of the whole. */
export const temporalId = (id: string): string =>
  id.length <= LONGEST ? id : `${id.slice(0, LONGEST - DIGITS - 1)}${MARK}${digest(id).slice(0, DIGITS)}`;

/** Whether an id was too long, so that the name in it is not whole. */
export const isShortened = (workflowId: string): boolean => workflowId.includes(MARK);

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

interface Kind {
  readonly kind: string;
  readonly workflow: KindWorkflow & { readonly type: WorkflowType };
}

// A worker that died with a workflow task is missed after this time; the default is 10 s. From the fourth attempt on the
// server gives it at least 5 s more, so that a worker which is slow gets on all the same.
const TASK_TIMEOUT = '2s';

type StartedObject = { readonly key: ObjectKey } & (
  | { readonly kind: SyncedKind['kind']; readonly intervalSeconds: number }
  | { readonly kind: Exclude<WorkflowKind, SyncedKind['kind']> }
);

/** How the workflow that works for an object is started, by what the table of kinds says. */
export function objectStart(of: StartedObject, taskQueue: string): WorkflowStart {
  const { key } = of;
  const { kind, workflow }: Kind = kindNamed(of.kind);
  const { type, title = kind, input = {}, bearsCellName = false } = workflow;
  const interval =
    workflow.does === 'Sync' && 'intervalSeconds' in of ? { intervalSeconds: of.intervalSeconds } : {};
  return startOf(type, {
    taskQueue,
    workflowId: objectWorkflowId(of.kind, key),
    input: { key, ...input, ...interval },
    summary: `${title} ${formatKey(key)}`,
    attributes: [
      { key: OKRA_KIND, value: kind },
      ...(key.namespace === '' ? [] : [{ key: OKRA_NAMESPACE, value: key.namespace }]),
      // A Cell's load balancer configuration bears the Cell's name, so that one search finds both.
      ...(bearsCellName ? [{ key: OKRA_CELL, value: key.name }] : []),
    ],
  });
}

/** How the watch over a place is started. */
export function driftWatchStart(
  input: { readonly type: LoadBalancerType; readonly place: string; readonly intervalSeconds: number },
  taskQueue: string,
): WorkflowStart {
  const { placeKind } = loadBalancerKind(input.type);
  return startOf('driftWatch', {
    taskQueue,
    workflowId: driftWatchId(input.place),
    input,
    summary: `${placeKind} ${input.place}`,
    attributes: [{ key: OKRA_KIND, value: placeKind }],
  });
}

/** How the check of a namespace's AWSTargetGroups is started. */
export function targetGroupCheckStart(
  input: { readonly namespace: string; readonly intervalSeconds: number },
  taskQueue: string,
): WorkflowStart {
  const { namespace } = input;
  return startOf('targetGroupCheck', {
    taskQueue,
    workflowId: targetGroupCheckId(namespace),
    input,
    summary: `AWSTargetGroups of ${namespace}`,
    attributes: [
      { key: OKRA_KIND, value: 'AWSTargetGroup' },
      { key: OKRA_NAMESPACE, value: namespace },
    ],
  });
}

function startOf(
  type: WorkflowType,
  of: {
    readonly taskQueue: string;
    readonly workflowId: string;
    readonly input: object;
    readonly summary: string;
    readonly attributes: SearchAttributePair[];
  },
): WorkflowStart {
  return {
    type,
    options: {
      workflowId: temporalId(of.workflowId),
      taskQueue: of.taskQueue,
      args: [of.input],
      workflowTaskTimeout: TASK_TIMEOUT,
      // The server refuses a start whose summary has more than 400 bytes.
      staticSummary: cut(of.summary, 200),
      typedSearchAttributes: new TypedSearchAttributes(of.attributes),
    },
  };
}

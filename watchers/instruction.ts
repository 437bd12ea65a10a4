import { temporalId } from '../clients/temporal/workflow-start.ts';
import type { LoadBalancerType } from '../domain/load-balancers/load-balancer.ts';
import type { ObjectKey } from '../domain/model/ids.ts';
import {
  driftWatchId,
  objectWorkflowId,
  targetGroupCheckId,
  type WorkflowKind,
} from '../domain/model/workflow-ids.ts';

/** The signals that watchers send to workflows which run; each means: look again. */
export type WakingSignal = (typeof wakingSignals)[number];
const wakingSignals = ['changed', 'analysisFinished', 'experimentFinished'] as const;

/** Whether a signal only means: look again. */
export const isWakingSignal = (name: string): boolean => wakingSignals.some((waking) => waking === name);

/** What is to be done about an event. */
export type Instruction =
  /** Wake the workflow of an object with `changed`, and start it when it does not run. */
  | { readonly do: 'Start'; readonly kind: WorkflowKind; readonly key: ObjectKey }
  | { readonly do: 'CheckTargetGroups'; readonly namespace: string }
  /** Wake a workflow, if it runs. */
  | { readonly do: 'Signal'; readonly workflowId: string; readonly signal: WakingSignal }
  | { readonly do: 'Watch'; readonly type: LoadBalancerType; readonly place: string };

/** Starts the workflow of an object, or wakes it. */
export const start = (kind: WorkflowKind, key: ObjectKey): Instruction => ({ do: 'Start', kind, key });

/** Wakes the workflow of an object, if it runs. */
export const wake = (kind: WorkflowKind, key: ObjectKey, signal: WakingSignal = 'changed'): Instruction => ({
  do: 'Signal',
  workflowId: objectWorkflowId(kind, key),
  signal,
});

/** The id by which Temporal knows the workflow that an instruction is about. */
export const workflowIdOf = (instruction: Instruction): string => temporalId(wholeId(instruction));

function wholeId(instruction: Instruction): string {
  switch (instruction.do) {
    case 'Start':
      return objectWorkflowId(instruction.kind, instruction.key);
    case 'CheckTargetGroups':
      return targetGroupCheckId(instruction.namespace);
    case 'Signal':
      return instruction.workflowId;
    case 'Watch':
      return driftWatchId(instruction.place);
  }
}

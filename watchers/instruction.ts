import { temporalId } from '../clients/temporal/workflow-id.ts';
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
  /** Wake the check of a namespace's AWSTargetGroups, and start it when it does not run. */
  | { readonly do: 'CheckTargetGroups'; readonly namespace: string }
  /** Wake a workflow, if it runs. */
  | { readonly do: 'Signal'; readonly workflowId: string; readonly signal: WakingSignal }
  /** Have a place watched for changes made elsewhere. */
  | { readonly do: 'Watch'; readonly type: LoadBalancerType; readonly place: string }
  | { readonly do: 'Ignore'; readonly reason: IgnoreReason };

/** Why nothing is done about an event. */
type IgnoreReason =
  | 'unchanged'
  | 'no Cell selects it'
  | 'status is about this generation'
  | 'not finished'
  | 'finished before'
  | 'no Cell named'
  | 'the Cell waits for no analysis'
  | 'no Cell lacks a template'
  | 'no rollout is under way'
  | 'no Cell lacks a ReplicaSet'
  | 'no StagedBindingPolicy has made it'
  | 'no Cell waits for Argo CD'
  | 'KubeStellar has not taken it up yet'
  | 'nobody looks into the cluster'
  | 'nobody is in these namespaces';

/** Says that nothing is done about an event, and why. */
export const ignore = (reason: IgnoreReason): readonly Instruction[] => [{ do: 'Ignore', reason }];

/** The id by which Temporal knows the workflow that an instruction is about. */
export const workflowIdOf = (instruction: Exclude<Instruction, { do: 'Ignore' }>): string =>
  temporalId(wholeId(instruction));

function wholeId(instruction: Exclude<Instruction, { do: 'Ignore' }>): string {
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

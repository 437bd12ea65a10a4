import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Served } from '../domain/load-balancer.ts';
import type { RolloutPlan, RolloutView } from '../domain/view.ts';

/** Who asks for something, and why; both are optional, so that a bare signal from the command line works. */
export interface Request {
  readonly by?: string;
  readonly reason?: string;
}

/** The answer to an operator's update: one sentence on what happens now. */
export interface Answer {
  readonly message: string;
}

/** The names of the workflow types, as the server and its Web UI show them. */
export const workflowTypes = {
  cellRollout: 'cellRollout',
  loadBalancerConfig: 'loadBalancerConfig',
  driftWatch: 'driftWatch',
  clusterSet: 'clusterSet',
  targetGroupSet: 'targetGroupSet',
  targetGroupBinding: 'targetGroupBinding',
  targetGroupCheck: 'targetGroupCheck',
} as const;

/** Look again: an object that the workflow depends on has changed. */
export const changed = defineSignal('changed');

/** Look again: an AnalysisRun of this rollout has come to a verdict. */
export const analysisFinished = defineSignal('analysisFinished');

/** Look again: an Experiment of this rollout has come to a verdict. */
export const experimentFinished = defineSignal('experimentFinished');

/** Look again: the load balancer configuration of this Cell has reported a new status. */
export const statusReported = defineSignal('statusReported');

/** The signals behind the requests: `temporal workflow signal --name pause --workflow-id cell/default/web`. */
export const requestSignals = {
  pause: defineSignal<[Request?]>('pause'),
  resume: defineSignal<[Request?]>('resume'),
  promote: defineSignal<[Request?]>('promote'),
  promoteFull: defineSignal<[Request?]>('promoteFull'),
  abort: defineSignal<[Request?]>('abort'),
  retry: defineSignal<[Request?]>('retry'),
} as const;

/** The updates behind the requests, for callers that want an answer or a refusal. */
export const requestUpdates = {
  pause: defineUpdate<Answer, [Request?]>('pause'),
  resume: defineUpdate<Answer, [Request?]>('resume'),
  promote: defineUpdate<Answer, [Request?]>('promote'),
  promoteFull: defineUpdate<Answer, [Request?]>('promoteFull'),
  abort: defineUpdate<Answer, [Request?]>('abort'),
  retry: defineUpdate<Answer, [Request?]>('retry'),
} as const;

/** Where a rollout stands. */
export const stateQuery = defineQuery<RolloutView>('state');

/** The steps that a rollout still has to take. */
export const planQuery = defineQuery<RolloutPlan>('plan');

/** Asks the writer of a load balancer's configuration to apply its object's spec; answers when AWS was read back and agrees. */
export const applyUpdate = defineUpdate<Served, [ApplyRequest]>('apply');

/** What the `apply` update carries. */
export interface ApplyRequest {
  /** The `metadata.generation` of the object that has to be served, or a newer one. */
  readonly generation: number;
  /** Whether this takes a rollout back; it is then served before anything else that waits for ELBv2. */
  readonly urgent: boolean;
}

/** Look at the load balancer again: it does not serve what the object's status says. */
export const drifted = defineSignal('drifted');

import { loadBalancerTypes, type LoadBalancerType } from '../load-balancers/load-balancer.ts';
import { withoutEnd } from '../text.ts';

/** The namespace and name of a Kubernetes object. */
export interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}

/** Reads a key off an object's metadata. */
export function keyOf(object: { metadata: { name: string; namespace?: string } }): ObjectKey {
  return { namespace: object.metadata.namespace ?? 'default', name: object.metadata.name };
}

/** Writes a key the way people do: `namespace/name`. */
export const formatKey = (key: ObjectKey): string => `${key.namespace}/${key.name}`;

/** The id of the workflow that rolls out a Cell. Whatever Temporal gets of these ids goes through `clients/temporal/workflow-id.ts`. */
export const cellRolloutId = (key: ObjectKey): string => `cell/${formatKey(key)}`;

const configPrefixes: Readonly<Record<LoadBalancerType, string>> = {
  AWSApplicationLoadBalancer: 'load-balancer',
  AWSNetworkLoadBalancer: 'network-load-balancer',
};

/** The id of the workflow that is the only writer of what an object configures. */
export const loadBalancerConfigId = (key: ObjectKey, type: LoadBalancerType): string =>
  `${configPrefixes[type]}/${formatKey(key)}`;

/** The load balancer whose writer has a workflow id like this; undefined when it is the id of another workflow. */
export const loadBalancerTypeOf = (workflowId: string): LoadBalancerType | undefined =>
  loadBalancerTypes.find((type) => workflowId.startsWith(`${configPrefixes[type]}/`));

/** The id of the workflow that watches a listener for changes made elsewhere. */
export const driftWatchId = (listenerARN: string): string => `drift/${listenerARN}`;

const syncPrefixes = {
  clusterSet: 'cluster-set',
  targetGroupSet: 'target-group-set',
  targetGroupBinding: 'target-group-binding',
} as const;

/** A workflow that keeps what an object asks for the same as what there is, as long as the object exists. */
export type SyncWorkflow = keyof typeof syncPrefixes;

/** Every such workflow. */
export const syncWorkflows = Object.keys(syncPrefixes) as readonly SyncWorkflow[];

/** The id of the workflow that syncs an object. */
export const syncId = (workflow: SyncWorkflow, key: ObjectKey): string =>
  `${syncPrefixes[workflow]}/${formatKey(key)}`;

/** The workflow that has an id like this; undefined when it syncs no object. */
export const syncWorkflowOf = (workflowId: string): SyncWorkflow | undefined =>
  syncWorkflows.find((workflow) => workflowId.startsWith(`${syncPrefixes[workflow]}/`));

/** The id of the workflow that takes a StagedBindingPolicy through its stages. */
export const stagedBindingId = (name: string): string => `staged-binding-policy/${name}`;

/** The id of the workflow that checks the AWSTargetGroups of a namespace. */
export const targetGroupCheckId = (namespace: string): string => `target-group-check/${namespace}`;

const MAX_NAME = 253;

/** What an analysis in the background is named after: that of the steps, or one after them. */
export type BackgroundPrefix = 'bg' | 'bake';

/** What is measured for: a rollout of a Cell, and how often its steps were edited. */
export interface Measured {
  readonly cell: string;
  readonly rollout: string;
  /** Counted so that no step takes the verdict of one that it has replaced. */
  readonly edition: number;
}

/** The name of an AnalysisRun; it carries Cell, step, template and rollout, so that no other rollout has the same. */
export function analysisRunName(
  of: Measured & { readonly step: number | BackgroundPrefix; readonly template: string },
): string {
  return named(`${of.cell}-${of.step}-${of.template}`, of, MAX_NAME);
}

// Argo Rollouts names ReplicaSets and AnalysisRuns after the Experiment, and adds a name of at most 63 characters.
const MAX_EXPERIMENT_NAME = MAX_NAME - 64;

/** The name of a step's Experiment. */
export function experimentName(of: Measured & { readonly step: number }): string {
  return named(`${of.cell}-${of.step}-experiment`, of, MAX_EXPERIMENT_NAME);
}

function named(stem: string, { rollout, edition }: Measured, longest: number): string {
  const suffix = edition === 0 ? `-${rollout}` : `-${rollout}-${edition}`;
  return `${withoutEnd(stem.slice(0, longest - suffix.length), /[^a-z0-9]/)}${suffix}`;
}

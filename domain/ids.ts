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

/** The id of the workflow that rolls out a Cell. */
export const cellRolloutId = (key: ObjectKey): string => `cell/${formatKey(key)}`;

/** The id of the workflow that is the only writer of a listener rule. */
export const loadBalancerConfigId = (key: ObjectKey): string => `load-balancer/${formatKey(key)}`;

/** The id of the workflow that watches a listener for changes made elsewhere. */
export const driftWatchId = (listenerARN: string): string => `drift/${listenerARN}`;

/** The value of the tag `okra.mumo.co/owner` on a listener rule: the object that configures it. */
export const ownerTag = (key: ObjectKey): string => formatKey(key);

const MAX_NAME = 253;

/** The name of a step's AnalysisRun; it carries Cell, step, template and rollout, so that no other rollout has the same. */
export function analysisRunName(of: {
  readonly cell: string;
  readonly step: number;
  readonly template: string;
  readonly rollout: string;
}): string {
  const suffix = `-${of.rollout}`;
  const stem = `${of.cell}-${of.step}-${of.template}`.slice(0, MAX_NAME - suffix.length);
  return `${stem.replace(/[^a-z0-9]+$/, '')}${suffix}`;
}

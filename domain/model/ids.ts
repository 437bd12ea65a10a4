import { withoutEnd } from '../text.ts';

/** The namespace and name of a Kubernetes object; the namespace of an object that is in none is empty. */
export interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}

/** An object, and which one of that name. */
export interface ObjectRef {
  readonly key: ObjectKey;
  readonly uid: string;
}

/** Reads a key off an object's metadata. */
export const keyOf = ({ metadata }: { metadata: { name: string; namespace?: string } }): ObjectKey => ({
  namespace: metadata.namespace ?? '',
  name: metadata.name,
});

/** The metadata that says which object has a key. */
export const metadataOf = ({ namespace, name }: ObjectKey): { namespace?: string; name: string } =>
  namespace === '' ? { name } : { namespace, name };

/** Writes a key the way people do: `namespace/name`, or the name alone of an object that is in no namespace. */
export const formatKey = ({ namespace, name }: ObjectKey): string =>
  namespace === '' ? name : `${namespace}/${name}`;

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

/** What the Checks of a step are called together; it tells the step from every other. */
export const checkRunName = (of: Measured & { readonly step: number; readonly check: string }): string =>
  labelled(`${of.cell}-${of.check}`, of);

/** The name of a step's Job. */
export const jobName = (of: Measured & { readonly step: number; readonly job: string }): string =>
  labelled(`${of.cell}-${of.job}`, of);

// It is the value of a label as well, and that of the pods of a Job.
const MAX_LABELLED_NAME = 63;

function labelled(whole: string, of: Measured & { readonly step: number }): string {
  const { rollout, edition } = of;
  const suffix = `-${of.step}-${rollout}${edition === 0 ? '' : `-${edition}`}`;
  const stem = whole.slice(0, MAX_LABELLED_NAME - suffix.length);
  return `${withoutEnd(stem, /[^a-z0-9]/)}${suffix}`;
}

function named(stem: string, { rollout, edition }: Measured, longest: number): string {
  const suffix = edition === 0 ? `-${rollout}` : `-${rollout}-${edition}`;
  return `${withoutEnd(stem.slice(0, longest - suffix.length), /[^a-z0-9]/)}${suffix}`;
}

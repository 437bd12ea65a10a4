import type { DownsyncClause, StagedBindingPolicySpec, Stage } from '../../crds/staged-binding-policy.ts';
import { canonical, compareText, sameValue } from '../kubernetes/canonical.ts';
import { fieldsIn, isRecord, recordsIn } from '../model/fields.ts';
import type { LabelSelector } from '../kubernetes/selector.ts';
import { REPORTS, type Binding, type WorkloadObject } from './kubestellar.ts';
import type { Cell } from '../../crds/cell.ts';
import type { Metadata } from '../../crds/resource.ts';
import type { ClusterSelection } from './observation.ts';

/** The name of an object for people: `deployments.apps nginx/nginx`. */
export function formatObject({
  group,
  resource,
  namespace = '',
  name,
}: Pick<WorkloadObject, 'group' | 'resource' | 'namespace' | 'name'>): string {
  const kind = group === '' ? resource : `${resource}.${group}`;
  return namespace === '' ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

/** Whether KubeStellar copies reports into an object, which changes its version with each report. */
export const isCopiedBack = ({
  wantSingletonReportedState,
  wantMultiWECReportedState,
}: WorkloadObject): boolean => wantSingletonReportedState === true || wantMultiWECReportedState === true;

/** The objects that a Binding lists, in one order. */
export function listObjects({ spec }: Binding): readonly WorkloadObject[] {
  const { clusterScope = [], namespaceScope = [] } = spec?.workload ?? {};
  return [...clusterScope, ...namespaceScope].toSorted((a, b) =>
    compareText(formatObject(a), formatObject(b)),
  );
}

/** The clusters that a Binding lists. */
export const listClusters = ({ spec }: Binding): readonly string[] =>
  (spec?.destinations ?? []).map(({ clusterId }) => clusterId).toSorted(compareText);

/** Explains why the clusters of a stage are unknown or none; undefined when they are known. */
export function explainUnselected(
  stage: string,
  selection: ClusterSelection | undefined,
): string | undefined {
  const { clusters } = selection?.stage === stage ? selection : {};
  if (clusters === undefined)
    return 'Waiting for KubeStellar to report which clusters match its clusterSelectors.';
  if (clusters.length === 0) return 'No cluster matches its clusterSelectors.';
  if (clusters.length <= MOST_CLUSTERS) return undefined;
  return `Too many clusters for a progressive stage: ${clusters.length}, at most ${MOST_CLUSTERS}. Split it into several stages.`;
}

/** Explains why the Binding of a progressive stage lists other clusters; undefined when it does not. */
export function explainStranger(binding: Binding, narrowing: Narrowing | undefined): string | undefined {
  if (narrowing === undefined) return undefined;
  const { label, clusters } = narrowing;
  const stranger = listClusters(binding).find((name) => !clusters.includes(name));
  return stranger === undefined
    ? undefined
    : `Binding ${binding.metadata.name} lists ${stranger}, which is not one of ${clusters.join(', ')}. Correct the label ${label} of that ManagedCluster: it must be the name of the ManagedCluster.`;
}

// Their names are in the history of the workflow, with each look.
const MOST_CLUSTERS = 1_000;

/** Explains why KubeStellar has not bound a BindingPolicy as it is now; undefined when it has. */
export const explainUnbound = (policy: BindingPolicy, binding: Binding | undefined): string | undefined =>
  explainOutOfDate(policy, binding) ?? explainUnsent(binding);

/** Explains why the transport has not observed a Binding; undefined when it has, sent or not. */
export const explainUnsent = (binding: Binding | undefined): string | undefined =>
  binding?.status?.observedGeneration === binding?.metadata.generation
    ? undefined
    : `Waiting for the transport of KubeStellar to observe Binding ${binding?.metadata.name}.`;

/** Why a Binding is not of what its BindingPolicy asks for now; undefined when it is, sent or not. */
export function explainOutOfDate(policy: BindingPolicy, binding: Binding | undefined): string | undefined {
  const { name, uid, generation } = policy.metadata;
  if (binding === undefined) return `Waiting for KubeStellar to create Binding ${name}.`;
  const isOwn = binding.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;
  if (!isOwn || binding.metadata.deletionTimestamp !== undefined) {
    return `Waiting for KubeStellar to recreate Binding ${name}: the current one belongs to an older BindingPolicy.`;
  }
  const error = errorOf(policy, binding);
  if (error !== undefined) return `KubeStellar reports an error: ${error}`;
  if (policy.status?.observedGeneration !== generation) {
    return `Waiting for KubeStellar to observe the latest BindingPolicy ${name}.`;
  }
  return undefined;
}

const errorOf = (policy: BindingPolicy, binding: Binding): string | undefined =>
  [...(policy.status?.errors ?? []), ...(binding.status?.errors ?? [])][0];

/** Finds the error that KubeStellar reports of a BindingPolicy as it is now. */
export function findRefusal(policy: BindingPolicy, binding: Binding | undefined): string | undefined {
  const isSeen =
    policy.status?.observedGeneration === policy.metadata.generation &&
    binding?.status?.observedGeneration === binding?.metadata.generation;
  return binding !== undefined && isSeen ? errorOf(policy, binding) : undefined;
}

/** The namespaces that a workload is in, as far as anybody knows: a Freeze of one of them holds it. */
export function listNamespaces(
  { downsync, stages }: Pick<StagedBindingPolicySpec, 'downsync' | 'stages'>,
  bindings: readonly Binding[],
): ReadonlySet<string> {
  return new Set([
    ...downsync.flatMap(({ namespaces = [] }) => namespaces.filter((one) => one !== '*')),
    ...stages.flatMap(({ cell }) => (cell === undefined ? [] : [cell.namespace])),
    ...bindings.flatMap((binding) => listObjects(binding).flatMap(({ namespace }) => namespace ?? [])),
  ]);
}

/** Why the Cell that a stage names keeps it from being fulfilled; undefined when it does not. */
export function findCellProblem(
  { namespace, name, version }: NonNullable<Stage['cell']>,
  cell: Pick<Cell, 'status' | 'metadata'> | undefined,
): string | undefined {
  const which = `Cell ${namespace}/${name}`;
  if (cell === undefined) return `${which} not found. Create it, or correct the stage.`;
  const { status = {}, metadata } = cell;
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  const isCurrent =
    ready?.observedGeneration === undefined || ready.observedGeneration === metadata.generation;
  if (ready?.status !== 'True' || !isCurrent) {
    return `${which} is not Ready: ${ready?.message ?? 'no condition yet.'}`;
  }
  const { stableVersion } = status;
  if (version === undefined || stableVersion === version) return undefined;
  return `${which} does not serve ${version} yet; it serves ${stableVersion ?? 'nothing'}.`;
}

/** The label on a BindingPolicy with the uid of the StagedBindingPolicy that it belongs to. */
export const STAGED_UID_LABEL = 'okra.mumo.co/staged-binding-policy-uid';

/** The label on a BindingPolicy that names its stage. */
export const STAGE_LABEL = 'okra.mumo.co/stage';

/** The label on a BindingPolicy that only asks KubeStellar for the clusters of the stage it names. */
export const SELECTION_LABEL = 'okra.mumo.co/selection-of-stage';

/** The annotation on a BindingPolicy of some clusters, with the label that they are selected by. */
export const CLUSTER_LABEL_ANNOTATION = 'okra.mumo.co/cluster-label';

/** A BindingPolicy, as far as Okra looks at it. */
export interface BindingPolicy {
  readonly metadata: Metadata;
  readonly spec?: object;
  readonly status?: { readonly observedGeneration?: number; readonly errors?: readonly string[] };
}

/** The name of the BindingPolicy of a stage; KubeStellar gives its Binding the same. */
export const namePolicy = (name: string, stage: string): string => `${name}-${stage}`;

/** Names the BindingPolicy that asks for clusters; no stage has it, as none begins with a hyphen. */
export const nameSelection = (name: string): string => `${name}--clusters`;

/** Which clusters of its stage a BindingPolicy reaches, and the label that they are selected by. */
export interface Narrowing {
  readonly label: string;
  readonly clusters: readonly string[];
}

/** Builds the spec of the BindingPolicy of a stage, with Okra's own StatusCollector. */
export function buildPolicySpec(
  { downsync }: Pick<StagedBindingPolicySpec, 'downsync'>,
  { clusterSelectors }: Stage,
  narrowing?: Narrowing,
): object {
  return {
    clusterSelectors: narrowing === undefined ? clusterSelectors : clusterSelectors.map(narrowed(narrowing)),
    downsync: downsync.map((clause) => ({
      ...clause,
      statusCollectors: [...(clause.statusCollectors ?? []).filter((one) => one !== REPORTS), REPORTS],
    })),
  };
}

const narrowed =
  ({ label, clusters }: Narrowing) =>
  ({ matchExpressions = [], ...selector }: LabelSelector): LabelSelector => ({
    ...selector,
    matchExpressions: [...matchExpressions, { key: label, operator: 'In', values: clusters }],
  });

/** What a BindingPolicy reaches of its stage; undefined when it reaches all that the stage selects. */
export function readNarrowing({ metadata, spec }: BindingPolicy): Narrowing | undefined {
  const label = metadata.annotations?.[CLUSTER_LABEL_ANNOTATION];
  const [selector] = recordsIn(fieldsIn(spec)['clusterSelectors']);
  const { key, operator, values } = fieldsIn(recordsIn(selector?.['matchExpressions']).at(-1));
  if (label === undefined || key !== label || operator !== 'In' || !Array.isArray(values)) return undefined;
  return { label, clusters: values.filter((one) => typeof one === 'string') };
}

/** Builds a spec with the selectors of the stage, and an object that cannot exist. */
export const buildSelectionSpec = ({ clusterSelectors }: Stage): object => ({
  clusterSelectors,
  // Kubernetes lets no object have this name.
  downsync: [{ objectNames: ['%'] }],
});

/** Whether a spec says what it is to say, and its clauses and selectors restrict nothing besides; unknown fields are left alone. */
export function isAsDesired(found: unknown, wanted: object): boolean {
  const said = fieldsIn(found);
  return Object.entries(fieldsIn(JSON.parse(canonical(wanted)))).every(([key, one]) =>
    isSame(said[key], one),
  );
}

function isSame(found: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted))
    return (
      Array.isArray(found) &&
      found.length === wanted.length &&
      wanted.every((one, index) => isSame(found[index], one))
    );
  if (!isRecord(wanted) || !isRecord(found)) return found === wanted;
  return Object.keys({ ...found, ...wanted }).every((key) => {
    if (!Object.hasOwn(wanted, key)) return !Object.hasOwn(KNOWN, key) || isNothing(found[key]);
    return key === 'matchLabels' ? sameValue(found[key], wanted[key]) : isSame(found[key], wanted[key]);
  });
}

/** The fields of a clause or a selector, each of which restricts what is selected, or how it syncs. */
const KNOWN: Readonly<Record<keyof DownsyncClause | keyof LabelSelector, true>> = {
  apiGroup: true,
  resources: true,
  namespaces: true,
  namespaceSelectors: true,
  objectSelectors: true,
  objectNames: true,
  createOnly: true,
  statusCollectors: true,
  wantSingletonReportedState: true,
  wantMultiWECReportedState: true,
  matchLabels: true,
  matchExpressions: true,
};

/** Whether a field says no more than one that is not there; an empty apiGroup is a group. */
const isNothing = (value: unknown): boolean =>
  value === false || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);

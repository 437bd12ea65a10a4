import type { DownsyncClause } from '../../crds/downsync.ts';
import type { StagedBindingPolicySpec, Stage } from '../../crds/staged-binding-policy.ts';
import { canonical } from '../kubernetes/canonical.ts';
import { fieldsIn, isRecord, recordsIn } from '../model/fields.ts';
import type { LabelSelector } from '../kubernetes/selector.ts';
import { REPORTS } from './kubestellar.ts';

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
  readonly metadata: {
    readonly name: string;
    readonly uid?: string;
    readonly generation?: number;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
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

/**
 * Whether a BindingPolicy says what it is to say, and its clauses and selectors restrict nothing besides; fields that Okra does not
 * know are left alone, and so is what others say beside these lists, which an apply does not take away.
 */
export function isAsDesired(policy: BindingPolicy, spec: object): boolean {
  const wanted = fieldsIn(JSON.parse(canonical(spec)));
  const found = fieldsIn(policy.spec);
  const isMore = ['clusterSelectors', 'downsync'].some((list) => restrictsMore(found[list], wanted[list]));
  return containsAll(policy.spec, spec) && !isMore;
}

/** Whether a spec says all that it should; what it says besides is the API server's. */
export const containsAll = (found: unknown, wanted: object): boolean =>
  covers(found, JSON.parse(canonical(wanted)));

function covers(found: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(found) &&
      found.length === wanted.length &&
      wanted.every((one, index) => covers(found[index], one))
    );
  }
  if (!isRecord(wanted)) return found === wanted;
  return isRecord(found) && Object.entries(wanted).every(([key, one]) => covers(found[key], one));
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

/** Whether something that says all that it should says more: a label, or a field that Okra knows. */
function restrictsMore(found: unknown, wanted: unknown): boolean {
  if (Array.isArray(found) && Array.isArray(wanted))
    return found.some((one, index) => restrictsMore(one, wanted[index]));
  if (!isRecord(found) || !isRecord(wanted)) return false;
  return Object.entries(found).some(([key, one]) => {
    if (!Object.hasOwn(wanted, key)) return Object.hasOwn(KNOWN, key) && !isNothing(one);
    return key === 'matchLabels' ? !containsAll(wanted[key], fieldsIn(one)) : restrictsMore(one, wanted[key]);
  });
}

/** Whether a field says no more than one that is not there; an empty apiGroup is a group. */
const isNothing = (value: unknown): boolean =>
  value === false || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);

import type { ApplicationOfCell, ClusterOfCell } from '../../crds/application.ts';
import { canonical, compareText } from '../kubernetes/canonical.ts';
import type { ObservedApplication, ObservedCluster, Resolved, ResolvedCluster } from './observation.ts';
import { takenSecret } from './conflicts.ts';
import { secretNameOf } from '../discovery/cluster-set/cluster-set.ts';
import type { RemoteBinding } from '../discovery/target-group-set/observed-target-group-set.ts';
import { matches } from '../kubernetes/selector.ts';
import { isTargetGroupARN } from '../model/target-group.ts';
import { namesOf } from '../text.ts';

/** Selects the clusters that an application runs on, in the order of the spec; undefined while the tags of some cluster are not known. */
function selectClusters(
  { clusterSelector }: ApplicationOfCell,
  { written, observed }: Facts['clusters'],
): readonly ClusterOfCell[] | undefined {
  if (clusterSelector === undefined) return written;
  const { matchEKSTags, ...labels } = clusterSelector;
  if (matchEKSTags === undefined) return written.filter((cluster) => hasAll(cluster.labels ?? {}, labels));
  const known = observed.filter(({ found }) => found !== undefined);
  const tagsOf = (cluster: ClusterOfCell) => known.find(({ name }) => name === cluster.name)?.tags;
  if (written.some((cluster) => tagsOf(cluster) === undefined)) return undefined;
  return written.filter((cluster) => hasAll(tagsOf(cluster) ?? {}, matchEKSTags));
}

type Texts = Readonly<Record<string, string>>;

const hasAll = (found: Texts, wanted: Texts): boolean =>
  Object.entries(wanted).every(([key, value]) => Object.hasOwn(found, key) && found[key] === value);

/** The name of a cluster in EKS. */
export const eksNameOf = ({ name, eks }: Pick<ClusterOfCell, 'name' | 'eks'>): string =>
  eks?.clusterName ?? name;

/** Finds the target group of an application in the TargetGroupBindings of a cluster: one, by labels such as `svc=web`. */
export function boundTargetGroup(
  cluster: string,
  selector: string,
  bindings: readonly Pick<RemoteBinding, 'labels' | 'arn' | 'isDeleting'>[],
): FoundBinding {
  const wanted = { matchLabels: equalitiesIn(selector) };
  const selected = bindings.filter(({ labels, isDeleting }) => !isDeleting && matches(wanted, labels));
  const arns = [...new Set(selected.map(({ arn }) => arn ?? ''))];
  const [arn = ''] = arns;
  if (arns.length === 1 && arn !== '') return { ok: true, arn };
  const one = arns.length === 0 ? 'none' : 'one without the ARN';
  const got = arns.length > 1 ? `several with ${arns.length} target groups` : one;
  const message = `Cluster ${cluster} must have one TargetGroupBinding with ${selector} and spec.targetGroupARN; it has ${got}. Create it, or correct the selector.`;
  return { ok: false, message };
}

/** The labels that a selector in one line asks for: `svc=web,tier=front`. */
export const equalitiesIn = (selector: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    selector.split(',').map((part) => {
      const at = part.indexOf('=');
      return [part.slice(0, at), part.slice(at + 1)];
    }),
  );

/** What a look for a TargetGroupBinding in a cluster found. */
export type FoundBinding =
  | { readonly ok: true; readonly arn: string }
  | {
      readonly ok: false;
      readonly message: string;
      /** Set when the cluster did not answer, so that nobody knows. */
      readonly isUnanswered?: true;
    };

/** What applications are resolved from. */
export interface Facts {
  readonly clusters: {
    readonly written: readonly ClusterOfCell[];
    readonly observed: readonly ObservedCluster[];
  };
  readonly applications: readonly ApplicationOfCell[];
  /** What `targetgroupBindingSelector` found, by application and cluster. */
  readonly bindings: Readonly<Record<string, Readonly<Record<string, FoundBinding>>>>;
  /** Names a text so that it differs whenever the text does. */
  readonly digest: (text: string) => string;
}

/** What an application comes to, or why it cannot be followed. */
export type Resolution = ObservedApplication['resolved'];

/** What each application comes to, by its name. */
export function resolveApplications(facts: Facts): Readonly<Record<string, Resolution>> {
  const resolved = new Map<string, Resolution>();
  for (const application of facts.applications) {
    const one = resolveApplication(application, facts);
    const clash = one.ok ? clashOf(one.value, resolved) : undefined;
    resolved.set(application.name, clash === undefined ? one : refused(clash));
  }
  return Object.fromEntries(resolved);
}

function resolveApplication(application: ApplicationOfCell, facts: Facts): Resolution {
  const { clusters, digest } = facts;
  const selected = selectClusters(application, clusters);
  if (selected === undefined) return refused('Some clusters are not in EKS yet. Waiting for their tags.');
  if (selected.length === 0) {
    const what = canonical(application.clusterSelector ?? {});
    return refused(
      `clusterSelector selects no cluster of spec.clusters: none has ${what}. Correct the selector, or the labels or tags of the clusters.`,
    );
  }
  const found = selected.map(({ name }) => clusters.observed.find((one) => one.name === name)?.found);
  const known = found.filter((one) => one !== undefined);
  if (known.length < selected.length) return refused('Some clusters are not in EKS yet. Waiting for them.');
  const alike = application.argocd && findAlike(known, clusters.written);
  if (alike !== undefined) return refused(alike);
  const groups = targetGroupsOf(application, selected, facts);
  if (!groups.ok) return groups;
  const value: Resolved = {
    clusters: known.toSorted((a, b) => compareText(a.name, b.name)),
    secretLabels: application.argocd?.clusterSecret?.labels ?? {},
    targetGroups: groups.value,
    application,
  };
  return { ok: true, value, hash: digest(canonical(value)) };
}

const refused = (...problems: readonly string[]): Resolution & { readonly ok: false } => ({
  ok: false,
  problems,
});

// Old and new ones have to fit together into the five target groups that ELBv2 forwards to.
const MOST_TARGET_GROUPS = 2;

function targetGroupsOf(
  application: ApplicationOfCell,
  selected: readonly ClusterOfCell[],
  facts: Facts,
): { readonly ok: true; readonly value: Resolved['targetGroups'] } | Extract<Resolution, { ok: false }> {
  if (application.alb === undefined) return { ok: true, value: [] };
  const { arn } = application.alb.forwardConfig.targetGroup;
  if (arn !== undefined && selected.length > 1) {
    return refused(
      `targetGroup.arn works for one cluster; ${selected.length} are selected: ${namesOf(selected)}. Use targetgroupBindingSelector or arnFromLabel.`,
    );
  }
  const found = selected.map((cluster) => ({ cluster, ...arnOf(application, cluster, facts) }));
  const problems = found.flatMap((one) => (one.ok ? [] : [one.message]));
  const isUnanswered = found.some((one) => !one.ok && one.isUnanswered === true);
  if (problems.length > 0)
    return { ...refused(...problems), ...(isUnanswered ? { isUnanswered: true } : {}) };
  const byARN = Map.groupBy(found, (one) => (one.ok ? one.arn : ''));
  if (byARN.size > MOST_TARGET_GROUPS) {
    return refused(
      `The application has ${byARN.size} target groups; at most ${MOST_TARGET_GROUPS} are allowed. Let clusters share a target group, by an AWSTargetGroupBinding.`,
    );
  }
  const value = [...byARN].map(([groupARN, those]) => ({
    arn: groupARN,
    clusters: those.map(({ cluster }) => cluster.name).toSorted(compareText),
  }));
  return { ok: true, value: value.toSorted((a, b) => compareText(a.arn, b.arn)) };
}

function arnOf(application: ApplicationOfCell, cluster: ClusterOfCell, { bindings }: Facts): FoundBinding {
  const { arn, arnFromLabel = '' } = application.alb?.forwardConfig.targetGroup ?? {};
  const { name, labels = {} } = cluster;
  const refuse = (message: string): FoundBinding => ({ ok: false, message });
  if (arn !== undefined) return { ok: true, arn };
  if (arnFromLabel === '')
    return (
      bindings[application.name]?.[name] ??
      refuse(`The TargetGroupBindings of cluster ${name} have not been read yet.`)
    );
  const labelled = Object.hasOwn(labels, arnFromLabel) ? labels[arnFromLabel] : undefined;
  if (labelled === undefined)
    return refuse(
      `Cluster ${name} does not have the label ${arnFromLabel} with the ARN of its target group. Add it in spec.clusters.`,
    );
  return isTargetGroupARN(labelled)
    ? { ok: true, arn: labelled }
    : refuse(
        `invalid label ${arnFromLabel} of cluster ${name}: must be the ARN of a target group, not ${JSON.stringify(labelled)}. Correct it.`,
      );
}

/** Why clusters cannot have a secret each: another one of the Cell differs in EKS by what a name of a Secret cannot have. */
function findAlike(
  clusters: readonly ResolvedCluster[],
  written: readonly ClusterOfCell[],
): string | undefined {
  const names = new Set(written.map(eksNameOf));
  for (const cluster of clusters) {
    const other = [...names].find(
      (name) => name !== cluster.eksName && secretNameOf(name) === cluster.secretName,
    );
    if (other !== undefined) return takenSecret(cluster, other);
  }
  return undefined;
}

/** Why an application cannot share the secret of a cluster with one before it. */
function clashOf(value: Resolved, before: ReadonlyMap<string, Resolution>): string | undefined {
  for (const [name, other] of before) {
    if (!other.ok) continue;
    const shared = value.clusters.find((one) =>
      other.value.clusters.some(({ secretName }) => secretName === one.secretName),
    );
    if (shared === undefined) continue;
    for (const [key, wanted] of Object.entries(value.secretLabels)) {
      const theirs = Object.hasOwn(other.value.secretLabels, key) ? other.value.secretLabels[key] : undefined;
      if (theirs !== undefined && theirs !== wanted)
        return `The label ${key} of the secret of cluster ${shared.name} cannot have two values: ${theirs} of application ${name} and ${wanted} of application ${value.application.name}. Use another label.`;
    }
  }
  return undefined;
}

import type { ApplicationsSpec } from '../../crds/cell.ts';
import type { ApplicationOfCell } from '../../crds/application.ts';
import type { ClusterOfCell } from '../../crds/cell-clusters.ts';
import type { Labels } from '../kubernetes/selector.ts';
import type { ObservedCluster } from './observation.ts';
import type { Resolved, ResolvedCluster, ResolvedTargetGroup } from './resolved.ts';

/** A TargetGroupBinding of a cluster. */
export interface BindingOfCluster {
  readonly name: string;
  readonly labels: Labels;
  readonly arn: string | undefined;
  readonly isDeleting: boolean;
}

/** The TargetGroupBindings of a cluster, or why they could not be read. */
export type BindingsOfCluster =
  | { readonly ok: true; readonly bindings: readonly BindingOfCluster[] }
  | { readonly ok: false; readonly message: string };

/** What an application is resolved with. */
export interface Resolving {
  readonly spec: Pick<ApplicationsSpec, 'clusters'>;
  readonly clusters: readonly ObservedCluster[];
  /** By the names of the entries in `spec.clusters`; only for those whose target group a binding names. */
  readonly bindings: ReadonlyMap<string, BindingsOfCluster>;
}

type Outcome<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly problems: readonly string[] };

/** What an application comes to, or why that cannot be followed. */
export function resolveApplication(
  application: ApplicationOfCell,
  of: Resolving,
): Outcome<Omit<Resolved, 'specHash'>> {
  const entries = entriesOf(application, of);
  if (entries.length === 0) return problem(nothingSelected(application));
  const found = entries.map((entry) => clusterOf(entry, of.clusters));
  const groups = application.alb === undefined ? [] : entries.map((entry) => groupOf(application, { entry, count: entries.length, bindings: of.bindings }));
  const problems = [
    ...found.flatMap((one) => (one.ok ? [] : one.problems)),
    ...groups.flatMap((one) => (one.ok ? [] : one.problems)),
  ];
  const targetGroups = sharedGroups(
    entries.flatMap(({ name }, index) => {
      const group = groups[index];
      return group?.ok === true ? [{ arn: group.value, cluster: name }] : [];
    }),
  );
  if (targetGroups.length > MOST_GROUPS) problems.push(tooManyGroups(targetGroups.length));
  if (problems.length > 0) return { ok: false, problems };
  const clusters = found.flatMap((one) => (one.ok ? [one.value] : []));
  const secretLabels = application.argocd?.clusterSecret?.labels ?? {};
  return { ok: true, value: { clusters, secretLabels, targetGroups } };
}

// The old and the new ones have to fit together into the five target groups of a rule.
const MOST_GROUPS = 2;

const problem = (...problems: readonly string[]): { readonly ok: false; readonly problems: readonly string[] } => ({
  ok: false,
  problems,
});

const tooManyGroups = (count: number): string =>
  `Expected the clusters of an application to have at most ${MOST_GROUPS} target groups together, got ${count}. Put several clusters into one target group, by an AWSTargetGroupBinding.`;

/** The entries of `spec.clusters` that an application selects. */
function entriesOf(
  { clusterSelector }: ApplicationOfCell,
  { spec: { clusters }, clusters: observed }: Resolving,
): readonly ClusterOfCell[] {
  if (clusterSelector === undefined) return clusters.length === 1 ? clusters : [];
  const { matchEKSTags, ...labels } = clusterSelector;
  if (matchEKSTags === undefined) return clusters.filter((entry) => hasAll(entry.labels ?? {}, labels));
  return clusters.filter(({ name }) =>
    hasAll(observed.find((one) => one.name === name)?.tags ?? {}, matchEKSTags),
  );
}

/** Whether all of some texts are there; an empty selector selects nothing. */
function hasAll(
  found: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string | undefined>>,
): boolean {
  const entries = Object.entries(wanted);
  return (
    entries.length > 0 && entries.every(([key, value]) => Object.hasOwn(found, key) && found[key] === value)
  );
}

function nothingSelected({ name, clusterSelector }: ApplicationOfCell): string {
  const by = JSON.stringify(clusterSelector ?? {});
  return `Expected clusterSelector of application ${name} to select some of spec.clusters, got none for ${by}. Correct the selector, or the labels or tags of the clusters. What the application has stays.`;
}

function clusterOf(entry: ClusterOfCell, observed: readonly ObservedCluster[]): Outcome<ResolvedCluster> {
  const cluster = observed.find(({ name }) => name === entry.name);
  if (cluster?.found !== undefined) return { ok: true, value: cluster.found };
  return problem(cluster?.message ?? `Cluster ${entry.name} was not looked at.`);
}

const ARN = /^arn:aws[a-z-]*:elasticloadbalancing:[a-z0-9-]+:\d{12}:targetgroup\/[A-Za-z0-9-]{1,32}\/[0-9a-z]{1,64}$/;

/** The ARN of the target group of a cluster, one of so many. */
function groupOf(
  { alb }: ApplicationOfCell,
  { entry, count, bindings }: { readonly entry: ClusterOfCell; readonly count: number } & Pick<
    Resolving,
    'bindings'
  >,
): Outcome<string> {
  const { arn, arnFromLabel, targetgroupBindingSelector = '' } = alb?.forwardConfig.targetGroup ?? {};
  if (arn !== undefined) {
    return count === 1
      ? { ok: true, value: arn }
      : problem(
          `Expected one cluster with targetGroup.arn, got ${count}. Use arnFromLabel or targetgroupBindingSelector, which give each cluster its own.`,
        );
  }
  return arnFromLabel === undefined
    ? boundGroup(entry, targetgroupBindingSelector, bindings.get(entry.name))
    : labelledGroup(entry, arnFromLabel);
}

function labelledGroup({ name, labels = {} }: ClusterOfCell, label: string): Outcome<string> {
  const value = Object.hasOwn(labels, label) ? labels[label] : undefined;
  if (value !== undefined && ARN.test(value)) return { ok: true, value };
  const got = value === undefined ? 'none' : JSON.stringify(value);
  return problem(
    `Expected cluster ${name} in spec.clusters to have the label ${label} with the ARN of a target group, got ${got}. Set the label.`,
  );
}

function boundGroup(
  { name }: ClusterOfCell,
  selector: string,
  read: BindingsOfCluster | undefined,
): Outcome<string> {
  if (read === undefined) return problem(`The TargetGroupBindings of cluster ${name} were not read yet.`);
  if (!read.ok) return problem(read.message);
  const wanted = equalitiesIn(selector);
  const selected = read.bindings.filter(({ labels = {}, isDeleting }) => !isDeleting && hasAll(labels, wanted));
  const arns = [...new Set(selected.flatMap(({ arn }) => arn ?? []))];
  const [arn, ...others] = arns;
  if (arn !== undefined && others.length === 0 && ARN.test(arn)) return { ok: true, value: arn };
  const got =
    selected.length === 0
      ? 'none'
      : arns.length > 1
        ? `${arns.length} with different ones`
        : 'one without the ARN of a target group';
  return problem(
    `Expected in cluster ${name} one TargetGroupBinding with ${selector} and a targetGroupARN, got ${got}. Create or correct it.`,
  );
}

/** The equalities of a selector in one line: `svc=web,tier=front`. */
export const equalitiesIn = (selector: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    selector.split(',').flatMap((part) => {
      const at = part.indexOf('=');
      return at < 1 ? [] : [[part.slice(0, at).trim(), part.slice(at + 1).trim()]];
    }),
  );

/** Clusters behind one target group share it. */
function sharedGroups(
  all: readonly { readonly arn: string; readonly cluster: string }[],
): readonly ResolvedTargetGroup[] {
  return [...Map.groupBy(all, ({ arn }) => arn)].map(([arn, some]) => ({
    arn,
    clusters: some.map(({ cluster }) => cluster),
  }));
}

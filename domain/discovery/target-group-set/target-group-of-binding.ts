import type { KnownCluster } from '../clusters/known-cluster.ts';
import type { AWSTargetGroupSetSpec } from '../../../crds/aws-target-group-set.ts';
import { withGenerated, type Marks } from '../generated.ts';
import { isLabelKey, isLabelValue, validLabels, isObjectName } from '../../kubernetes/selector.ts';
import {
  BINDING_LABELS,
  CLUSTER_ID_ANNOTATION,
  SOURCE_ANNOTATION,
  VERSION_LABEL,
} from '../../kubernetes/labels.ts';
import type { Problem } from '../sync-status.ts';
import type {
  BindingAPI,
  RemoteBinding,
  ExistingBinding,
  ObservedTargetGroupSet,
} from './observed-target-group-set.ts';
import { renderAnnotations, renderLabels, render } from '../cluster-set/template.ts';
import { canonical } from '../../kubernetes/canonical.ts';
import type { Rendered } from '../../template.ts';
import { given } from '../../model/fields.ts';
import { isTargetGroupARN } from '../../model/target-group.ts';

const EKS = 'eks.amazonaws.com';

/** The namespace that is written for what a template gives, which is in no namespace of its cluster. */
const RENDERED = 'rendered';

/** An AWSTargetGroupBinding as it is to be. */
export type DesiredBinding = Marks & { readonly name: string; readonly spec: string };

interface RenderedBinding {
  readonly cluster: KnownCluster;
  readonly binding?: DesiredBinding;
  readonly group?: SourcedGroup;
  readonly problems: readonly Problem[];
}

/** Renders a template of AWSTargetGroupBindings for a cluster. */
export function renderBinding(
  set: Pick<ObservedTargetGroupSet, 'uid' | 'name' | 'spec' | 'bindings'>,
  template: NonNullable<AWSTargetGroupSetSpec['bindingTemplate']>,
  cluster: KnownCluster,
): RenderedBinding {
  // The name of a cluster is free text, which may be no name of an object; that of its Secret is one.
  const named = template.metadata?.name;
  const name = nameOf(
    named === undefined ? { ok: true, value: `${set.name}-${cluster.secret}` } : render(named, cluster),
  );
  const labels = renderLabels(template.metadata?.labels, cluster);
  const targets = template.spec.targets.map((target) => {
    const { clusterName } = target;
    const rendered = clusterName === undefined ? undefined : render(clusterName, cluster);
    return { target, rendered };
  });
  const messages = [
    ...(name.ok ? [] : [name.message]),
    ...labels.problems,
    ...targets.flatMap(({ rendered }) => (rendered === undefined || rendered.ok ? [] : [rendered.message])),
  ];
  const failed = (problems: readonly Omit<Problem, 'cluster'>[]): RenderedBinding => ({
    cluster,
    problems: problems.map((problem) => ({ cluster: cluster.name, ...problem })),
  });
  if (!name.ok || messages.length > 0)
    return failed(messages.map((message) => ({ reason: 'InvalidTemplate', message })));
  const existing = set.bindings.find((one) => one.name === name.value);
  if (existing !== undefined && existing.owner?.uid !== set.uid) {
    const { owner } = existing;
    const by = owner === undefined ? 'has no owner' : `belongs to ${owner.kind} ${owner.name}`;
    const message = `AWSTargetGroupBinding ${name.value} for cluster ${cluster.name} already exists and ${by}. Delete it, or set another name in bindingTemplate.`;
    return failed([{ object: name.value, reason: 'NameTaken', message }]);
  }
  const spec = canonical({
    ...template.spec,
    targets: targets.map(({ target, rendered }) =>
      rendered?.ok === true ? { ...target, clusterName: rendered.value } : target,
    ),
  });
  const of = { namespace: RENDERED, name: name.value };
  const source = formatSource(cluster, of);
  const marks = withGenerated({ labels: labels.values, annotations: { [SOURCE_ANNOTATION]: source } });
  const arn = template.spec.targetGroupARN ?? existing?.arn;
  const group =
    arn === undefined
      ? { source, problems: [] }
      : groupOf(set.spec, cluster, { ...of, arn, names: [of.name, of.name], object: of.name, labels: {} });
  return { cluster, binding: { name: of.name, spec, ...marks }, group, problems: [] };
}

/** Leaves a name that several clusters would have to the one that has it, or else the first. */
export function dropRivals(
  rendered: readonly RenderedBinding[],
  own: readonly ExistingBinding[],
  isAwaited: (binding: ExistingBinding) => boolean,
): readonly RenderedBinding[] {
  const rivals = Map.groupBy(rendered, ({ binding }) => binding?.name);
  const holders = new Map(
    [...rivals].map(([name, some]) => {
      const there = own.find((one) => one.name === name);
      const secret = there === undefined ? undefined : parseSource(there)?.secret;
      const holder =
        some.find(({ cluster }) => cluster.secret === secret) ??
        some.find(({ binding }) => binding?.spec === there?.spec);
      if (holder === undefined && secret !== undefined && there !== undefined && isAwaited(there))
        return [name, secret] as const;
      return [name, (holder ?? some[0])?.cluster.secret] as const;
    }),
  );
  return rendered.map((one) => {
    const { cluster, binding } = one;
    const holder = holders.get(binding?.name);
    if (binding === undefined || holder === undefined || holder === cluster.secret) return one;
    const message = `AWSTargetGroupBinding ${binding.name} for cluster ${cluster.name} is already used for secret ${holder}. Remove bindingTemplate.metadata.name, so that each is named after the Secret of its cluster, or give each cluster a unique name.`;
    const problem = { cluster: cluster.name, object: binding.name, reason: 'NameTaken', message };
    return { cluster, problems: [problem] };
  });
}

function nameOf(name: Rendered): Rendered {
  if (!name.ok || isObjectName(name.value)) return name;
  return {
    ok: false,
    message: `Invalid name ${JSON.stringify(name.value)} from bindingTemplate.metadata.name: must be a name such as web-cluster1. Remove it, so that each is named after the Secret of its cluster.`,
  };
}

/** What an AWSTargetGroup is made of, and the group that it asks for, or why it cannot be made. */
export interface SourcedGroup {
  /** In full: `cluster/namespace/name`, and the API group unless that is elbv2.k8s.aws. */
  readonly source: string;
  readonly asked?: AskedGroup;
  readonly problems: readonly Problem[];
}

/** An AWSTargetGroup that something asks for, before it has a name of its own. */
export interface AskedGroup extends Marks {
  readonly source: string;
  /** The name that it has, and the one that it gets when that is taken; both are the same when there is no choice. */
  readonly names: readonly [string, string];
  readonly arn: string;
  readonly cluster: string;
}

/** Says which AWSTargetGroup a TargetGroupBinding asks for. */
export function deriveGroup(
  spec: AWSTargetGroupSetSpec,
  cluster: KnownCluster,
  binding: RemoteBinding,
): SourcedGroup {
  const { api, namespace, name, arn = '' } = binding;
  const plain = `${namespace}-${name}`;
  const names = [plain, `${cluster.secret}-${plain}${api === EKS ? '-eks' : ''}`] as const;
  const object = `${namespace}/${name}`;
  const labels = takenLabels(spec, binding);
  const of = { api, namespace, name, names, arn, object, labels, clusterID: cluster.id };
  return groupOf(spec, cluster, of, isTargetGroupARN(arn) ? [] : [withoutARN(cluster, binding)]);
}

/** The labels that a group takes from its binding: whoever writes in a cluster says no more than the set lets it say. */
const takenLabels = (
  { bindingLabels }: AWSTargetGroupSetSpec,
  { labels }: RemoteBinding,
): Readonly<Record<string, string>> =>
  bindingLabels === undefined
    ? labels
    : Object.fromEntries(Object.entries(labels).filter(([key]) => bindingLabels.includes(key)));

/** What a group is made of, in full. */
export const formatSource = (
  { secret }: { readonly secret: string },
  { api, namespace, name }: { readonly api?: BindingAPI; readonly namespace: string; readonly name: string },
): string => `${secret}/${namespace}/${name}${api === EKS ? `/${api}` : ''}`;

function withoutARN(cluster: KnownCluster, { namespace, name, arn }: RemoteBinding) {
  const of = `TargetGroupBinding ${namespace}/${name} of cluster ${cluster.name}`;
  return arn === undefined
    ? {
        reason: 'MissingTargetGroupARN',
        message: `${of} has no spec.targetGroupARN. Set it, or wait until the AWS Load Balancer Controller sets it.`,
      }
    : {
        reason: 'InvalidTargetGroupARN',
        message: `Invalid spec.targetGroupARN ${JSON.stringify(arn)} of ${of}: must be the ARN of a target group. Correct it.`,
      };
}

function groupOf(
  { template }: AWSTargetGroupSetSpec,
  cluster: KnownCluster,
  of: {
    readonly api?: BindingAPI;
    readonly namespace: string;
    readonly name: string;
    readonly names: readonly [string, string];
    readonly arn: string;
    readonly object: string;
    readonly labels: Readonly<Record<string, string>>;
    /** The cluster that it is in, where its target group is that of whatever cluster has the secret. */
    readonly clusterID?: string | undefined;
  },
  others: readonly Pick<Problem, 'reason' | 'message'>[] = [],
): SourcedGroup {
  const labels = renderLabels(template?.metadata?.labels, cluster);
  const annotations = renderAnnotations(template?.metadata?.annotations, cluster);
  const merged = { ...versionOf(cluster), ...withoutEmptyVersion(of.labels), ...labels.values };
  const version = merged[VERSION_LABEL];
  const messages = [...labels.problems, ...annotations.problems];
  if (version !== undefined && !isLabelValue(version)) {
    messages.push(
      `Invalid EKS tag version ${JSON.stringify(version)} of cluster ${cluster.name}: must be a semantic version that a label can have, such as 1.2.3, v2 or 1.4-rc.1. Correct the tag; put a version with build metadata into the tag okra.mumo.co/version of the target groups instead.`,
    );
  }
  const source = formatSource(cluster, of);
  const problems = [...others, ...messages.map((message) => ({ reason: 'InvalidTemplate', message }))];
  if (problems.length > 0) {
    const about = { cluster: cluster.name, object: of.object };
    return { source, problems: problems.map((problem) => ({ ...about, ...problem })) };
  }
  // The name of a cluster is free text, and names may be longer than the values of labels; the annotation says it in full.
  const provenance = validLabels({
    [BINDING_LABELS.cluster]: cluster.name,
    [BINDING_LABELS.namespace]: of.namespace,
    [BINDING_LABELS.name]: of.name,
  });
  const marks = withGenerated({
    labels: { ...merged, ...provenance },
    annotations: {
      ...annotations.values,
      [SOURCE_ANNOTATION]: source,
      ...given({ [CLUSTER_ID_ANNOTATION]: of.clusterID }),
    },
  });
  return {
    source,
    asked: { source, names: of.names, arn: of.arn, cluster: cluster.name, ...marks },
    problems,
  };
}

function versionOf({ tags = {} }: KnownCluster): Readonly<Record<string, string>> {
  const version = Object.hasOwn(tags, 'version') ? tags['version']?.trim() : undefined;
  return version === undefined || version === '' ? {} : { [VERSION_LABEL]: version };
}

const withoutEmptyVersion = (labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(labels).filter(
      ([key, value]) => isLabelKey(key) && !(key === VERSION_LABEL && value === ''),
    ),
  );

/** What a group is made of; undefined when it has lost where it is from. */
export function parseSource({ annotations }: Pick<Marks, 'annotations'>) {
  const source = annotations[SOURCE_ANNOTATION];
  const [secret, namespace, name, api] = source?.split('/') ?? [];
  if (source === undefined || secret === undefined || namespace === undefined || name === undefined)
    return undefined;
  const own: BindingAPI = api === EKS ? EKS : 'elbv2.k8s.aws';
  return { source, secret, namespace, name, api: own };
}

/** Whether a group is made of the template of its set: that is in no namespace of the cluster, and has its own name there. */
export function isRendered(group: Pick<Marks, 'annotations'> & { readonly name: string }): boolean {
  const from = parseSource(group);
  return from?.namespace === 'rendered' && from.name === group.name;
}

import type { KnownCluster } from '../clusters/known-cluster.ts';
import type { AWSTargetGroupSetSpec } from '../../../crds/aws-target-group-set.ts';
import { withGenerated, type Marks } from '../generated.ts';
import { isLabelKey, isLabelValue, validLabels } from '../../kubernetes/label-syntax.ts';
import {
  BINDING_LABELS,
  CLUSTER_ID_ANNOTATION,
  SOURCE_ANNOTATION,
  VERSION_LABEL,
} from '../../kubernetes/labels.ts';
import type { Problem } from '../sync-status.ts';
import { renderAnnotations, renderLabels } from '../cluster-set/template.ts';

/** Whose TargetGroupBinding it is: that of the AWS Load Balancer Controller, or that of EKS Auto Mode. */
export type BindingAPI = 'elbv2.k8s.aws' | 'eks.amazonaws.com';

/** A TargetGroupBinding in a cluster. */
export interface RemoteBinding {
  readonly api: BindingAPI;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** `spec.targetGroupARN`. */
  readonly arn?: string | undefined;
  /** Whether its controller leaves targets alone that it has not registered (`spec.multiClusterTargetGroup`). */
  readonly isMultiCluster?: true;
  readonly isDeleting: boolean;
}

/** An AWSTargetGroup that something asks for, before it has a name of its own; or why it cannot be made. */
export type SourcedGroup =
  | ({
      readonly ok: true;
      /** What it is made of, in full: `cluster/namespace/name`, and the API group unless that is elbv2.k8s.aws. */
      readonly source: string;
      /** The name that it has, and the one that it gets when that is taken; both are the same when there is no choice. */
      readonly names: readonly [string, string];
      readonly arn: string;
      readonly cluster: string;
    } & Marks)
  | { readonly ok: false; readonly source: string; readonly problems: readonly Problem[] };

const ARN =
  /^arn:aws[a-z-]*:elasticloadbalancing:[a-z0-9-]+:[0-9]{12}:targetgroup\/[A-Za-z0-9-]{1,32}\/[0-9a-z]{1,64}$/;

/** Says which AWSTargetGroup a TargetGroupBinding asks for. */
export function deriveGroup(
  spec: AWSTargetGroupSetSpec,
  cluster: KnownCluster,
  binding: RemoteBinding,
): SourcedGroup {
  const { api, namespace, name, arn = '' } = binding;
  const marks = groupMarks(spec, cluster, {
    api,
    namespace,
    name,
    labels: takenLabels(spec, binding),
    clusterID: cluster.id,
  });
  const source = formatSource(cluster, { api, namespace, name });
  const about = { cluster: cluster.name, object: `${namespace}/${name}` };
  const problems = [
    ...(ARN.test(arn) ? [] : [{ ...about, ...withoutARN(cluster, binding) }]),
    ...marks.problems.map((message) => ({ ...about, reason: 'InvalidTemplate', message })),
  ];
  if (problems.length > 0) return { ok: false, source, problems };
  const plain = `${namespace}-${name}`;
  return {
    ok: true,
    source,
    names: [plain, `${cluster.secret}-${plain}${api === 'eks.amazonaws.com' ? '-eks' : ''}`],
    arn,
    cluster: cluster.name,
    ...marks.marks,
  };
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
): string => `${secret}/${namespace}/${name}${api === 'eks.amazonaws.com' ? `/${api}` : ''}`;

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

/** The labels and annotations of a group: those of the binding, the template's on top, the version, and where it is from. */
export function groupMarks(
  { template }: AWSTargetGroupSetSpec,
  cluster: KnownCluster,
  of: {
    readonly api?: BindingAPI;
    readonly namespace: string;
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    /** The cluster that it is in, where its target group is that of whatever cluster has the secret. */
    readonly clusterID?: string | undefined;
  },
): { readonly marks: Marks; readonly problems: readonly string[] } {
  const labels = renderLabels(template?.metadata?.labels, cluster);
  const annotations = renderAnnotations(template?.metadata?.annotations, cluster);
  const merged = { ...versionOf(cluster), ...withoutEmptyVersion(of.labels), ...labels.values };
  const version = merged[VERSION_LABEL];
  const problems = [...labels.problems, ...annotations.problems];
  if (version !== undefined && !isLabelValue(version)) {
    problems.push(
      `Invalid EKS tag version ${JSON.stringify(version)} of cluster ${cluster.name}: must be a semantic version that a label can have, such as 1.2.3, v2 or 1.4-rc.1. Correct the tag; put a version with build metadata into the tag okra.mumo.co/version of the target groups instead.`,
    );
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
      [SOURCE_ANNOTATION]: formatSource(cluster, of),
      ...(of.clusterID === undefined ? {} : { [CLUSTER_ID_ANNOTATION]: of.clusterID }),
    },
  });
  return { marks, problems };
}

/** The version that the EKS tags claim, as a label. */
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

/** What a group is made of, in its parts. */
interface SourceParts {
  readonly source: string;
  readonly secret: string;
  readonly namespace: string;
  readonly name: string;
  readonly api: BindingAPI;
}

/** What a group is made of; undefined when it has lost where it is from. */
export function parseSource({ annotations }: Pick<Marks, 'annotations'>): SourceParts | undefined {
  const source = annotations[SOURCE_ANNOTATION];
  const [secret, namespace, name, api] = source?.split('/') ?? [];
  if (source === undefined || secret === undefined || namespace === undefined || name === undefined)
    return undefined;
  return { source, secret, namespace, name, api: api === EKS ? EKS : 'elbv2.k8s.aws' };
}

const EKS = 'eks.amazonaws.com';

/** Whether a group is made of the template of its set: that is in no namespace of the cluster, and has its own name there. */
export function isRendered(group: Pick<Marks, 'annotations'> & { readonly name: string }): boolean {
  const from = parseSource(group);
  return from?.namespace === 'rendered' && from.name === group.name;
}

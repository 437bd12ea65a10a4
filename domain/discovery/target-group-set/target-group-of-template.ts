import type { KnownCluster } from '../clusters/known-cluster.ts';
import type { ExistingBinding, ObservedTargetGroupSet } from './observed-target-group-set.ts';
import { canonical } from '../../kubernetes/canonical.ts';
import { withGenerated, type Marks } from '../generated.ts';
import { SOURCE_ANNOTATION } from '../../kubernetes/labels.ts';
import { isObjectName } from '../../kubernetes/label-syntax.ts';
import { parseSource, groupMarks, formatSource, type SourcedGroup } from './target-group-of-binding.ts';
import type { Problem } from '../sync-status.ts';
import type { Rendered } from '../../template.ts';
import { render, renderLabels } from '../cluster-set/template.ts';

/** The namespace that is written for what a template gives, which is in no namespace of its cluster. */
const RENDERED = 'rendered';

/** An AWSTargetGroupBinding as it is to be. */
export interface DesiredBinding extends Marks {
  readonly name: string;
  /** Its spec in canonical form. */
  readonly spec: string;
}

/** The result of rendering a binding for a cluster, and the AWSTargetGroup that goes with it; that is not to be had until its target group is known. */
type RenderedBinding =
  | {
      readonly ok: true;
      readonly cluster: KnownCluster;
      readonly binding: DesiredBinding;
      readonly group: SourcedGroup;
    }
  | { readonly ok: false; readonly secret: string; readonly problems: readonly Problem[] };

type RenderingSet = Pick<ObservedTargetGroupSet, 'uid' | 'name' | 'spec' | 'bindings'>;

/** Renders the template of AWSTargetGroupBindings for a cluster; nothing when there is none. */
export function renderBinding(set: RenderingSet, cluster: KnownCluster): readonly RenderedBinding[] {
  const template = set.spec.bindingTemplate;
  if (template === undefined) return [];
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
  const failed = (problems: readonly Omit<Problem, 'cluster'>[]): readonly RenderedBinding[] => [
    {
      ok: false,
      secret: cluster.secret,
      problems: problems.map((problem) => ({ cluster: cluster.name, ...problem })),
    },
  ];
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
  const annotations = {
    [SOURCE_ANNOTATION]: formatSource(cluster, { namespace: RENDERED, name: name.value }),
  };
  const marks = withGenerated({ labels: labels.values, annotations });
  const binding = { name: name.value, spec, ...marks };
  const arn = template.spec.targetGroupARN ?? existing?.arn;
  return [{ ok: true, cluster, binding, group: groupOf(set, cluster, binding.name, arn) }];
}

/**
 * Leaves a name that several clusters would have to the one whose binding is there, or else the first. One that is
 * missed for a while keeps its name meanwhile.
 */
export function dropRivals(
  rendered: readonly RenderedBinding[],
  own: readonly ExistingBinding[],
  isAwaited: (binding: ExistingBinding) => boolean,
): readonly RenderedBinding[] {
  const made = rendered.flatMap((one) => (one.ok ? [one] : []));
  const rivals = Map.groupBy(made, ({ binding }) => binding.name);
  const holders = new Map(
    [...rivals].map(([name, some]) => {
      const there = own.find((one) => one.name === name);
      const secret = there === undefined ? undefined : parseSource(there)?.secret;
      const holder =
        some.find(({ cluster }) => cluster.secret === secret) ??
        some.find(({ binding }) => binding.spec === there?.spec);
      if (holder === undefined && secret !== undefined && there !== undefined && isAwaited(there))
        return [name, secret] as const;
      return [name, (holder ?? some[0])?.cluster.secret] as const;
    }),
  );
  return rendered.map((one) => {
    const holder = one.ok ? holders.get(one.binding.name) : undefined;
    return !one.ok || holder === undefined || holder === one.cluster.secret ? one : rivalOf(holder, one);
  });
}

function rivalOf(
  holder: string,
  { cluster, binding }: Extract<RenderedBinding, { ok: true }>,
): RenderedBinding {
  const message = `AWSTargetGroupBinding ${binding.name} for cluster ${cluster.name} is already used for secret ${holder}. Remove bindingTemplate.metadata.name, so that each is named after the Secret of its cluster, or give each cluster a unique name.`;
  const problem = { cluster: cluster.name, object: binding.name, reason: 'NameTaken', message };
  return { ok: false, secret: cluster.secret, problems: [problem] };
}

function nameOf(name: Rendered): Rendered {
  if (!name.ok || isObjectName(name.value)) return name;
  return {
    ok: false,
    message: `Invalid name ${JSON.stringify(name.value)} from bindingTemplate.metadata.name: must be a name such as web-cluster1. Remove it, so that each is named after the Secret of its cluster.`,
  };
}

function groupOf(
  set: RenderingSet,
  cluster: KnownCluster,
  name: string,
  arn: string | undefined,
): SourcedGroup {
  const namespace = RENDERED;
  const source = formatSource(cluster, { namespace, name });
  if (arn === undefined) return { ok: false, source, problems: [] };
  const { marks, problems } = groupMarks(set.spec, cluster, { namespace, name, labels: {} });
  if (problems.length > 0) {
    const about = { cluster: cluster.name, object: name, reason: 'InvalidTemplate' };
    return { ok: false, source, problems: problems.map((message) => ({ ...about, message })) };
  }
  return { ok: true, source, names: [name, name], arn, cluster: cluster.name, ...marks };
}

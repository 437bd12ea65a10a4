import type { ApplicationCheck, ApplicationOfCell } from '../../crds/application.ts';
import type { ApplicationsSpec, CanaryStep, CellSpec } from '../../crds/cell.ts';
import type { CellListenerRule } from '../../crds/listener-rule.ts';
import { isDegraded } from '../kubernetes/conditions.ts';
import { BINDING_LABELS, CELL_LABEL, VERSION_LABEL } from '../kubernetes/labels.ts';
import { validLabels } from '../kubernetes/selector.ts';
import { given, omit } from '../model/fields.ts';
import { childName, targetGroupName } from './names.ts';
import type { ObservedRevision, ObservedTargetGroup } from './observation.ts';
import { isSameVersion } from '../versions/version.ts';
import type { Situation } from './situation.ts';

/** How far the Cell of an application has come with a revision. */
type ChildState =
  | { readonly is: 'Done' }
  /** The reason is that of what keeps it from moving, if anything does. */
  | { readonly is: 'Moving'; readonly reason?: string; readonly message: string }
  | { readonly is: 'Failed'; readonly message: string }
  /** Something has failed, and it stays at its weight until someone decides. */
  | { readonly is: 'Held'; readonly message: string };

/** Reads how far the Cell of an application has come off its status. */
export function childState({ seen }: Situation, { number, version }: ObservedRevision): ChildState {
  const { child } = seen;
  if (
    child === undefined ||
    child.revision !== number ||
    child.status.observedGeneration !== child.generation
  )
    return { is: 'Moving', message: 'Its Cell has not observed the change yet.' };
  const { phase, stableVersion, message = '', blockedVersions = [] } = child.status;
  const blocked = blockedVersions.find((one) => isSameVersion(one.version, version));
  if (blocked !== undefined) return { is: 'Failed', message: blocked.cause };
  if (phase === 'Paused' && isDegraded(child.status)) return { is: 'Held', message };
  if (phase === 'Completed' && isSameVersion(stableVersion ?? '', version)) return { is: 'Done' };
  return {
    is: 'Moving',
    ...given({ reason: isDegraded(child.status) ? child.status.reason : undefined }),
    message: `Cell ${child.name} is ${phase ?? 'new'}: ${message}`,
  };
}

/** Whether Cell and AWSTargetGroups of an application are what a revision asks for; those of `keep` may stay. */
export function isChildAsDesired(
  { seen }: Situation,
  { number, version, content }: ObservedRevision,
  keep?: ObservedRevision,
): boolean {
  const { child, targetGroups } = seen;
  if (child?.isAsDesired !== true || child.revision !== number) return false;
  const own = targetGroups.filter(({ isOwn }) => isOwn);
  const isThere = (arn: string): boolean => own.some((one) => one.arn === arn && one.version === version);
  const isKept = (arn: string): boolean => keep?.content.targetGroups.some((one) => one.arn === arn) === true;
  return (
    content.targetGroups.every(({ arn }) => isThere(arn)) &&
    own.every((one) => content.targetGroups.some(({ arn }) => arn === one.arn) || isKept(one.arn))
  );
}

/** The label on what belongs to an application that names it. */
export const APPLICATION_LABEL = 'okra.mumo.co/application';

/** The annotation on the Cell of an application that names the revision which it is to serve. */
export const REVISION_ANNOTATION = 'okra.mumo.co/revision';

/** Conditions of a listener rule. */
export type Conditions = Partial<Omit<CellListenerRule, 'priority' | 'forward'>>;

/** What a child Cell is made of. */
export interface ChildSource {
  readonly cell: { readonly name: string; readonly spec: ApplicationsSpec };
  readonly revision: Pick<ObservedRevision, 'number' | 'version' | 'content'>;
  /** The conditions of the rule as it is, for an application that names none. */
  readonly conditions?: Conditions | undefined;
}

/** A child Cell, and the AWSTargetGroups that it selects. */
export type Child = NonNullable<ReturnType<typeof childOf>>;

/** An AWSTargetGroup of a child Cell. */
export interface ChildTargetGroup {
  readonly name: string;
  readonly arn: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Makes the Cell that moves the traffic of an application to a revision; undefined without `alb`. */
export function childOf(source: ChildSource) {
  const { cell, revision } = source;
  const { application } = revision.content;
  const { alb, name } = application;
  if (alb === undefined) return undefined;
  const labels = { [CELL_LABEL]: cell.name, [APPLICATION_LABEL]: name };
  const { windows, minHealthyTargets, healthTimeout, settle, progressDeadline, deletionPolicy, analysis } =
    cell.spec;
  const spec: CellSpec = {
    ingress: {
      type: 'AWSApplicationLoadBalancer',
      awsApplicationLoadBalancer: {
        listenerARN: alb.listenerARN,
        listener: { rule: ruleOf(source) },
        targetGroupSelector: { matchLabels: labels },
      },
    },
    replicas: revision.content.targetGroups.length,
    version: revision.version,
    minHealthyTargets,
    healthTimeout,
    ...given({ windows, settle, progressDeadline, deletionPolicy, analysis }),
    updateStrategy: {
      type: 'Canary',
      canary: {
        steps: stepsOf(application),
        ...(cell.spec.onFailure === 'Hold' ? { onFailure: 'Hold' } : {}),
      },
    },
  };
  return {
    name: childName(cell.name, name),
    labels,
    annotations: { [REVISION_ANNOTATION]: String(revision.number) },
    spec,
    targetGroups: targetGroupsOf(source, labels),
  };
}

function ruleOf({ revision: { content }, conditions = {} }: ChildSource): CellListenerRule {
  const { priority, ...own } = omit(
    content.application.alb?.forwardConfig ?? { priority: 0, targetGroup: {} },
    'targetGroup',
  );
  return { priority, ...(hasConditions(own) ? own : conditions) };
}

/** Whether conditions of a listener rule say anything. */
export const hasConditions = (conditions: Conditions): boolean =>
  Object.values(conditions).some((one) => one !== undefined && Object.keys(one).length > 0);

/** The weights that an application goes through, of 100, each with its checks. */
function stepsOf({ alb, checks = [] }: ApplicationOfCell): CanaryStep[] {
  const { stepWeight, totalWeight } = alb?.updateStrategy ?? { stepWeight: 100, totalWeight: 100 };
  const count = Math.ceil(totalWeight / stepWeight);
  return Array.from({ length: count }, (_, index) => {
    const weight = Math.min(totalWeight, (index + 1) * stepWeight);
    return Math.round((100 * weight) / totalWeight);
  }).flatMap((setWeight) => [{ setWeight }, ...checks.map(stepOf)]);
}

function stepOf({ name, analysis, templates, args, job }: ApplicationCheck): CanaryStep {
  if (analysis !== undefined) return { check: { name, analysis } };
  if (templates !== undefined) return { analysis: { templates, ...given({ args }) } };
  return job === undefined ? {} : { job: { name, ...job } };
}

function targetGroupsOf(
  { cell, revision: { version, content } }: ChildSource,
  labels: Readonly<Record<string, string>>,
): readonly ChildTargetGroup[] {
  return content.targetGroups.map(({ arn, clusters }) => {
    const [first = ''] = clusters;
    const eksName = content.clusters.find(({ name }) => name === first)?.eksName ?? '';
    return {
      name: targetGroupName(cell.name, content.application.name, first),
      arn,
      labels: {
        ...labels,
        [VERSION_LABEL]: version,
        // Queries of checks know the cluster by it.
        ...validLabels({ [BINDING_LABELS.cluster]: eksName }),
      },
    };
  });
}

/** New AWSTargetGroups of a version, by names that are free: that of a cluster may be the one of another target group, which serves still. */
export function freelyNamed(
  groups: readonly ChildTargetGroup[],
  version: string,
  own: readonly { readonly name: string }[],
): readonly ChildTargetGroup[] {
  const taken = new Set(own.map(({ name }) => name));
  return groups.map((group) => {
    let { name } = group;
    while (taken.has(name)) name = `${name}-${version}`;
    taken.add(name);
    return { ...group, name };
  });
}

/** Plans the AWSTargetGroups of a revision; a target group keeps the name that it is known by, since a Cell knows it by that. */
export function groupsToWrite(of: {
  readonly wanted: readonly ChildTargetGroup[];
  readonly found: readonly ObservedTargetGroup[];
  /** The version of the revision. */
  readonly version: string;
  /** The ARNs of another revision, which may serve still. */
  readonly kept: readonly string[];
}) {
  const { wanted, found, version, kept } = of;
  const own = found.filter(({ isOwn }) => isOwn);
  const known = wanted.map((group) => ({ group, there: own.find(({ arn }) => arn === group.arn) }));
  const missing = known.flatMap(({ group, there }) => (there === undefined ? [group] : []));
  const create = freelyNamed(missing, version, own);
  const relabel = known.flatMap(({ group, there }) =>
    there === undefined ? [] : [{ ...group, name: there.name }],
  );
  const arns = new Set([...wanted.map(({ arn }) => arn), ...kept]);
  return {
    create,
    relabel,
    remove: own.filter(({ arn }) => !arns.has(arn)).map(({ name }) => name),
  };
}

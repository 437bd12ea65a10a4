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
import type { ObjectKey } from '../model/ids.ts';

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

/** Whether Cell and AWSTargetGroups of an application are what a revision asks for; those of `keep` may stay, or all. */
export function isChildAsDesired(
  { seen }: Situation,
  { number, version, content }: ObservedRevision,
  keep?: ObservedRevision | 'All',
): boolean {
  const { child, targetGroups } = seen;
  if (child?.isAsDesired !== true || child.revision !== number) return false;
  const own = targetGroups.filter(({ isOwn }) => isOwn);
  const isThere = (arn: string): boolean => own.some((one) => one.arn === arn && one.version === version);
  const isKept = (arn: string): boolean =>
    keep === 'All' || keep?.content.targetGroups.some((one) => one.arn === arn) === true;
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

/** A child Cell, and the AWSTargetGroups that it selects. */
export type Child = NonNullable<ReturnType<typeof childOf>>;

/** An AWSTargetGroup of a child Cell. */
export interface ChildTargetGroup {
  readonly name: string;
  readonly arn: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Makes the Cell that moves the traffic of an application to a revision; undefined without `alb`. The conditions are those of the rule as it is, for one that names none. */
export function childOf(
  { key, spec: parent }: { readonly key: Pick<ObjectKey, 'name'>; readonly spec: ApplicationsSpec },
  revision: Pick<ObservedRevision, 'number' | 'version' | 'content'>,
  conditions: Conditions = {},
) {
  const { application, clusters, targetGroups } = revision.content;
  const { alb, name } = application;
  if (alb === undefined) return undefined;
  const labels = { [CELL_LABEL]: key.name, [APPLICATION_LABEL]: name };
  const { windows, minHealthyTargets, healthTimeout, settle, progressDeadline, deletionPolicy, analysis } =
    parent;
  const { priority, ...own } = omit(alb.forwardConfig, 'targetGroup');
  const rule = { priority, ...(hasConditions(own) ? own : conditions) };
  const spec: CellSpec = {
    ingress: {
      type: 'AWSApplicationLoadBalancer',
      awsApplicationLoadBalancer: {
        listenerARN: alb.listenerARN,
        listener: { rule },
        targetGroupSelector: { matchLabels: labels },
      },
    },
    replicas: targetGroups.length,
    version: revision.version,
    minHealthyTargets,
    healthTimeout,
    ...given({ windows, settle, progressDeadline, deletionPolicy, analysis }),
    updateStrategy: {
      type: 'Canary',
      canary: {
        steps: stepsOf(application),
        ...(parent.onFailure === 'Hold' ? { onFailure: 'Hold' } : {}),
      },
    },
  };
  return {
    name: childName(key.name, name),
    labels,
    annotations: { [REVISION_ANNOTATION]: String(revision.number) },
    spec,
    targetGroups: targetGroups.map(({ arn, clusters: [first = ''] }): ChildTargetGroup => {
      const eksName = clusters.find((one) => one.name === first)?.eksName ?? '';
      return {
        name: targetGroupName(key.name, name, first),
        arn,
        labels: {
          ...labels,
          [VERSION_LABEL]: revision.version,
          // Queries of checks know the cluster by it.
          ...validLabels({ [BINDING_LABELS.cluster]: eksName }),
        },
      };
    }),
  };
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
  readonly version: string;
  /** The ARNs of another revision, which may serve still. */
  readonly kept: readonly string[];
}) {
  const { wanted, found, version, kept } = of;
  const own = found.filter(({ isOwn }) => isOwn);
  const nameOf = (group: ChildTargetGroup) => own.find(({ arn }) => arn === group.arn)?.name;
  const missing = wanted.filter((group) => nameOf(group) === undefined);
  const create = freelyNamed(missing, version, own);
  const relabel = wanted.flatMap((group) => {
    const name = nameOf(group);
    return name === undefined ? [] : [{ ...group, name }];
  });
  const arns = new Set([...wanted.map(({ arn }) => arn), ...kept]);
  return {
    create,
    relabel,
    remove: own.filter(({ arn }) => !arns.has(arn)).map(({ name }) => name),
  };
}

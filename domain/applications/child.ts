import type { ApplicationCheck, ApplicationOfCell } from '../../crds/application.ts';
import type { ApplicationsSpec, CanaryStep, CellSpec } from '../../crds/cell.ts';
import type { CellListenerRule } from '../../crds/listener-rule.ts';
import { BINDING_LABELS, CELL_LABEL, VERSION_LABEL } from '../kubernetes/labels.ts';
import { validLabels } from '../kubernetes/label-syntax.ts';
import { optional } from '../model/status-input.ts';
import { childName, targetGroupName } from './names.ts';
import type { ObservedRevision } from './observation.ts';

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
export interface Child {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: CellSpec;
  readonly targetGroups: readonly ChildTargetGroup[];
}

/** An AWSTargetGroup of a child Cell. */
export interface ChildTargetGroup {
  readonly name: string;
  readonly arn: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Makes the Cell that moves the traffic of an application to a revision; undefined without `alb`. */
export function childOf(source: ChildSource): Child | undefined {
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
    ...optional('windows', windows),
    ...optional('settle', settle),
    ...optional('progressDeadline', progressDeadline),
    ...optional('deletionPolicy', deletionPolicy),
    ...optional('analysis', analysis),
    updateStrategy: {
      type: 'Canary',
      canary: {
        steps: stepsOf(application),
        ...(cell.spec.onFailure === 'Stop' ? { onFailure: 'Hold' } : {}),
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
  const {
    targetGroup: _source,
    priority,
    ...own
  } = content.application.alb?.forwardConfig ?? { priority: 0, targetGroup: {} };
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
  if (templates !== undefined) return { analysis: { templates, ...optional('args', args) } };
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

import { AWS_TARGET_GROUP, CELL } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import { type Cell, cell as cellKind } from '../../crds/cell.ts';
import {
  childOf,
  type Child,
  freelyNamed,
  groupsToWrite,
  hasConditions,
  type Conditions,
  APPLICATION_LABEL,
  REVISION_ANNOTATION,
} from '../../domain/applications/child.ts';
import type {
  ObservedRevision,
  ObservedChild,
  ObservedTargetGroup,
  Resolved,
} from '../../domain/applications/observation.ts';
import { hasMarks } from '../../domain/discovery/generated.ts';
import { omit } from '../../domain/model/fields.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';
import { ADOPT_ANNOTATION, API_VERSION, CELL_LABEL, VERSION_LABEL } from '../../domain/kubernetes/labels.ts';
import { formatKey } from '../../domain/model/ids.ts';
import { isSameVersion } from '../../domain/versions/version.ts';
import { mayAdopt } from '../../domain/versions/watched.ts';
import { failure } from '../failure.ts';
import { ownedByCell } from '../kubernetes/owner-references.ts';
import { remove, unlessChanged, withoutOthers } from '../kubernetes/writes.ts';
import type { ApplicationsDependencies, ReadCell } from './dependencies.ts';
import { accessPolicies } from '../../clients/kubernetes/access-policies.ts';
import type { ApplicationOfCell } from '../../crds/application.ts';
import { conditionsIn, unsaidIn } from '../load-balancers/application-load-balancer/rule-conditions.ts';
import { permit } from '../permit.ts';
import { childName, targetGroupName } from '../../domain/applications/names.ts';
import { controllerOf } from '../../domain/kubernetes/conditions.ts';
import { namedARN } from '../../domain/model/target-group.ts';

interface FoundChild {
  readonly object: Cell | undefined;
  readonly groups: readonly AWSTargetGroup[];
}

/** Finds the Cell of an application and its AWSTargetGroups, with those of others that have the name of one that it comes to. */
export async function findChild(
  kubernetes: Pick<KubernetesClient, 'get'>,
  { key: { namespace, name: cell } }: Pick<ReadCell, 'key'>,
  of: {
    readonly application: string;
    readonly wanted?: Pick<Resolved, 'targetGroups'> | undefined;
    readonly all: readonly AWSTargetGroup[];
  },
): Promise<FoundChild> {
  const { application, wanted, all } = of;
  const object = await kubernetes.get<Cell>(CELL, { namespace, name: childName(cell, application) });
  const names = wanted?.targetGroups.map(({ clusters }) =>
    targetGroupName(cell, application, clusters[0] ?? ''),
  );
  const isOwn = (group: AWSTargetGroup): boolean =>
    isOwnedBy(group, object?.metadata.uid) &&
    group.metadata.labels?.[CELL_LABEL] === cell &&
    group.metadata.labels[APPLICATION_LABEL] === application;
  return {
    object,
    groups: all.filter((group) => names?.includes(group.metadata.name) === true || isOwn(group)),
  };
}

const isOwnedBy = (object: { readonly metadata: Cell['metadata'] }, uid: string | undefined): boolean =>
  uid !== undefined && controllerOf(object.metadata)?.uid === uid;

/** The AWSTargetGroups of an application, as they are observed; those of its Cell are its own. */
export const observedGroups = ({ groups, object }: FoundChild): readonly ObservedTargetGroup[] =>
  groups.map((group) => ({
    name: group.metadata.name,
    arn: namedARN(group) ?? '',
    version: group.metadata.labels?.[VERSION_LABEL] ?? '',
    isOwn: isOwnedBy(group, object?.metadata.uid),
  }));

/** The Cell of an application, as it is observed. */
export function observedChild(
  cell: ReadCell,
  revisions: readonly ObservedRevision[],
  { object }: FoundChild,
): ObservedChild | undefined {
  if (object === undefined) return undefined;
  const { metadata, status = {} } = object;
  const number = revisionOf(object);
  const revision = revisions.find((one) => one.number === number);
  const wanted = revision && childOf(cell, revision, conditionsOfChild(object));
  const { labels = {}, annotations = {} } = metadata;
  // Defaults are filled in on both sides.
  const isAsDesired =
    wanted !== undefined &&
    hasMarks({ labels, annotations }, wanted) &&
    mayAdopt(metadata) === mayAdopt(cell.object.metadata) &&
    canonical(complete(object.spec)) === canonical(complete(wanted.spec));
  return {
    name: metadata.name,
    isOwn: isOwnedBy(object, cell.uid),
    uid: metadata.uid ?? '',
    generation: metadata.generation ?? 0,
    isDeleting: metadata.deletionTimestamp !== undefined,
    revision: number,
    isAsDesired,
    status,
  };
}

/** The revision that the Cell of an application is to serve. */
export function revisionOf({ metadata }: Cell): number | undefined {
  const number = Number(metadata.annotations?.[REVISION_ANNOTATION]);
  return Number.isNaN(number) ? undefined : number;
}

/** The conditions of the rule as the Cell of an application has them. */
function conditionsOfChild(object: Cell): Conditions {
  const rule = object.spec.ingress?.awsApplicationLoadBalancer?.listener?.rule;
  return rule === undefined ? {} : omit(rule, 'priority', 'forward');
}

function complete(spec: unknown): unknown {
  const parsed = cellKind.parseSpec(spec);
  return parsed.ok ? parsed.value : spec;
}

/** Makes the Cell and AWSTargetGroups of a revision, in an order in which no look between two writes finds less of what serves. */
export async function applyChild(
  cell: ReadCell,
  of: Applied,
  dependencies: ApplicationsDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { revision } = of;
  const { application } = revision.content;
  const { kubernetes } = dependencies;
  const all = await kubernetes.list<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace: cell.key.namespace });
  const found = await findChild(kubernetes, cell, { application: application.name, all });
  const { object } = found;
  if (object !== undefined && !isOwnedBy(object, cell.uid))
    throw foreign('Cell', cell.key, object.metadata.name);
  const conditions = object === undefined ? undefined : conditionsOfChild(object);
  const rule = conditions ?? (await conditionsOfRule(application, cell, dependencies, signal));
  const wanted = childOf(cell, revision, rule);
  if (wanted === undefined) return;
  const plan = planGroups(cell, of, { wanted, found });
  const written = [...plan.create, ...plan.relabel, ...plan.kept];
  const isOfOthers = (one: AWSTargetGroup): boolean => !isOwnedBy(one, object?.metadata.uid);
  const taken = written.find(({ name }) => all.some((one) => one.metadata.name === name && isOfOthers(one)));
  // A Cell does not go forward without its target groups, and goes back with what it has.
  const numbers = [object && revisionOf(object), of.keep?.number];
  const isBack = numbers.some((number = 0) => number >= revision.number);
  if (taken !== undefined && !isBack) throw foreign('AWSTargetGroup', cell.key, taken.name);
  const uid = await writeCell(kubernetes, cell, wanted, object);
  if (taken !== undefined) throw foreign('AWSTargetGroup', cell.key, taken.name);
  const owner = { key: { namespace: cell.key.namespace, name: wanted.name }, uid };
  const { namespace } = cell.key;
  for (const { name, arn, labels } of written) {
    const metadata = { namespace, name, labels, ownerReferences: ownedByCell(owner) };
    const group = { apiVersion: API_VERSION, kind: 'AWSTargetGroup', metadata, spec: { arn } };
    await kubernetes.apply(group, { force: true });
  }
  for (const name of plan.remove) {
    const group = found.groups.find(({ metadata }) => metadata.name === name);
    await remove(kubernetes, { kind: AWS_TARGET_GROUP, key: { namespace, name } }, group?.metadata.uid ?? '');
  }
}

interface Applied {
  readonly revision: ObservedRevision;
  readonly keep: ObservedRevision | undefined;
}

/** Plans the AWSTargetGroups of a revision, and those of another that may serve still. */
function planGroups(
  cell: ReadCell,
  { revision, keep }: Applied,
  { wanted, found }: { readonly wanted: Child; readonly found: FoundChild },
) {
  const groups = observedGroups(found);
  const plan = groupsToWrite({
    wanted: wanted.targetGroups,
    found: groups,
    version: revision.version,
    kept: keep === undefined ? [] : keep.content.targetGroups.map(({ arn }) => arn),
  });
  const isServing = isSameVersion(found.object?.status?.stableVersion ?? '', revision.version);
  if (keep === undefined || isServing) return { ...plan, kept: [] };
  // A Cell that was made again lacks those of another revision.
  const there = [...groups.filter(({ isOwn }) => isOwn), ...plan.create];
  const lacking = (childOf(cell, keep)?.targetGroups ?? []).filter(
    ({ arn }) => !there.some((one) => one.arn === arn),
  );
  return { ...plan, kept: freelyNamed(lacking, keep.version, there) };
}

const foreign = (kind: string, { namespace }: ReadCell['key'], name: string): Error =>
  failure(
    'Conflict',
    `${kind} ${namespace}/${name} exists and does not belong to this Cell; it is left as it is. Delete or rename it, or rename the application.`,
  );

async function writeCell(
  kubernetes: KubernetesClient,
  { key, uid, object: parent }: ReadCell,
  { name, labels, annotations, spec }: Child,
  found: Cell | undefined,
): Promise<string> {
  const { namespace } = key;
  const object = {
    apiVersion: API_VERSION,
    kind: 'Cell',
    metadata: {
      namespace,
      name,
      labels: { ...parent.metadata.labels, ...labels },
      annotations: { ...annotations, ...(mayAdopt(parent.metadata) ? { [ADOPT_ANNOTATION]: 'true' } : {}) },
      ownerReferences: ownedByCell({ key, uid }),
    },
    spec,
  };
  // The uid keeps this from making another one, should it be deleted meanwhile.
  const again = { ...object, metadata: { ...object.metadata, uid: found?.metadata.uid } };
  return await unlessChanged(`Cell ${formatKey({ namespace, name })}`, async () => {
    const written: Cell =
      found === undefined ? await kubernetes.create(object) : await kubernetes.apply(again, { force: true });
    if (canonical(complete(written.spec)) !== canonical(complete(spec)))
      await withoutOthers(kubernetes, CELL, written, spec);
    return written.metadata.uid ?? '';
  });
}

/** The conditions of the listener rule as it is, for an application that names none. */
async function conditionsOfRule(
  { name, alb }: ApplicationOfCell,
  { key }: Pick<ReadCell, 'key'>,
  { kubernetes, elbv2 }: Pick<ApplicationsDependencies, 'kubernetes' | 'elbv2'>,
  signal: AbortSignal,
): Promise<Conditions | undefined> {
  if (alb === undefined) return undefined;
  const { listenerARN, forwardConfig } = alb;
  const { priority } = forwardConfig;
  if (hasConditions(omit(forwardConfig, 'targetGroup', 'priority'))) return undefined;
  permit(await accessPolicies(kubernetes).of(key.namespace, signal), [{ of: 'Listener', arn: listenerARN }]);
  const rules = await elbv2(listenerARN).rulesOf(listenerARN, signal);
  const rule = rules.find(({ Priority }) => Priority === String(priority));
  if (rule === undefined) {
    throw failure(
      'RuleNotFound',
      `The listener of application ${name} has no rule with priority ${priority}, and forwardConfig has no conditions. Create the rule, or write hosts or pathPatterns.`,
    );
  }
  const unsaid = unsaidIn(rule.Conditions ?? []);
  if (unsaid.length === 0) return conditionsIn(rule.Conditions ?? []);
  throw failure(
    'Conflict',
    `Rule ${priority} of application ${name} has conditions that a Cell cannot express: ${unsaid.join(', ')}. Use another priority.`,
  );
}

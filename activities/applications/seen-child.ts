import { AWS_TARGET_GROUP, CELL } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import { cell as cellKind, type Cell } from '../../crds/cell.ts';
import {
  APPLICATION_LABEL,
  childOf,
  REVISION_ANNOTATION,
  type Child,
  type Conditions,
} from '../../domain/applications/child.ts';
import { childName, targetGroupName } from '../../domain/applications/names.ts';
import type {
  ObservedChild,
  ObservedRevision,
  ObservedTargetGroup,
  Resolved,
} from '../../domain/applications/observation.ts';
import { hasMarks } from '../../domain/discovery/generated.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';
import { controllerOf } from '../../domain/kubernetes/conditions.ts';
import { CELL_LABEL, VERSION_LABEL } from '../../domain/kubernetes/labels.ts';
import { namedARN } from '../../domain/model/target-group.ts';
import { mayAdopt } from '../../domain/versions/watched.ts';
import type { ReadCell } from './dependencies.ts';

/** What there is of the Cell of an application, and of its target groups. */
export interface FoundChild {
  readonly object: Cell | undefined;
  readonly groups: readonly AWSTargetGroup[];
}

/** Finds the Cell of an application and its AWSTargetGroups, with those of others that have one of these names. */
export async function findChild(
  kubernetes: Pick<KubernetesClient, 'get' | 'list'>,
  { key }: Pick<ReadCell, 'key'>,
  of: {
    readonly application: string;
    readonly names: readonly string[];
    readonly all?: readonly AWSTargetGroup[] | undefined;
  },
): Promise<FoundChild> {
  const { namespace } = key;
  const name = childName(key.name, of.application);
  const [object, groups] = await Promise.all([
    kubernetes.get<Cell>(CELL, { namespace, name }),
    of.all ?? kubernetes.list<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace }),
  ]);
  const isMarked = ({ metadata: { labels } }: AWSTargetGroup): boolean =>
    labels?.[CELL_LABEL] === key.name && labels[APPLICATION_LABEL] === of.application;
  const uid = object?.metadata.uid;
  return {
    object,
    groups: groups.filter(
      (group) => of.names.includes(group.metadata.name) || (isMarked(group) && isOwnedBy(group, uid)),
    ),
  };
}

/** The names that the AWSTargetGroups of revisions have. */
export const groupNames = (
  { key }: Pick<ReadCell, 'key'>,
  contents: readonly Pick<Resolved, 'targetGroups' | 'application'>[],
): readonly string[] =>
  contents.flatMap(({ targetGroups, application }) =>
    targetGroups.map(({ clusters }) => targetGroupName(key.name, application.name, clusters[0] ?? '')),
  );

/** Whether an object was made by the object with a uid. */
export const isOwnedBy = (
  object: { readonly metadata: Cell['metadata'] },
  uid: string | undefined,
): boolean => uid !== undefined && controllerOf(object.metadata)?.uid === uid;

/** The AWSTargetGroups of an application, as they are observed; those of its Cell are its own. */
export const observedGroups = (
  groups: readonly AWSTargetGroup[],
  childUid: string | undefined,
): readonly ObservedTargetGroup[] =>
  groups.map((group) => ({
    name: group.metadata.name,
    arn: namedARN(group) ?? '',
    version: group.metadata.labels?.[VERSION_LABEL] ?? '',
    isOwn: isOwnedBy(group, childUid),
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
  const conditions = conditionsOfChild(object);
  const wanted = revision === undefined ? undefined : childOf({ ...sourceOf(cell, revision), conditions });
  const isAsDesired = wanted !== undefined && isAsWanted(object, wanted, mayAdopt(cell.object.metadata));
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

/** What the Cell of an application is made of at a revision. */
export const sourceOf = ({ key, spec }: Pick<ReadCell, 'key' | 'spec'>, revision: ObservedRevision) => ({
  cell: { name: key.name, spec },
  revision,
});

/** The conditions of the rule as the Cell of an application has them. */
export function conditionsOfChild(object: Cell): Conditions {
  const rule = object.spec.ingress?.awsApplicationLoadBalancer?.listener?.rule;
  if (rule === undefined) return {};
  const { priority: _priority, forward: _forward, ...conditions } = rule;
  return conditions;
}

/** Whether a Cell asks for what it is to ask for; defaults are filled in on both sides. */
function isAsWanted({ metadata, spec }: Cell, wanted: Child, adopt: boolean): boolean {
  const { labels = {}, annotations = {} } = metadata;
  const isMarked = hasMarks({ labels, annotations }, wanted);
  return (
    isMarked && mayAdopt(metadata) === adopt && canonical(complete(spec)) === canonical(complete(wanted.spec))
  );
}

/** A spec with its defaults filled in. */
export function complete(spec: unknown): unknown {
  const parsed = cellKind.parseSpec(spec);
  return parsed.ok ? parsed.value : spec;
}
